/** Backups and imports of PostgreSQL and TimescaleDB. */
import pg from 'pg';
import type { InPlaceData } from '../database-engine.ts';
import { dump } from './archive/dump.ts';
import { importWith } from './archive/import.ts';
import { fileImportWith } from './archive/import-file.ts';
import type { RestoreHooks } from './archive/plan.ts';
import { discardLoaded, recover, removeOld } from './archive/recover.ts';
import { check, loadServer } from './archive/restore.ts';

/** https://docs.timescale.com/api/latest/administration/#timescaledb_pre_restore */
const timescaleHooks: RestoreHooks = {
  extension: 'timescaledb',
  async beforeLoad(client: pg.Client) {
    await client.query('CREATE EXTENSION IF NOT EXISTS timescaledb SCHEMA public');
    await client.query(`SELECT ${await schemaOf(client)}.timescaledb_pre_restore()`);
  },
  async afterLoad(client: pg.Client) {
    await client.query(`SELECT ${await schemaOf(client)}.timescaledb_post_restore()`);
  },
  /** TimescaleDB's background workers keep a session open in each database. */
  async beforeSwap(client: pg.Client) {
    // A user who dropped everything has also dropped the extension.
    const { rows } = await client.query("SELECT 1 FROM pg_extension WHERE extname = 'timescaledb'");
    if (rows.length > 0) await client.query('SELECT _timescaledb_functions.stop_background_workers()');
  },
};

async function schemaOf(client: pg.Client): Promise<string> {
  const { rows } = await client.query<{ schema: string }>(
    "SELECT nspname AS schema FROM pg_extension JOIN pg_namespace n ON n.oid = extnamespace WHERE extname = 'timescaledb'",
  );
  return pg.escapeIdentifier(rows[0]?.schema ?? 'public');
}

export const postgresData = dataWith({});
export const timescaleData = dataWith(timescaleHooks);

function dataWith(hooks: RestoreHooks): InPlaceData {
  return {
    archive: {
      dump: (place, sink) => dump(place, sink),
      check,
      load: (place, file, names) => loadServer(place, file, names, { hooks }),
      recover,
      discard: discardLoaded,
      removeOld,
    },
    urlImport: importWith(hooks),
    fileImport: fileImportWith(hooks),
  };
}
