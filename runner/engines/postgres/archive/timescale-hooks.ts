import type pg from 'pg';
import type { RestoreHooks } from './restore.ts';

/** https://docs.timescale.com/api/latest/administration/#timescaledb_pre_restore */
export const timescaleHooks: RestoreHooks = {
  async beforeLoad(client: pg.Client) {
    await client.query('CREATE EXTENSION IF NOT EXISTS timescaledb');
    await client.query('SELECT timescaledb_pre_restore()');
  },
  async afterLoad(client: pg.Client) {
    await client.query('SELECT timescaledb_post_restore()');
  },
  /** Its background workers keep a session open in each database. */
  async beforeSwap(client: pg.Client) {
    // A user who dropped everything has also dropped the extension.
    const { rows } = await client.query("SELECT 1 FROM pg_extension WHERE extname = 'timescaledb'");
    if (rows.length > 0) await client.query('SELECT _timescaledb_functions.stop_background_workers()');
  },
};
