/** Import of ClickHouse: the bytes of each table's rows go unchanged from the source's response into a database beside the live ones. */
import type { Contents } from '../../archive/archive.ts';
import type { InPlaceUrlImport } from '../../archive/url-import.ts';
import { escapedName } from '../bound-value.ts';
import { adopted } from './adopt.ts';
import { clickhouseFileImport } from './import-file.ts';
import { loadFrom } from './load.ts';
import { readManifest, tablesOf } from './manifest.ts';
import { qualified } from './server.ts';
import { type OpenSource, openSource } from './source.ts';

export const clickhouseImport: InPlaceUrlImport = {
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

/** From the metadata of the tables, without reading rows. */
async function rowsExpected(source: OpenSource): Promise<number> {
  const counts = await source.ask('SELECT database, total_rows FROM system.tables WHERE total_rows > 0');
  const own = counts.filter(([database]) => database === source.database);
  return own.reduce((sum, [, rows]) => sum + Number(rows), 0);
}
