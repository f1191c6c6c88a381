/** Runs `mysqldump` on all databases in one transaction, adds the missing parts, and compresses with gzip. */
import { PassThrough, type Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip, createGzip } from 'node:zlib';
import type { ArchiveFile, DataPlace, DumpedContents } from '../../archive/archive.ts';
import { EngineError } from '../../engine-error.ts';
import { fullOfWords } from '../errors.ts';
import {
  asRoot,
  byOwnWay,
  query,
  queryEach,
  quotedName,
  rootEnvironment,
  systemSchemas,
  type ToolPlace,
} from './client.ts';
import { DumpLines, joined } from './dump-lines.ts';
import { EmptyRows } from './empty-rows.ts';
import { ExactFloats } from './exact-floats.ts';
import { ServerLines } from './server-lines.ts';

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
  // Recreates histograms. Older tools don't know this option.
  '--loose-column-statistics',
];
/** The interval of progress reports. */
const progressEveryBytes = 4 * 1024 * 1024;

export async function dump(given: DataPlace, sink: Writable): Promise<DumpedContents> {
  const place = await byOwnWay(given);
  const [databases, server] = await Promise.all([databasesOf(place), ServerLines.read(place)]);
  const floats = await ExactFloats.open(place);
  const lines = new DumpLines();
  async function* parts(): AsyncGenerator<Buffer> {
    if (databases.length > 0) yield* dumped(place, databases, { lines, server, floats });
    else yield Buffer.from(await server.all());
    yield Buffer.from(`\n${lastLine}\n`);
  }
  try {
    await pipeline(parts, createGzip({ level: 1 }), sink, { signal: place.signal });
  } finally {
    await floats.close();
  }
  return {
    ...lines.contents,
    notKept: [...server.notKept, ...floats.notKept, ...(await changedDocuments(place))],
  };
}

/** Both in one run of the program, because each run in the container takes a fraction of a second. */
const databasesAndEvents = `
  SELECT 'database', schema_name FROM information_schema.schemata WHERE schema_name NOT IN ${systemSchemas};
  SELECT 'event', CONCAT(event_schema, '.', event_name) FROM information_schema.events
    WHERE event_definition LIKE '%;;%' ORDER BY 2;`;

/**
 * The databases to dump. If the body of an event contains two semicolons, `mysqldump` searches for another delimiter forever.
 * @throws EngineError, also when there is such an event
 */
async function databasesOf(place: DataPlace): Promise<string[]> {
  const found = await query(place, databasesAndEvents);
  const named = (kind: string) => found.flatMap(([of, name = '']) => (of === kind ? [name] : []));
  const events = named('event');
  if (events.length === 0) return named('database');
  throw new EngineError(
    'unavailable',
    `mysqldump never ends on an event with ";;" in its text: ${events.join(', ')}. Change the text with ALTER EVENT, then back up again.`,
  );
}

async function* dumped(
  place: DataPlace & ToolPlace,
  databases: string[],
  { lines, server, floats }: { lines: DumpLines; server: ServerLines; floats: ExactFloats },
): AsyncGenerator<Buffer> {
  const { tools, signal, progress } = place;
  const stdout = new PassThrough();
  stdout.on('error', () => {}); // the run reports the error
  const ignored = server.brokenViews.map(({ schema, name }) => `--ignore-table=${schema}.${name}`);
  const command = ['mysqldump', ...asRoot(place), ...options, ...ignored, '--databases', '--', ...databases];
  const running = tools.run(command, { env: rootEnvironment(place), stdout, signal });
  running.catch((error: Error) => stdout.destroy(error));
  const empty = new EmptyRows();
  let done = 0;
  let reportedAt = 0;
  try {
    for await (const chunk of stdout as AsyncIterable<Buffer>) {
      floats.dumpHasBegun();
      const passed: Buffer[] = [];
      for (const piece of lines.pieces(chunk)) {
        const added = server.isDueBefore(piece) ? await server.linesBefore(piece) : '';
        if (added !== '') passed.push(Buffer.from(added));
        if (empty.isPart(piece)) {
          const { bytes, rows } = empty.mended(piece);
          lines.contents.rows += Math.max(0, rows - 1); // the empty list of columns was counted as a row
          passed.push(bytes);
        } else passed.push(floats.isPlain(piece) ? piece.bytes : await floats.exact(piece));
      }
      yield joined(passed);
      done += chunk.length;
      if (done - reportedAt < progressEveryBytes) continue;
      reportedAt = done;
      progress({ done, total: null, unit: 'bytes' });
    }
  } finally {
    stdout.destroy();
  }
  const { code, stderr } = await running;
  const noRoom = code === 0 ? undefined : fullOfWords(stderr);
  if (noRoom) throw noRoom;
  if (code !== 0) throw new EngineError('unavailable', `mysqldump ended with exit code ${code}: ${stderr}`);
  yield joined(Array.from(lines.end(), ({ bytes }) => bytes));
}

/** gzip's checksum verifies every byte, and the last line verifies that nothing is missing. */
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
    throw new EngineError('unavailable', 'The dump is incomplete: its last line is missing.');
}

/** The time limit for reading one column. */
const columnLimitMs = 60_000;

const jsonColumns = `SELECT c.table_schema, c.table_name, c.column_name FROM information_schema.columns c
  JOIN information_schema.tables t ON t.table_schema = c.table_schema AND t.table_name = c.table_name
  WHERE c.data_type = 'json' AND t.table_type = 'BASE TABLE' AND c.table_schema NOT IN ${systemSchemas}
  AND c.extra NOT REGEXP '(STORED|VIRTUAL) GENERATED' ORDER BY 1, 2, 3`;

/**
 * Finds JSON documents that a restore would change: `mysqldump` writes them as text, which has no dates, bytes or exact decimals.
 * Compares each document with the one parsed from its text: a date differs from a string, and 1.50 from 1.5.
 * @returns one sentence for each column with such documents, and for each that could not be read to its end @throws EngineError
 */
async function changedDocuments(place: ToolPlace): Promise<string[]> {
  const [columns] = await queryEach(place, [jsonColumns]);
  const found = columns?.rows ?? [];
  const answers = await queryEach(place, found.map(firstChanged));
  return found.flatMap(([schema = '', table = '', column = ''], at) => {
    const name = `${schema}.${table}.${column}`;
    if (answers[at]?.hasFailed)
      return [
        `It is not known whether documents in ${name} contain decimals, dates or bytes, which become doubles and strings: reading it took too long.`,
      ];
    if ((answers[at]?.rows ?? []).length === 0) return [];
    return [
      `Decimals, dates and bytes inside the documents of ${name} become doubles and strings, because mysqldump writes them so.`,
    ];
  });
}

function firstChanged([schema = '', table = '', column = '']: string[]): string {
  const document = quotedName(column);
  const text = `CAST(${document} AS CHAR CHARACTER SET utf8mb4)`;
  const again = `CAST(${text} AS JSON)`;
  return `SELECT /*+ MAX_EXECUTION_TIME(${columnLimitMs}) */ 1 FROM ${quotedName(schema)}.${quotedName(table)}
    WHERE ${document} <> ${again} OR CAST(${text} AS BINARY) <> CAST(CAST(${again} AS CHAR CHARACTER SET utf8mb4) AS BINARY) LIMIT 1`;
}
