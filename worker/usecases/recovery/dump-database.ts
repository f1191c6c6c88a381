/** The nightly dump of the control plane's database into its bucket. Sealed values are not decrypted. */

import { ApiError } from '../../domain/errors.ts';
import { settingsOf } from '../../domain/instance/settings.ts';
import { removedMax } from '../../gateways/blobs/blobs.ts';
import {
  type DumpedRow,
  type DumpRow,
  deleteDump,
  insertDump,
  readDumps,
  readEverything,
  readPage,
  readSchema,
  rowNumber,
  type SchemaEntry,
  updateDump,
} from '../../store/instance/dump-store.ts';
import type { Dependencies } from '../dependencies.ts';
import { repeatPass } from '../repeat-pass.ts';

type Needs = Pick<Dependencies, 'db' | 'blobs' | 'now'>;

const dayMs = 86_400_000;
/** A database below this size is read in one transaction; an isolate has 128 MB. */
const oneMomentBytes = 8_000_000;
/** Bytes of text before compression. */
const partBytes = 2_000_000;
const [rowsMin, rowsMax] = [50, 2_000];
const pagesPerPart = 12;
/** At most 500 of the 1,000 calls that a run may make. */
const partsPerRun = 30;
const removedPerRun = 5;

/** Starts a dump a day after the last one started, and continues it each minute until it is complete. */
export async function dumpNightly(deps: Needs): Promise<void> {
  const { rows, settings } = await readDumps(deps.db);
  const { keepDumps } = settingsOf(settings);
  const [last] = rows;
  const running = last?.state === 'running' ? last : undefined;
  const isDue = deps.now() - (last?.startedAt ?? 0) >= dayMs;
  if (running && isDue)
    await updateDump(deps.db, { id: running.id, state: 'failed', finishedAt: deps.now() });
  const begun = running && !isDue ? running : keepDumps > 0 && isDue ? await beginDump(deps) : undefined;
  if (begun && (await continueDump(deps, begun))) await removeOld(deps, keepDumps);
}

/** Starts a dump unless one is running; the scheduled work completes it. @returns the running one */
export async function startDumpNow(deps: Needs): Promise<DumpRow> {
  const [last] = (await readDumps(deps.db)).rows;
  const running = last?.state === 'running' ? last : await beginDump(deps);
  if (running) return running;
  throw new ApiError('conflict', 'A dump was started at this moment: GET /api/system/dumps lists it.');
}

/** @returns the new dump; undefined if another one was started in the same millisecond */
async function beginDump({ db, now }: Needs): Promise<DumpRow | undefined> {
  const startedAt = now();
  const id = new Date(startedAt).toISOString().replaceAll(/[-:.]/g, '');
  if (!(await insertDump(db, id, startedAt))) return undefined;
  const counters = { position: 0, afterRow: 0, parts: 0, rows: 0, bytes: 0 };
  return { id, state: 'running', startedAt, finishedAt: null, ...counters };
}

/** @returns whether the dump is complete */
async function continueDump(deps: Needs, begun: DumpRow): Promise<boolean> {
  const { schema, sizeBytes } = await readSchema(deps.db);
  const tables = tablesInOrder(schema);
  if (begun.parts === 0 && sizeBytes <= oneMomentBytes) {
    const all = await readEverything(deps.db, tables);
    const text = all.map((rows, index) => linesOf(tables[index] ?? '', rows)).join('');
    // The row changes only at the end: after an earlier failure, the next run reads everything in one transaction again.
    const whole = await putPart(deps, begun, text, all.flat().length);
    await finish(deps, { ...whole, position: tables.length }, schema, true);
    return true;
  }
  let dump = begun;
  await repeatPass(deps, partsPerRun, async () => {
    dump = await dumpPart(deps, dump, tables);
    return dump.position < tables.length;
  });
  if (dump.position < tables.length) return false;
  await finish(deps, dump, schema, false);
  return true;
}

/**
 * The order in which a long dump reads the tables. Rows of a deletion move from the other tables into these two and back. These two are
 * read before and after the others, so such rows are always in the dump.
 */
function tablesInOrder(schema: readonly SchemaEntry[]): [string, ...string[]] {
  const tables = schema.filter(({ type }) => type === 'table').map(({ name }) => name);
  const moving = ['deletions', 'deleted_rows'];
  return ['deletions', 'deleted_rows', ...tables.filter((name) => !moving.includes(name)), ...moving];
}

/** Reads pages until a part is full, writes it, and stores the progress of the dump. A repeat after a failure writes the same part again. */
async function dumpPart(deps: Needs, dump: DumpRow, tables: readonly string[]): Promise<DumpRow> {
  let { position, afterRow } = dump;
  let [text, rows, limit] = ['', 0, rowsMin * 10];
  for (let pages = 0; pages < pagesPerPart && text.length < partBytes && position < tables.length; pages++) {
    const table = tables[position] ?? '';
    const page = await readPage(deps.db, table, afterRow, limit);
    const lines = linesOf(table, page);
    text += lines;
    rows += page.length;
    if (page.length < limit) [position, afterRow] = [position + 1, 0];
    else afterRow = Number(page.at(-1)?.[rowNumber]);
    // The next page should have about a quarter of a part.
    const rowBytes = lines.length / Math.max(1, page.length);
    limit = Math.min(rowsMax, Math.max(rowsMin, Math.floor(partBytes / 4 / Math.max(1, rowBytes))));
  }
  return writePart(deps, { ...dump, position, afterRow }, text, rows);
}

async function writePart(deps: Needs, dump: DumpRow, text: string, rows: number): Promise<DumpRow> {
  const written = await putPart(deps, dump, text, rows);
  await updateDump(deps.db, written);
  return written;
}

async function putPart({ blobs }: Needs, dump: DumpRow, text: string, rows: number): Promise<DumpRow> {
  const bytes = await gzip(text);
  const written = {
    ...dump,
    parts: dump.parts + 1,
    rows: dump.rows + rows,
    bytes: dump.bytes + bytes.byteLength,
  };
  await blobs.put(partKey(dump.id, written.parts), bytes);
  return written;
}

async function finish(
  { db, blobs, now }: Needs,
  { id, parts, rows, startedAt, ...dump }: DumpRow,
  schema: SchemaEntry[],
  isOneMoment: boolean,
): Promise<void> {
  const finishedAt = now();
  const [from, to] = [new Date(startedAt).toISOString(), new Date(finishedAt).toISOString()];
  const manifest: Manifest = {
    version: 1,
    id,
    startedAt: from,
    finishedAt: to,
    isOneMoment,
    parts,
    rows,
    schema,
  };
  await blobs.put(manifestKey(id), bytesOf(JSON.stringify(manifest)));
  await updateDump(db, { ...dump, id, parts, rows, state: 'complete', finishedAt });
}

/**
 * Removes dumps above the number to keep, and failed ones, a few per run. With `keepDumps` 0 the last ones remain: switching dumps off
 * must not delete them.
 */
async function removeOld({ db, blobs }: Needs, keepDumps: number): Promise<void> {
  if (keepDumps === 0) return;
  const { rows } = await readDumps(db);
  const complete = rows.filter(({ state }) => state === 'complete');
  const old = [...complete.slice(keepDumps), ...rows.filter(({ state }) => state === 'failed')];
  for (const { id } of old.slice(0, removedPerRun)) {
    if ((await blobs.removeBelow(dumpPrefix(id))) < removedMax) await deleteDump(db, id);
  }
}

interface Manifest {
  version: 1;
  id: string;
  startedAt: string;
  finishedAt: string;
  /** Whether all rows were read in one transaction. */
  isOneMoment: boolean;
  parts: number;
  rows: number;
  schema: SchemaEntry[];
}

/**
 * A dump in the bucket: `dumps/<id>/00001.jsonl.gz` and so on, and, written last, `dumps/<id>/manifest.json`. A part is lines of JSON: an
 * object with the table and columns of the following arrays, one array per row. local/restore/ reads it.
 */
const dumpPrefix = (id: string) => `dumps/${id}/`;
const partKey = (id: string, part: number) => `${dumpPrefix(id)}${String(part).padStart(5, '0')}.jsonl.gz`;
const manifestKey = (id: string) => `${dumpPrefix(id)}manifest.json`;

/** Lines of JSON with these rows; empty without rows. */
function linesOf(table: string, rows: readonly DumpedRow[]): string {
  const [first] = rows;
  if (!first) return '';
  const columns = Object.keys(first).filter((name) => name !== rowNumber);
  const lines = rows.map((row) => JSON.stringify(columns.map((column) => row[column])));
  return `${[JSON.stringify({ table, columns }), ...lines].join('\n')}\n`;
}

async function gzip(text: string): Promise<Uint8Array<ArrayBuffer>> {
  const stream = new Blob([text]).stream().pipeThrough(new CompressionStream('gzip'));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

const bytesOf = (text: string): Uint8Array<ArrayBuffer> => new Uint8Array(new TextEncoder().encode(text));
