/** Examines a source before its keys are read: it checks that they can be copied, and finds the databases with keys. */
import { ImportRefusal } from '../../archive/import-refusal.ts';
import type { Reply } from '../resp-reader.ts';
import type { ExpiryCommand } from './dump-replies.ts';
import { clusterRefusal, refusedBy } from './refused-by.ts';
import type { ServerConnection } from './server-connection.ts';

export interface Survey {
  /** The reported version; `undefined` if older than 6. */
  version: string | undefined;
  /** Logical databases with keys. */
  databases: { database: number; keys: number }[];
  expiry: ExpiryCommand;
  /** `undefined` if the source has none, or this user may not read them. */
  functions: Buffer | undefined;
}

/** The number of databases requested at once. */
const databasesAtOnce = 16;
/** The search for databases ends here, even if the server accepts every number. */
const databasesMax = 65_536;
/** The size of a dump without functions: version and checksum. */
const emptyFunctionsBytes = 10;

/**
 * @param only the only logical database to import, which the connection has selected; `null` for all
 * @throws EngineError, ImportRefusal
 */
export async function survey(connection: ServerConnection, only: number | null): Promise<Survey> {
  const version = await refuseParts(connection);
  return {
    version,
    databases: only === null ? await databasesOf(connection) : [await countedOf(connection, only)],
    expiry: await expiryOf(connection),
    functions: await functionsOf(connection),
  };
}

/** https://redis.io/docs/latest/commands/hello/: this needs no permission. @returns the server's version */
async function refuseParts(connection: ServerConnection): Promise<string | undefined> {
  const said = await connection.call('HELLO', '2');
  if (said.type === 'error' && /^NOAUTH/.test(said.value)) throw refusedBy('HELLO', said.value);
  const facts = said.type === 'array' ? said.items.map(textOf) : [];
  const fact = (name: string) => facts[facts.indexOf(name) + 1];
  if (facts.length === 0) return undefined;
  if (fact('mode') === 'cluster') throw new ImportRefusal(clusterRefusal);
  if (fact('mode') === 'sentinel')
    throw new ImportRefusal(
      'The source is a Sentinel, which holds no keys: use the URL of the server that it monitors.',
    );
  return fact('version');
}

async function countedOf(connection: ServerConnection, database: number) {
  return { database, keys: keysIn(await connection.call('DBSIZE')) };
}

/** The number of databases is a setting that not every user may read. So the databases are tried until one does not exist. */
async function databasesOf(connection: ServerConnection): Promise<Survey['databases']> {
  const found = [await countedOf(connection, 0)];
  for (let first = 1; first < databasesMax; first += databasesAtOnce) {
    const numbers = Array.from({ length: databasesAtOnce }, (_, at) => first + at);
    const replies = await connection.batch(numbers.flatMap((one) => [['SELECT', String(one)], ['DBSIZE']]));
    for (const [at, database] of numbers.entries()) {
      const [selected, size] = replies.slice(2 * at);
      if (selected?.type === 'error') {
        if (/^NOPERM|cluster mode/i.test(selected.value)) throw refusedBy('SELECT', selected.value);
        return found.filter(({ keys }) => keys > 0);
      }
      found.push({ database, keys: keysIn(size) });
    }
  }
  throw new ImportRefusal(
    `The source has more than ${databasesMax} logical databases: choose one in the URL.`,
  );
}

function keysIn(reply: Reply | undefined): number {
  if (reply?.type === 'error') throw refusedBy('DBSIZE', reply.value);
  if (reply?.type !== 'integer') throw new Error('DBSIZE gave an unexpected reply');
  return Number(reply.value);
}

/** Asks about an empty key name, which only tests that the command exists and this user may use it. */
async function expiryOf(connection: ServerConnection): Promise<ExpiryCommand> {
  const said = await connection.call('PEXPIRETIME', '');
  const isMissing = said.type === 'error' && !/^NOPERM.*\bkeys?\b/.test(said.value);
  return isMissing ? 'PTTL' : 'PEXPIRETIME';
}

async function functionsOf(connection: ServerConnection): Promise<Buffer | undefined> {
  const said = await connection.call('FUNCTION', 'DUMP');
  return said.type === 'string' && said.value.length > emptyFunctionsBytes ? said.value : undefined;
}

const textOf = (reply: Reply): string =>
  reply.type === 'string' ? reply.value.toString() : reply.type === 'integer' ? reply.value : '';
