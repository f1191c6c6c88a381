/**
 * Import of MySQL: `mysqldump` in the container that serves, which has a way to the source, into `mysql` of the fresh one. The SQL of the
 * source is run as the service's own user, who may use its own database alone: a source is not trusted with more.
 */
import { PassThrough, Readable } from 'node:stream';
import type { Contents, DataPlace, FreshPlace } from '../../archive/archive.ts';
import { ImportRefusal } from '../../archive/import-refusal.ts';
import type { ImportSource, VolumeUrlImport } from '../../archive/url-import.ts';
import { EngineError } from '../../engine-error.ts';
import { accountStatements } from './accounts.ts';
import { asRoot, plainly, query, rootEnvironment } from './client.ts';
import { RowCounter } from './count-rows.ts';
import { DefinerFilter } from './definers.ts';
import { countAll, untilServing } from './load.ts';
import { lookAtSource, type SeenSource } from './source.ts';

/** The source sends rows as it reads them: one that is silent for so long is gone. */
const silenceMs = 10 * 60_000;
/** News of the progress. */
const tellEveryRows = 10_000;

const dumpOptions = [
  ...['--single-transaction', '--quick', '--routines', '--events', '--triggers', '--hex-blob'],
  ...['--no-tablespaces', '--set-gtid-purged=OFF', '--skip-dump-date', '--skip-column-statistics'],
];

export const mysqlImport: VolumeUrlImport = { contents: countAll, fill };

async function fill(
  fresh: FreshPlace,
  from: ImportSource,
  live: DataPlace,
): Promise<{ loaded: Contents; source: Contents }> {
  if (!fresh.env.MYSQL_DATABASE)
    throw new ImportRefusal('MYSQL_DATABASE names no database that could be filled: set it, and deploy.');
  const [[own = ''] = []] = await query(live, 'SELECT VERSION()');
  const seen = await lookAtSource(from, own, fresh.signal);
  await untilServing(fresh);
  const source = await copy(fresh, live, seen);
  await keepAccounts(fresh, live);
  return { loaded: await countAll(fresh), source };
}

/** One program's output is the other's input. Of two failures the first is told: the other one is its shadow. */
async function copy(fresh: FreshPlace, live: DataPlace, seen: SeenSource): Promise<Contents> {
  const stop = new AbortController();
  const signal = AbortSignal.any([fresh.signal, stop.signal]);
  const dump = new PassThrough();
  dump.on('error', () => {}); // told by the programs
  const failures: unknown[] = [];
  const fail = (error: unknown) => {
    failures.push(error);
    stop.abort();
    dump.destroy();
  };
  const counter = new RowCounter();
  const sql = Readable.from(sqlOf(dump, counter, fresh, seen.rowsExpected, fail), { objectMode: false });
  sql.on('error', () => {}); // told already
  const end = (tool: string, running: ReturnType<DataPlace['tools']['run']>) =>
    running.then(({ code, stderr }) => {
      if (code !== 0) fail(new EngineError('unavailable', `${tool} ended with exit code ${code}: ${stderr}`));
    }, fail);
  const command = ['mysqldump', '--no-defaults', ...seen.arguments, ...plainly, ...dumpOptions];
  const env = seen.environment;
  await Promise.all([
    end('mysqldump', live.tools.run([...command, '--', seen.database], { env, stdout: dump, signal })),
    end('mysql', fresh.tools.run(loadCommand(fresh), { env: userEnvironment(fresh), stdin: sql, signal })),
  ]);
  fresh.signal.throwIfAborted();
  const told = failures.find((failure) => failure instanceof EngineError) ?? failures[0];
  if (told !== undefined) throw told;
  return counter.contents;
}

async function* sqlOf(
  dump: Readable,
  counter: RowCounter,
  { progress }: Pick<DataPlace, 'progress'>,
  rowsExpected: number,
  fail: (error: unknown) => void,
): AsyncGenerator<Buffer> {
  const filter = new DefinerFilter();
  let toldAt = 0;
  try {
    for await (const chunk of unlessSilent(dump)) {
      counter.take(chunk);
      yield filter.take(chunk);
      const { rows } = counter.contents;
      if (rows - toldAt < tellEveryRows) continue;
      toldAt = rows;
      progress({ done: rows, total: Math.max(rows, rowsExpected), unit: 'rows' });
    }
    yield filter.rest();
  } catch (error) {
    fail(error);
    throw error;
  }
}

/** What the reader needs for itself is no silence. @throws EngineError */
async function* unlessSilent(source: Readable): AsyncGenerator<Buffer> {
  const chunks = source[Symbol.asyncIterator]() as AsyncIterator<Buffer>;
  for (;;) {
    const late = setTimeout(() => {
      const minutes = silenceMs / 60_000;
      source.destroy(new EngineError('unavailable', `The source sent nothing for ${minutes} minutes.`));
    }, silenceMs);
    const { done, value } = await chunks.next().finally(() => clearTimeout(late));
    if (done) return;
    yield value;
  }
}

/** `--binary-mode`: nothing in the text is a command of the program itself, which could run others. */
export const loadCommand = ({ env }: Pick<DataPlace, 'env'>) => [
  ...['mysql', `--user=${env.MYSQL_USER || 'root'}`, ...plainly, '--binary-mode', '--comments'],
  ...['--', env.MYSQL_DATABASE ?? ''],
];

export const userEnvironment = ({ env }: Pick<DataPlace, 'env'>): Record<string, string> =>
  env.MYSQL_USER ? { MYSQL_PWD: env.MYSQL_PASSWORD ?? '' } : rootEnvironment({ env });

/** Those of this server stay, with what they may do; a grant on a table that is not there any more goes. */
export async function keepAccounts(fresh: FreshPlace, live: DataPlace): Promise<void> {
  const { signal } = fresh;
  const statements = await accountStatements(live);
  if (statements === '') return;
  const stdin = Readable.from([Buffer.from(statements)]);
  await fresh.tools.run(['mysql', ...asRoot, '--force'], { env: rootEnvironment(fresh), stdin, signal });
}
