/**
 * Import of MySQL: `mysqldump` in the live container, which can reach the source, is piped into `mysql` in the fresh container. The
 * source's SQL is run as the service's own user, who may only use the service's database, because the source is not trusted.
 */
import { PassThrough, Readable } from 'node:stream';
import type { Contents, DataPlace, FreshPlace } from '../../archive/archive.ts';
import { ImportRefusal } from '../../archive/import-refusal.ts';
import type { ImportSource, VolumeUrlImport } from '../../archive/url-import.ts';
import { EngineError } from '../../engine-error.ts';
import { readAccounts } from './accounts.ts';
import { asRoot, plainly, query, rootEnvironment } from './client.ts';
import { DefinerFilter } from './definers.ts';
import { DumpLines, joined, type LinePiece } from './dump-lines.ts';
import { countAll, untilServing } from './load.ts';
import { inspectSource, type SeenSource } from './source.ts';

/** The source sends rows as it reads them. A source that sends nothing for this long is treated as lost. */
const silenceMs = 10 * 60_000;
/** The interval of progress reports. */
const progressEveryRows = 10_000;

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
    throw new ImportRefusal('MYSQL_DATABASE names no database to import into: set it, and deploy.');
  const [[own = ''] = []] = await query(live, 'SELECT VERSION()');
  const seen = await inspectSource(from, own, fresh.signal);
  await untilServing(fresh);
  const source = await copy(fresh, live, seen);
  await keepAccounts(fresh, live);
  return { loaded: await countAll(fresh), source };
}

/** Pipes the output of one program into the other. When both fail, the first failure is reported, since it caused the second. */
async function copy(fresh: FreshPlace, live: DataPlace, seen: SeenSource): Promise<Contents> {
  const stop = new AbortController();
  const signal = AbortSignal.any([fresh.signal, stop.signal]);
  const dump = new PassThrough();
  dump.on('error', () => {}); // the programs report the error
  const failures: unknown[] = [];
  const fail = (error: unknown) => {
    failures.push(error);
    stop.abort();
    dump.destroy();
  };
  const lines = new DumpLines();
  const sql = Readable.from(sqlOf(dump, lines, fresh, seen.rowsExpected, fail), { objectMode: false });
  sql.on('error', () => {}); // already reported
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
  const reportedFailure = failures.find((failure) => failure instanceof EngineError) ?? failures[0];
  if (reportedFailure !== undefined) throw reportedFailure;
  return lines.contents;
}

async function* sqlOf(
  dump: Readable,
  lines: DumpLines,
  { progress }: Pick<DataPlace, 'progress'>,
  rowsExpected: number,
  fail: (error: unknown) => void,
): AsyncGenerator<Buffer> {
  const filter = new DefinerFilter();
  const filtered = (pieces: Iterable<LinePiece>) => joined(Array.from(pieces, (piece) => filter.take(piece)));
  let reportedAt = 0;
  try {
    for await (const chunk of unlessSilent(dump)) {
      yield filtered(lines.pieces(chunk));
      const { rows } = lines.contents;
      if (rows - reportedAt < progressEveryRows) continue;
      reportedAt = rows;
      progress({ done: rows, total: Math.max(rows, rowsExpected), unit: 'rows' });
    }
    yield filtered(lines.end());
  } catch (error) {
    fail(error);
    throw error;
  }
}

/** Fails if the source sends nothing for too long. Time that the reader needs does not count. @throws EngineError */
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

/** `--binary-mode`: the client must not run commands in the dump's text, because they could start other programs. */
export const loadCommand = ({ env }: Pick<DataPlace, 'env'>) => [
  ...['mysql', `--user=${env.MYSQL_USER || 'root'}`, ...plainly, '--binary-mode', '--comments'],
  ...['--', env.MYSQL_DATABASE ?? ''],
];

/** The password of the service's own user, or of root if it has none, for the tools. */
export const userEnvironment = ({ env }: Pick<DataPlace, 'env'>): Record<string, string> =>
  env.MYSQL_USER ? { MYSQL_PWD: env.MYSQL_PASSWORD ?? '' } : rootEnvironment({ env });

/** Keeps the accounts of this server with their privileges. A grant on a table that no longer exists is dropped. */
export async function keepAccounts(fresh: FreshPlace, live: DataPlace): Promise<void> {
  const { signal } = fresh;
  const { create, grants } = await readAccounts(live);
  const stdin = Readable.from([Buffer.from([...create, ...grants].join(''))]);
  await fresh.tools.run(['mysql', ...asRoot(), '--force'], { env: rootEnvironment(fresh), stdin, signal });
}
