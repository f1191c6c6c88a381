import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { z } from 'zod';
import { apiClient } from '../../../local/api-client.ts';
import { startControlPlane } from '../../../local/control-plane/control-plane.ts';
import { parseRestoreOptions } from '../../../local/options.ts';
import { openEmbeddedStore } from '../../../local/restore/embedded-store.ts';
import { keepOnly } from '../../../local/restore/keep-only.ts';
import { rebuild } from '../../../local/restore/rebuild.ts';
import { restore } from '../../../local/restore/restore.ts';
import { sqlStatements } from '../../../local/restore/sql-statements.ts';
import { ensureWorkerBundle } from '../../../local/worker-bundle/worker-bundle.ts';
import { splitAsD1 } from '../../architecture/checker/migrations.ts';
import { temporaryDirectory } from '../../support/runner/temporary.ts';

const projectRoot = fileURLToPath(new URL('../../..', import.meta.url));
const secrets = {
  OPERATOR_TOKEN: 'test-operator-token-0123456789abcdef',
  ENCRYPTION_KEY: 'dGVzdC1lbmNyeXB0aW9uLWtleS0wMTIzNDU2Nzg5YWI',
};
const output = {
  ...{ print: () => {}, say: () => {}, box: () => {}, fail: () => {} },
  step: <Result>(_: string, work: () => Promise<Result>) => work(),
};

async function running(data: string, more = {}) {
  const cache = join(projectRoot, 'node_modules/.cache/longshore');
  const controlPlane = await startControlPlane({
    bundle: await ensureWorkerBundle({ projectRoot, cache }),
    migrationsDirectory: join(projectRoot, 'migrations'),
    persistDirectory: join(data, 'control-plane'),
    port: 0,
    secrets: { ...secrets, ...more },
    logFile: join(data, 'control-plane.log'),
  });
  onTestFinished(() => controlPlane.stop());
  return { ...controlPlane, operator: apiClient(controlPlane.url, secrets.OPERATOR_TOKEN) };
}

async function restoreLocally(data: string, ...args: string[]) {
  const options = parseRestoreOptions(['--data', data, '--local', ...args]);
  if (options === 'help') throw new Error('no options');
  await restore(projectRoot, options, output);
}

/** All rows by table, but what each run of the scheduled work and each restore changes. */
async function allRows(data: string): Promise<Record<string, unknown[]>> {
  const store = await openEmbeddedStore(join(data, 'control-plane'));
  const tables =
    await store.all(`select name from sqlite_master where type = 'table' and name not like '\\_%' escape '\\'
    and name not like 'sqlite%' and name not in ('scheduled_runs', 'dumps')`);
  const rows: Record<string, unknown[]> = {};
  for (const { name } of tables) {
    rows[String(name)] = await store.all(`select rowid as row_number, * from "${name}" order by rowid`);
  }
  await store.close();
  return rows;
}

const anything = z.record(z.string(), z.any());

test('a lost database comes back from its dump: every row of every table, sealed with the same key', async () => {
  const data = await temporaryDirectory();
  const first = await running(data);
  const key = { name: 'first', access: 'destroy', projects: 'all', expiresInDays: null };
  const { token } = await first.operator.call(
    'POST',
    '/api/system/keys',
    z.looseObject({ token: z.string() }),
    key,
  );
  const client = apiClient(first.url, token);
  const { project } = await client.call('POST', '/api/projects', anything, { name: "O'Brien; --shop" });
  await first.operator.call('PATCH', '/api/system/settings', anything, {
    eventWebhook: { url: 'https://events.example.com/hook' },
  });
  await client.call('POST', '/api/projects', anything, {
    name: 'x'.repeat(50),
    description: 'é; '.repeat(50),
  });
  await first.runScheduled(Date.now());
  const listed = await first.operator.call('GET', '/api/system/dumps', anything);
  const [dump] = listed.dumps;
  expect(dump).toMatchObject({ state: 'complete', parts: 1 });
  await first.stop();
  const before = await allRows(data);
  expect(before.projects).toHaveLength(2);

  await restoreLocally(data, '--dump', dump.id);
  const after = await allRows(data);
  expect(after).toEqual(before);

  const paused = await running(data, { PAUSED: 'yes' });
  expect(paused.migrated).toEqual([]);
  expect(await apiClient(paused.url, token).status('/api/projects')).toBe(503);
  const { restored } = await paused.operator.call('POST', '/api/system/restored', anything);
  expect(restored).toMatchObject({ moreJobs: false });
  await paused.stop();

  const again = await running(data);
  const { projects } = await apiClient(again.url, token).call('GET', '/api/projects', anything);
  expect(projects.map(({ id }: { id: string }) => id)).toContain(project.id);
  const encryption = await again.operator.call('GET', '/api/system/encryption', anything);
  expect(encryption).toMatchObject({ encryption: { rowsToReseal: 0, rowsWithoutKey: 0 } });
  // A project that is younger than the dump is forgotten by the next restore, and added from a later dump.
  const { project: young } = await apiClient(again.url, token).call('POST', '/api/projects', anything, {
    name: 'young',
  });
  const { dump: later } = await again.operator.call('POST', '/api/system/dumps', anything);
  await again.runScheduled(Date.now());
  await again.stop();
  await restoreLocally(data, '--dump', dump.id);
  expect((await allRows(data)).projects).toEqual(before.projects);
  await restoreLocally(data, '--dump', later.id, '--only', young.id);
  const added = (await allRows(data)).projects ?? [];
  expect(added).toMatchObject([...(before.projects ?? []), { id: young.id }]);

  const part = await readFile(join(data, 'dumps', dump.id, '00001.jsonl.gz'));
  expect(part.byteLength).toBe(dump.bytes);
}, 180_000);

test('statements stay below the limit of D1, survive its splitter, and keep texts and rows that do not fit are left out', () => {
  const manifest = {
    ...{ version: 1 as const, id: 'x', startedAt: '', isOneMoment: false, parts: 1, rows: 4 },
    schema: [
      {
        type: 'table' as const,
        name: 'child',
        sql: 'CREATE TABLE child (id text primary key, of text references parent(id), body text)',
      },
      { type: 'table' as const, name: 'parent', sql: 'CREATE TABLE parent (id text primary key)' },
    ],
  };
  const body = `é'";\n\0😀`.repeat(40_000);
  const { database, leftOut } = rebuild(manifest, [
    {
      table: 'child',
      columns: ['id', 'of', 'body'],
      rows: [
        ['a', 'p', body],
        ['b', 'gone', null],
        ['c', 'p', ''],
      ],
    },
    { table: 'parent', columns: ['id'], rows: [['p']] },
  ]);
  expect(leftOut).toEqual({ child: 1 });
  const statements = [...sqlStatements(manifest, database)];
  expect(Math.max(...statements.map((one) => Buffer.byteLength(one)))).toBeLessThan(100_000);
  expect(splitAsD1(statements.slice(0, 5).join(';\n'))).toHaveLength(5);
  const again = new DatabaseSync(':memory:');
  for (const statement of statements) again.exec(statement);
  expect(
    again
      .prepare('select * from child order by id')
      .all()
      .map((row) => ({ ...row })),
  ).toEqual([
    { id: 'a', of: 'p', body },
    { id: 'c', of: 'p', body: '' },
  ]);
});

const broughtBackSchema = [
  'CREATE TABLE projects (id text primary key)',
  'CREATE TABLE services (id text primary key, project_id text references projects(id))',
  'CREATE TABLE jobs (id text primary key, service_id text references services(id), state text)',
  'CREATE TABLE deployments (id text primary key, service_id text references services(id), job_id text references jobs(id))',
  'CREATE TABLE backups (id text primary key, service_id text references services(id), job_id text references jobs(id), status text)',
  'CREATE TABLE deletions (resource_id text primary key)',
  'CREATE TABLE deleted_rows (resource_id text references deletions(resource_id))',
  'CREATE TABLE host_tasks (id text primary key, task text, state text, ok integer, finished_at integer, detail text)',
];

function broughtBack(present: string): DatabaseSync {
  const schema = broughtBackSchema.map((sql) => ({
    type: 'table' as const,
    name: sql.split(' ')[2] ?? '',
    sql,
  }));
  const manifest = {
    ...{ version: 1 as const, id: 'x', startedAt: '', isOneMoment: true, parts: 1, rows: 6, schema },
  };
  const columns = ['id', 'service_id', 'job_id', 'status'];
  const { database } = rebuild(manifest, [
    { table: 'projects', columns: ['id'], rows: [['prj']] },
    { table: 'services', columns: ['id', 'project_id'], rows: [['svc', 'prj']] },
    { table: 'jobs', columns: ['id', 'service_id', 'state'], rows: [['job', 'svc', 'active']] },
    {
      ...{ table: 'backups', columns },
      rows: [
        ['open', 'svc', 'job', 'running'],
        ['safety', 'svc', 'job', 'succeeded'],
      ],
    },
  ]);
  const now = new DatabaseSync(':memory:', { enableForeignKeyConstraints: true });
  for (const sql of [...broughtBackSchema, present]) now.exec(sql);
  for (const statement of keepOnly(manifest, database, 'svc')) now.exec(statement);
  return now;
}

test('a service is brought back from a dump in which a job of it was open: with its backups, without the job', () => {
  const now = broughtBack('');
  expect(now.prepare('select id, job_id from backups').all()).toMatchObject([{ id: 'safety', job_id: null }]);
  expect(now.prepare('select id from jobs').all()).toEqual([]);
});

test('removals that wait for a host are cancelled for a service that is brought back, and not for one that was never gone', () => {
  const tasks = ['set-hostnames', 'remove-service', 'remove-volumes'].map(
    (kind) => `('${kind}', '{"kind":"${kind}","serviceId":"svc"}', 'pending')`,
  );
  const waiting = `INSERT INTO host_tasks (id, task, state) VALUES ${tasks.join(', ')}`;
  const pending = (now: DatabaseSync) =>
    now
      .prepare(`select id from host_tasks where state = 'pending' order by rowid`)
      .all()
      .map(({ id }) => id);
  expect(pending(broughtBack(waiting))).toEqual(['set-hostnames']);
  const moved = `INSERT INTO projects VALUES ('prj'); INSERT INTO services VALUES ('svc', 'prj'); ${waiting}`;
  expect(pending(broughtBack(moved))).toHaveLength(3);
});

test('a deleted service that is brought back is not purged later', () => {
  const now = broughtBack(
    `INSERT INTO deletions VALUES ('svc'), ('other'); INSERT INTO deleted_rows VALUES ('svc')`,
  );
  expect(now.prepare('select resource_id as id from deletions').all()).toMatchObject([{ id: 'other' }]);
});
