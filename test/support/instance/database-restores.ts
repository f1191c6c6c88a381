/** Recovery after losing all data, for each engine, through the real Worker and a real runner: the data is the same before and after. */
import { readdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import Docker from 'dockerode';
import { describe, expect, test } from 'vitest';
import { flipByte } from '../docker/flip-byte.ts';
import { databaseCalls } from './database-calls.ts';
import * as shapes from './interface-shapes.ts';
import type { Json } from './longshore.ts';
import type { RestoreCase } from './restore-cases.ts';
import { useInstance } from './use-instance.ts';

const docker = new Docker();
const pageRows = 500;

/** Called in a test file; starts its own instance. */
export function databaseRestores(cases: readonly RestoreCase[]): void {
  const longshore = useInstance();

  describe.each(cases.map((one) => [one.engine, one] as const))('%s', (engine, { fixture, destroy }) => {
    let service: Json;
    let env: Record<string, string>;
    let backup: Json;
    /** Everything that the API returns about the database before the loss. */
    let before: Json;
    const address = () => ({ host: '127.0.0.1', port: service.hostPort });
    const { ask, call, backUp } = databaseCalls(longshore, () => service);

    /** Every table with its columns and all its rows. */
    async function everything(): Promise<Json> {
      const { tables } = shapes.tablesAnswer.parse(await ask('GET', '/tables'));
      const read: Record<string, Json> = {};
      for (const { id, rowCount, kind } of tables as Json[]) {
        // The previous live data is kept for a day.
        if (id.startsWith('longshore_before_')) continue;
        const rows: string[] = [];
        let columns: Json;
        do {
          const page = `/rows?table=${encodeURIComponent(id)}&limit=${pageRows}&offset=${rows.length}`;
          const answer = await ask('GET', page);
          columns = answer.columns;
          rows.push(...answer.rows.map((row: Json) => textOf(row)));
          if (answer.rows.length === 0) break;
        } while (rows.length < rowCount);
        // In ClickHouse, the name of an inner table contains the id of its view.
        read[id.replace(/(\.inner_id)\.[0-9a-f-]+$/, '$1')] = { kind, columns, rows: rows.sort() };
      }
      return read;
    }

    /** mysqldump writes a negative zero as `-0`, which is an integer, so it is restored as zero. */
    const textOf = (row: Json) =>
      engine === 'mysql' ? JSON.stringify(row).replaceAll(':"-0"', ':0') : JSON.stringify(row);

    const listed = async () => (await ask('GET', '/backups')).backups;
    const files = async () => (await readdir(dirname(backup.localPath))).sort();

    test('a database with every awkward type and name is backed up', async () => {
      const variables = Object.entries(fixture.env).map(([key, value]) => ({ key, value }));
      service = await longshore.newDatabase(engine, { env: variables });
      const { Config } = await docker.getContainer(`longshore-${service.id}-stable`).inspect();
      env = Object.fromEntries(Config.Env.map((one) => one.split(/=(.*)/s)));
      await fixture.fill(address(), env);
      before = await everything();
      backup = shapes.backup.parse(await backUp());
      expect(backup).toMatchObject({ status: 'succeeded', error: null, engine });
    });

    test('a restore from a file with one flipped byte is refused, and nothing is touched', async () => {
      await flipByte(backup.localPath, backup.sizeBytes);
      const [list, there] = [await listed(), await files()];
      const { status, body } = await call('POST', `/backups/${backup.id}/restore`);
      expect([status, body.code, body.error]).toEqual([
        expect.any(Number),
        'restore_failed',
        'The file of this backup is damaged: its checksum is not the one from when it was written. Nothing was changed.',
      ]);
      expect(await everything()).toEqual(before);
      const kept = (await listed()).filter(({ status }: Json) => status === 'succeeded');
      expect([kept.length, await files()]).toEqual([list.length, there]);
      await flipByte(backup.localPath, backup.sizeBytes);
    });

    test('a restore brings back everything that was lost', async () => {
      await destroy(address(), env);
      // An open session may be closed by this.
      expect(await everything().catch(() => null)).not.toEqual(before);
      await ask('POST', `/backups/${backup.id}/restore`);
      expect(await everything()).toEqual(before);
      const safety = (await listed()).find(
        ({ trigger, status }: Json) => trigger === 'pre-restore' && status === 'succeeded',
      );
      expect(safety).toMatchObject({ status: 'succeeded', error: null });
    });

    test('restored data outlives the next deployment', async () => {
      await longshore.deploy(service.id);
      expect(lasting(await everything())).toEqual(lasting(before));
    });
  });
}

/** ClickHouse keeps this table only in memory: it is empty after every start. */
const lasting = ({ 'app.keyless': _, ...others }: Json): Json => others;
