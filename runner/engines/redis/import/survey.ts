/** What a source is, before its keys are read: whether they can be copied, and where they are. */
import { ImportRefusal } from '../../archive/import-refusal.ts';
import type { Reply } from '../resp-reader.ts';
import type { ExpiryCommand } from './dump-replies.ts';
import { clusterRefusal, refusedBy } from './refused-by.ts';
import type { ServerConnection } from './server-connection.ts';

export interface Survey {
  /** As it says; undefined: it is older than 6. */
  version: string | undefined;
  /** Logical databases with keys. */
  databases: { database: number; keys: number }[];
  expiry: ExpiryCommand;
  /** Undefined: it has none, or does not let this user see them. */
  functions: Buffer | undefined;
}

/** Asked for in one go. */
const databasesAtOnce = 16;
/** A server that always has one more is none. */
const databasesMax = 65_536;
/** Of a dump without a function: version and checksum. */
const emptyFunctionsBytes = 10;

/**
 * @param only the one logical database that is wanted, which the connection has chosen; null: all
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

/** https://redis.io/docs/latest/commands/hello/: nobody needs a permission for it. @returns the server's version */
async function refuseParts(connection: ServerConnection): Promise<string | undefined> {
  const said = await connection.call('HELLO', '2');
  if (said.type === 'error' && /^NOAUTH/.test(said.value)) throw refusedBy('HELLO', said.value);
  const facts = said.type === 'array' ? said.items.map(textOf) : [];
  const fact = (name: string) => facts[facts.indexOf(name) + 1];
  if (facts.length === 0) return undefined;
  if (fact('mode') === 'cluster') throw new ImportRefusal(clusterRefusal);
  if (fact('mode') === 'sentinel')
    throw new ImportRefusal(
      'The source is a Sentinel, which holds no keys: name the server that it watches.',
    );
  return fact('version');
}

async function countedOf(connection: ServerConnection, database: number) {
  return { database, keys: keysIn(await connection.call('DBSIZE')) };
}

/** Their number is a setting, which is not everybody's to read: the first that is not there ends them. */
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
  throw new ImportRefusal(`The source has more than ${databasesMax} logical databases: name one in the URL.`);
}

function keysIn(reply: Reply | undefined): number {
  if (reply?.type === 'error') throw refusedBy('DBSIZE', reply.value);
  if (reply?.type !== 'integer') throw new Error('DBSIZE gave another reply');
  return Number(reply.value);
}

/** The name of no key in particular: it is the command that may not be there, or not be this user's. */
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
