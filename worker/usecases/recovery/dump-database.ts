/** The nightly dump of the control plane's database into its bucket. Sealed values stay sealed. */

import { ApiError } from '../../domain/errors.ts';
import { settingsOf } from '../../domain/instance/settings.ts';
import { removedMax } from '../../gateways/blobs/blobs.ts';
import {
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
import { bytesOf, dumpPrefix, gzip, linesOf, type Manifest, manifestKey, partKey } from './dump-format.ts';

type Needs = Pick<Dependencies, 'db' | 'blobs' | 'now'>;

const dayMs = 86_400_000;
/** A smaller database is read in one transaction; an isolate has 128 MB. */
const oneMomentBytes = 8_000_000;
/** Of text, before it is compressed. */
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

/** @returns the new dump; undefined if one was started in the same millisecond */
async function beginDump({ db, now }: Needs): Promise<DumpRow | undefined> {
  const startedAt = now();
  const id = new Date(startedAt).toISOString().replaceAll(/[-:.]/g, '');
  if (!(await insertDump(db, id, startedAt))) return undefined;
  const counters = { position: 0, afterRow: 0, parts: 0, rows: 0, bytes: 0 };
  return { id, state: 'running', startedAt, finishedAt: null, ...counters };
}

/** @returns whether it is complete */
async function continueDump(deps: Needs, begun: DumpRow): Promise<boolean> {
  const { schema, sizeBytes } = await readSchema(deps.db);
  const tables = tablesInOrder(schema);
  if (begun.parts === 0 && sizeBytes <= oneMomentBytes) {
    const all = await readEverything(deps.db, tables);
    const text = all.map((rows, index) => linesOf(tables[index] ?? '', rows)).join('');
    // Its row changes only at the end: after a failure before it, the next run reads everything at one moment again.
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
 * The tables as a long dump reads them. Rows of a deletion move from the other tables into these two and back: read before and after the
 * others, they are never missing from both.
 */
function tablesInOrder(schema: readonly SchemaEntry[]): [string, ...string[]] {
  const tables = schema.filter(({ type }) => type === 'table').map(({ name }) => name);
  const moving = ['deletions', 'deleted_rows'];
  return ['deletions', 'deleted_rows', ...tables.filter((name) => !moving.includes(name)), ...moving];
}

/** Reads pages until a part is full, writes it, and notes how far the dump is. A repeat after a failure writes the same part again. */
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
    // The next page has about a quarter of a part.
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
 * Removes dumps beyond those that are kept, and failed ones, a few in a run. With `keepDumps` 0 the last ones stay: who switches dumps off
 * has not asked to lose them.
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
