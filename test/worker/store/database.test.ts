import { env } from 'cloudflare:workers';
import { sql } from 'drizzle-orm';
import { expect, test } from 'vitest';
import { openDatabase } from '../../../worker/store/database.ts';

test('statements written by hand take parameters inside a batch', async () => {
  const db = openDatabase(env.DB);
  const [written, rows] = await db.batch([
    db.run(sql`insert into tenants (id, name, quotas, created_at) values (${'ten_x'}, ${'x'}, '{}', ${7})`),
    db.all<{ name: string }>(sql`select name from tenants where created_at = ${7}`),
  ]);
  expect(written.meta.changes).toBe(1);
  expect(rows).toEqual([{ name: 'x' }]);
  expect(await db.all(sql`select name from tenants where id = ${'ten_x'}`)).toEqual([{ name: 'x' }]);
});
