/**
 * Writes all databases as one tar: `manifest.json`, the unchanged rows of each table (`data/<table>/<part>.native.zst`; joined, the parts
 * are one zstd stream), and `counts.json`. Parts are small, so a whole table is never held in memory.
 */
import type { Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { type Pack, pack } from 'tar-stream';
import { addEntry } from '../../../base/tar-entry.ts';
import type { Contents, DataPlace, DumpedContents } from '../../archive/archive.ts';
import { partName } from '../../archive/tar-file.ts';
import { escapedName } from '../bound-value.ts';
import { refuseHiddenRows, refuseRowPolicies } from './hidden-rows.ts';
import {
  countsName,
  type Manifest,
  manifestName,
  nowhere,
  readManifest,
  type SavedTable,
  tablesOf,
} from './manifest.ts';
import { notKept } from './not-kept.ts';
import { makingSettings, qualified, type Server, withServer } from './server.ts';

const partBytes = 4 * 1024 * 1024;

/** Each table is consistent, because one query reads it. ClickHouse has no snapshot of all tables. */
export async function dump(place: DataPlace, sink: Writable): Promise<DumpedContents> {
  return withServer(place, async (server) => {
    const manifest = await readManifest(server);
    await refuseRowPolicies(server, tablesOf(manifest.objects));
    const tar = pack();
    const flushed = pipeline(tar, sink, { signal: place.signal });
    try {
      const [contents] = await Promise.all([
        writeAll(server, manifest, new TarWriter(tar, place, await bytesOnDisk(server))),
        flushed,
      ]);
      return { ...contents, notKept: await notKept(server, manifest) };
    } catch (error) {
      tar.destroy();
      await flushed.catch(() => {});
      throw error;
    }
  });
}

async function writeAll(server: Server, manifest: Manifest, tar: TarWriter): Promise<Contents> {
  await tar.add(manifestName, json(manifest));
  const rows: number[] = [];
  const settings = await makingSettings(server);
  for (const [place, table] of tablesOf(manifest.objects).entries()) {
    await refuseHiddenRows(server, table);
    rows.push(await writeTable(server, { table, place, settings }, tar));
  }
  await tar.add(countsName, json({ rows }));
  tar.end();
  return { tables: rows.length, rows: rows.reduce((sum, count) => sum + count, 0) };
}

/** The server reads its own rows back. That counts the rows and verifies that they are complete: an error midway is part of the stream. */
async function writeTable(
  server: Server,
  { table, place, settings }: { table: SavedTable; place: number; settings: Record<string, string> },
  tar: TarWriter,
): Promise<number> {
  const { database, name, columns } = table;
  const list = columns.map((column) => escapedName(column.name)).join(', ');
  const source = await server.read(`SELECT ${list} FROM ${qualified(database, name)} FORMAT Native`);
  return server.write(`INSERT INTO ${nowhere(columns)} FORMAT Native`, written(source, place, tar), settings);
}

async function* written(
  source: AsyncIterable<Buffer>,
  place: number,
  tar: TarWriter,
): AsyncGenerator<Buffer> {
  let part = 0;
  for await (const bytes of inParts(source)) {
    await tar.add(partName(rowsFolder(place), part, rowsSuffix), bytes);
    part += 1;
    yield bytes;
  }
}

export const rowsFolder = (place: number) => `data/${place}`;
export const rowsSuffix = '.native.zst';

async function* inParts(source: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of source) {
    chunks.push(chunk);
    bytes += chunk.length;
    if (bytes < partBytes) continue;
    yield Buffer.concat(chunks);
    chunks = [];
    bytes = 0;
  }
  if (bytes > 0) yield Buffer.concat(chunks);
}

class TarWriter {
  readonly #tar: Pack;
  readonly #progress: DataPlace['progress'];
  readonly #bytesExpected: number;
  #bytes = 0;

  constructor(tar: Pack, { progress }: Pick<DataPlace, 'progress'>, bytesExpected: number) {
    this.#tar = tar;
    this.#progress = progress;
    this.#bytesExpected = bytesExpected;
  }

  /** Waits while the disk is slow. */
  async add(name: string, bytes: Buffer): Promise<void> {
    await addEntry(this.#tar, { name, mode: 0o600 }, bytes);
    this.#bytes += bytes.length;
    const total = Math.max(this.#bytes, this.#bytesExpected);
    this.#progress({ done: this.#bytes, total, unit: 'bytes' });
  }

  end(): void {
    this.#tar.finalize();
  }
}

/** Only an estimate: the backup uses another compression. */
async function bytesOnDisk(server: Server): Promise<number> {
  const [[bytes] = []] = await server.ask(
    "SELECT sum(total_bytes) FROM system.tables WHERE database != 'system'",
  );
  return Number(bytes ?? 0);
}

const json = (value: unknown) => Buffer.from(JSON.stringify(value, null, 1));
