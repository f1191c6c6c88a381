/** Tests every endpoint of browsing with one engine, through the real Worker and a real runner. Each engine has a case with its queries. */
import Docker from 'dockerode';
import { describe, expect, test } from 'vitest';
import type { EngineName } from '../../../protocol/database.ts';
import { databaseCalls } from './database-calls.ts';
import { killNine } from './instance-processes.ts';
import * as shapes from './interface-shapes.ts';
import type { Json } from './longshore.ts';
import { useInstance } from './use-instance.ts';

export interface BrowsingCase {
  engine: EngineName;
  /** Statements for /query, run one by one: they create a table with at least one row. */
  make: string[];
  /** As GET /tables lists it. */
  table: { name: string; schema: string };
  columns: { name: string; type: string; primary: boolean }[];
  insert: { values: Json; id: unknown };
  /** The new row as it is read, its key, and a change of it; undefined: the engine changes no rows (400). */
  inserted: Json;
  primaryKey: Json;
  update: { values: Json; updated: Json } | undefined;
  missing: Json;
  read: { sql: string; rows: Json[] };
  /** A statement with a mistake, and the engine's message about it. */
  wrong: { sql: string; says: RegExp };
  /** A row that is refused because of another one, and the expected message. */
  conflict: { values: Json; says: RegExp } | undefined;
  denied: string;
  /** A statement that ends when the other one was run; undefined: no single statement of the engine waits. */
  gate: { wait: string; open: string } | undefined;
  /** Creates a table `wide` with 500 rows of 7 KB, and then makes it larger than an answer may be. */
  wide: { make: string[]; widen: string } | undefined;
}

const docker = new Docker();

/** Called in a test file; starts its own instance. */
export function databaseBrowsing(cases: readonly BrowsingCase[]): void {
  const services: Json[] = [];
  const longshore = useInstance();

  describe.each(cases.map((one) => [one.engine, one] as const))('%s', (engine, one) => {
    let service: Json;
    let table: string;
    const { ask, call } = databaseCalls(longshore, () => service);
    async function refusal(method: string, path: string, body?: unknown): Promise<[number, string]> {
      const reply = await call(method, path, body);
      shapes.errorBody.parse(reply.body);
      return [reply.status, `${reply.body.code}: ${reply.body.error}`];
    }
    const rowsOf = (id: string) => ask('GET', `/rows?table=${encodeURIComponent(id)}`);

    test('a database that is not deployed is refused with the reason', async () => {
      const fields = { name: 'db', repoUrl: 'database', repoFullName: `database:${engine}`, env: [] };
      service = await longshore.newService(await longshore.newProject(engine), fields);
      services.push(service);
      expect(await refusal('GET', '/tables')).toEqual([409, expect.stringMatching(/not deployed yet/)]);
      await longshore.deploy(service.id);
    });

    test('a statement creates a table, which is listed and read with its columns', async () => {
      for (const sql of one.make) shapes.queryAnswer.parse(await ask('POST', '/query', { sql }));
      const listed = shapes.tablesAnswer.parse(await ask('GET', '/tables'));
      const found = listed.tables.find(({ name }) => name === one.table.name);
      expect(found).toMatchObject(one.table);
      table = found?.id ?? '';
      const page = shapes.rowsAnswer.parse(await rowsOf(table));
      expect(page).toMatchObject({ engine, table, columns: one.columns, limit: 50, offset: 0 });
      expect(page.total).toBe(found?.rowCount);
      expect(page.rows).toHaveLength(page.total);
      const read = shapes.queryAnswer.parse(await ask('POST', '/query', { sql: one.read.sql }));
      expect(read).toMatchObject({
        rows: one.read.rows,
        rowCount: one.read.rows.length,
        truncated: false,
      });
    });

    test('a row is inserted, changed and deleted exactly once', async () => {
      const { values, id } = one.insert;
      const { total } = await rowsOf(table);
      expect(await ask('POST', '/rows', { table, values })).toEqual({ ok: true, table, id });
      const page = await rowsOf(table);
      expect([page.total, page.rows]).toEqual([total + 1, expect.arrayContaining([one.inserted])]);
      const { primaryKey, update } = one;
      if (update) {
        const body = { table, primaryKey, values: update.values };
        expect(await ask('PATCH', '/rows', body)).toEqual({ ok: true });
        expect((await rowsOf(table)).rows).toContainEqual(update.updated);
      } else {
        const refused = await refusal('PATCH', '/rows', { table, primaryKey, values });
        expect(refused).toEqual([400, expect.stringMatching(/^unsupported: /)]);
      }
      if (one.conflict) {
        const refused = await refusal('POST', '/rows', { table, values: one.conflict.values });
        expect(refused).toEqual([409, expect.stringMatching(one.conflict.says)]);
      }
      expect(await ask('DELETE', '/rows', { table, primaryKey })).toEqual({ ok: true });
      expect((await rowsOf(table)).total).toBe(total);
    });

    test("a missing table is 404, a mistake is 400 in the engine's words, and reaching outside the database is refused", async () => {
      const none = /^not_found: /;
      expect(await refusal('GET', `/rows?table=${encodeURIComponent(`${table}none`)}`)).toEqual([
        404,
        expect.stringMatching(none),
      ]);
      expect(await refusal('DELETE', '/rows', { table, primaryKey: one.missing })).toEqual([
        404,
        expect.stringMatching(none),
      ]);
      const { sql, says } = one.wrong;
      expect(await refusal('POST', '/query', { sql })).toEqual([400, expect.stringMatching(says)]);
      const [status, sentence] = await refusal('POST', '/query', { sql: one.denied });
      expect([one.denied, status, sentence]).toEqual([one.denied, 400, expect.any(String)]);
    });

    const { gate } = one;
    if (gate) {
      test('a slow statement delays no other client', async () => {
        let isSlow = true;
        const slow = ask('POST', '/query', { sql: gate.wait }).finally(() => {
          isSlow = false;
        });
        await Promise.all([ask('GET', '/tables'), rowsOf(table)]);
        expect((await ask('POST', '/query', { sql: one.read.sql })).rows).toEqual(one.read.rows);
        expect(isSlow).toBe(true);
        await ask('POST', '/query', { sql: gate.open });
        await slow;
      });
    }

    const { wide } = one;
    if (wide) {
      test('a page of 3.5 MB arrives whole, and a larger one is refused with a way out', async () => {
        for (const sql of wide.make) await ask('POST', '/query', { sql });
        const { tables } = await ask('GET', '/tables');
        const { id } = tables.find(({ name }: Json) => name === 'wide');
        const path = `/rows?table=${encodeURIComponent(id)}&limit=500`;
        const { rows } = await ask('GET', path);
        expect([rows.length, JSON.stringify(rows).length > 3_500_000]).toEqual([500, true]);
        await ask('POST', '/query', { sql: wide.widen });
        expect(await refusal('GET', path)).toEqual([
          400,
          expect.stringMatching(/MB.*(fewer rows|smaller limit)/),
        ]);
        expect((await ask('GET', path.replace('500', '5'))).rows).toHaveLength(5);
      });
    }

    test('a stopped database is refused with the reason, and answers again after its start', async () => {
      const container = docker.getContainer(`longshore-${service.id}-stable`);
      await container.stop();
      expect(await refusal('GET', '/tables')).toEqual([409, expect.stringMatching(/stopped|is not running/)]);
      await container.start();
      await expect.poll(async () => (await call('GET', '/tables')).status, { timeout: 60_000 }).toBe(200);
      expect((await rowsOf(table)).columns).toEqual(one.columns);
    });
  });

  test('a database whose runner is dead is 503 with a way out, and answers again once the runner is back', async () => {
    const sentences = new Map<string, string>();
    await killNine(longshore.dataDirectory, ['runner']);
    const ask = async () => {
      const { status, body } = await longshore.call(
        'GET',
        `/api/services/${services[0]?.id}/database/tables`,
      );
      if (status !== 200) sentences.set(body.code, body.error);
      return status;
    };
    await expect.poll(ask, { timeout: 60_000 }).toBe(200);
    expect(sentences.get('runner_offline')).toContain('start its runner');
  });
}
