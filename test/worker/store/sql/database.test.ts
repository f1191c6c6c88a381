import { env } from 'cloudflare:workers';
import { eq, type SQL, sql } from 'drizzle-orm';
import { drizzle } from 'drizzle-orm/d1';
import { expect, test } from 'vitest';
import { domains } from '../../../../worker/store/schema/domains.ts';
import { projects } from '../../../../worker/store/schema/projects.ts';
import { services } from '../../../../worker/store/schema/services.ts';
import { columnsAs } from '../../../../worker/store/sql/columns-as.ts';
import { type Database, openDatabase } from '../../../../worker/store/sql/database.ts';
import { insertProject, insertRunner, insertService } from '../../../support/worker/api.ts';

test('hand-written statements take parameters inside a batch', async () => {
  const db = openDatabase(env.DB);
  const [written, rows] = await db.batch([
    db.run(
      sql`insert into tenants (id, name, quotas, name_token, created_at) values (${'ten_x'}, ${'x'}, '{}', 'x', ${7})`,
    ),
    db.all<{ name: string }>(sql`select name from tenants where created_at = ${7}`),
  ]);
  // The tenant, and the row that counts what it uses.
  expect(written.meta.changes).toBe(2);
  expect(rows).toEqual([{ name: 'x' }]);
  expect(await db.all(sql`select name from tenants where id = ${'ten_x'}`)).toEqual([{ name: 'x' }]);
});

test("rows are what drizzle's own reader makes of them: flags, JSON, nulls, groups, left joins; alone and in a batch", async () => {
  const project = await insertProject();
  const runner = await insertRunner();
  const suggestedKeys = [{ key: 'A', label: 'a' }];
  await insertService({ projectId: project.id, runnerId: runner.id, reachable: true, suggestedKeys });
  const statements = (db: Database) =>
    [
      db.select().from(services),
      db
        .select({
          service: columnsAs(services, 'service'),
          slug: sql<string>`${projects.slug}`.as('project_slug'),
        })
        .from(services)
        .innerJoin(projects, eq(projects.id, services.projectId)),
      db
        .select({ id: services.id, domain: { name: domains.hostname } })
        .from(services)
        .leftJoin(domains, sql`true`),
      db.select({ port: sql<string>`host_port`.mapWith(String).as('port') }).from(services),
    ] as const;
  const ours = openDatabase(env.DB);
  const theirs: Database = drizzle(env.DB);
  const expected = await theirs.batch(statements(theirs));
  expect(expected[0][0]).toMatchObject({ reachable: true, suggestedKeys, rootDir: null });
  expect(await ours.batch(statements(ours))).toEqual(expected);
  expect(await Promise.all(statements(ours))).toEqual(await Promise.all(statements(theirs)));
});

test('a statement in a batch whose columns share a name is refused: each value would go to the field of another', async () => {
  const project = await insertProject();
  const { id: runnerId } = await insertRunner();
  const { id } = await insertService({ projectId: project.id, runnerId });
  const db = openDatabase(env.DB);
  const both = (name: typeof projects.id | SQL.Aliased<string>) =>
    db
      .select({ id: services.id, project: { id: name }, slug: services.slug })
      .from(services)
      .innerJoin(projects, eq(projects.id, services.projectId))
      .where(eq(services.id, id));
  await expect(db.batch([both(projects.id)])).rejects.toThrow(/needs a name of its own.*"projects"\."id"/s);
  const whole = db.select().from(services).innerJoin(projects, eq(projects.id, services.projectId));
  await expect(db.batch([whole])).rejects.toThrow('needs a name of its own');
  await expect(db.batch([db.select({ id: services.id, one: sql`1` }).from(services)])).rejects.toThrow(
    'needs a name of its own',
  );
  const [[named]] = await db.batch([both(sql<string>`${projects.id}`.as('project_id'))]);
  expect(named).toMatchObject({ id, project: { id: project.id } });
  expect(await both(projects.id)).toEqual([named]);
});
