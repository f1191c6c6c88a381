/** Runs `mysqldump` on all databases in one transaction, adds the accounts, and compresses with gzip. */
import { PassThrough, type Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip, createGzip } from 'node:zlib';
import type { ArchiveFile, Contents, DataPlace } from '../../archive/archive.ts';
import { EngineError } from '../../engine-error.ts';
import { accountStatements } from './accounts.ts';
import { asRoot, fromHex, query, rootEnvironment, systemSchemas } from './client.ts';
import { RowCounter } from './count-rows.ts';

/** Written at the very end: a dump without it is incomplete. */
const lastLine = '-- Databases and accounts are whole';
const options = [
  '--single-transaction',
  '--quick',
  '--routines',
  '--events',
  '--triggers',
  '--hex-blob',
  '--no-tablespaces',
  '--set-gtid-purged=OFF',
  '--skip-dump-date',
];
/** How often progress is reported. */
const progressEveryBytes = 4 * 1024 * 1024;

export async function dump(place: DataPlace, sink: Writable): Promise<Contents> {
  const found = await query(
    place,
    `SELECT HEX(schema_name) FROM information_schema.schemata WHERE schema_name NOT IN ${systemSchemas}`,
  );
  const databases = found.map(([name = '']) => fromHex(name));
  const counter = new RowCounter();
  await pipeline(() => parts(place, databases, counter), createGzip({ level: 1 }), sink, {
    signal: place.signal,
  });
  return counter.contents;
}

async function* parts(place: DataPlace, databases: string[], counter: RowCounter): AsyncGenerator<Buffer> {
  if (databases.length > 0) yield* dumped(place, databases, counter);
  yield Buffer.from(`${await accountStatements(place)}\n${lastLine}\n`);
}

async function* dumped(place: DataPlace, databases: string[], counter: RowCounter): AsyncGenerator<Buffer> {
  const { tools, signal, progress } = place;
  const stdout = new PassThrough();
  stdout.on('error', () => {}); // the run reports the error
  const command = ['mysqldump', ...asRoot, ...options, '--databases', '--', ...databases];
  const running = tools.run(command, { env: rootEnvironment(place), stdout, signal });
  running.catch((error: Error) => stdout.destroy(error));
  let done = 0;
  let reportedAt = 0;
  try {
    for await (const chunk of stdout as AsyncIterable<Buffer>) {
      counter.take(chunk);
      yield chunk;
      done += chunk.length;
      if (done - reportedAt < progressEveryBytes) continue;
      reportedAt = done;
      progress({ done, total: null, unit: 'bytes' });
    }
  } finally {
    stdout.destroy();
  }
  const { code, stderr } = await running;
  if (code !== 0) throw new EngineError('unavailable', `mysqldump ended with exit code ${code}: ${stderr}`);
}

/** gzip's checksum proves every byte, and the last line proves that nothing is missing. */
export async function check({ signal }: DataPlace, file: ArchiveFile): Promise<void> {
  let tail = '';
  try {
    await pipeline(
      file.open(),
      createGunzip(),
      async (chunks: AsyncIterable<Buffer>) => {
        for await (const chunk of chunks) {
          tail = (tail + chunk.subarray(-lastLine.length - 1).toString('latin1')).slice(-lastLine.length - 1);
        }
      },
      { signal },
    );
  } catch (error) {
    signal.throwIfAborted();
    throw new EngineError(
      'unavailable',
      `The dump is damaged: ${error instanceof Error ? error.message : error}.`,
    );
  }
  if (tail !== `${lastLine}\n`)
    throw new EngineError('unavailable', 'The dump is not whole: its last line is missing.');
}
