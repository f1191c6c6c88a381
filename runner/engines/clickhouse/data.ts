/** Backups and imports of ClickHouse. */
import type { Contents } from '../archive/archive.ts';
import type { InPlaceUrlImport } from '../archive/url-import.ts';
import type { InPlaceData } from '../database-engine.ts';
import { adopted } from './archive/adopt.ts';
import { dump } from './archive/dump.ts';
import { clickhouseFileImport } from './archive/import-file.ts';
import { check, load, loadFrom } from './archive/load.ts';
import { readManifest, tablesOf } from './archive/manifest.ts';
import { qualified } from './archive/server.ts';
import { type OpenSource, openSource } from './archive/source.ts';
import { discard, recover, removeOld } from './archive/swap.ts';
import { escapedName } from './bound-value.ts';

/** Import of ClickHouse: the bytes of each table's rows are copied unchanged from the source's response into a database beside the live ones. */
const clickhouseImport: InPlaceUrlImport = {
  contents: clickhouseFileImport.contents,
  async load(place, from, names) {
    const source = await openSource(from, place.signal);
    const there = await readManifest(source, source.database);
    const manifest = adopted(there, source.database, place.env.CLICKHOUSE_DB || 'default');
    const tables = tablesOf(manifest.objects);
    const expected = await rowsExpected(source);
    const held: Contents = { tables: tables.length, rows: 0 };
    const loaded = await loadFrom(place, names, async (visitor) => {
      await visitor.manifest(manifest);
      for (const [at, table] of tables.entries()) {
        const columns = table.columns.map(({ name }) => escapedName(name)).join(', ');
        const read = `SELECT ${columns} FROM ${qualified(source.database, table.name)} FORMAT Native`;
        // The server here counts the rows as it reads them and checks that the stream is complete.
        held.rows += await visitor.table(table, at, await source.read(read));
        place.progress({ done: held.rows, total: Math.max(held.rows, expected), unit: 'rows' });
      }
    });
    return { ...loaded, source: held };
  },
};

/** The count in the metadata of the tables, without reading rows. */
async function rowsExpected(source: OpenSource): Promise<number> {
  const counts = await source.ask('SELECT database, total_rows FROM system.tables WHERE total_rows > 0');
  const own = counts.filter(([database]) => database === source.database);
  return own.reduce((sum, [, rows]) => sum + Number(rows), 0);
}

export const clickhouseData: InPlaceData = {
  archive: { dump, check, load, recover, discard, removeOld },
  urlImport: clickhouseImport,
  fileImport: clickhouseFileImport,
};
