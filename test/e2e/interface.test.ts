/**
 * Every endpoint of docs/design/interface-routes.md for clients, and of its databases those that browse, query, edit and back up, in the document's
 * order, against the real Worker and a real runner.
 * Prints method, path and status of each call. The shapes are the document's own (support/interface-shapes).
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { z } from 'zod';
import * as shapes from '../support/instance/interface-shapes.ts';
import type { Json } from '../support/instance/longshore.ts';
import { webApp } from '../support/instance/repository.ts';
import { useInstance, useRepositories } from '../support/instance/use-instance.ts';

const repositories = useRepositories();
const longshore = useInstance();
let project: Json;
let other: Json;
let web: Json;
let database: Json;
const played: string[] = [];

beforeAll(async () => {
  await repositories.add('web', {
    ...webApp('up'),
    '.env.example': '# Where mails go\nSMTP_URL=smtp://localhost\n',
  });
  await repositories.add('broken', { Dockerfile: 'FROM node:24-slim\nRUN exit 3' });
});

afterAll(() => void process.stdout.write(`${played.join('\n')}\n`));

/** Calls, notes the call by the document's path, and expects 200 (or what is told) and an error body for anything else. */
async function play(
  method: string,
  path: string,
  options: { body?: unknown; status?: number; token?: string } = {},
) {
  const { body, status = 200, token } = options;
  const reply = await longshore.call(method, path, body, token);
  const pattern = path.replace(/\b(prj|svc|dep|env|dom|key|bak)_[a-z0-9]{16}/g, ':$1');
  played.push(
    `${method.padEnd(6)} ${pattern} ${reply.status}${reply.body.code ? ` ${reply.body.code}` : ''}`,
  );
  expect(reply.status, JSON.stringify(reply.body)).toBe(status);
  if (status !== 200) shapes.errorBody.parse(reply.body);
  return reply.body;
}

const create = (fields: object, projectId = project.id) =>
  play('POST', `/api/projects/${projectId}/services`, { body: fields });
const overview = async (serviceId: string): Promise<z.infer<typeof shapes.overview>> =>
  shapes.overview.parse(await play('GET', `/api/services/${serviceId}/overview`));

describe('4.1 projects', () => {
  test('projects answer POST, GET, GET by slug and PATCH', async () => {
    const body = { name: 'Shop', description: 'sells things' };
    project = (await play('POST', '/api/projects', { body })).project;
    expect(shapes.project.parse(project)).toMatchObject({
      ...body,
      slug: 'shop',
      status: 'idle',
      serviceCount: 0,
      services: [],
    });
    other = (await play('POST', '/api/projects', { body: { name: 'Other', description: '' } })).project;
    const { projects } = await play('GET', '/api/projects');
    expect(projects.map(({ id }: Json) => id)).toEqual([project.id, other.id]);
    expect((await play('GET', '/api/projects/shop')).project.id).toBe(project.id);
    const changed = { name: 'Shop 2', description: 'sells more' };
    const patched = await play('PATCH', `/api/projects/${project.id}`, { body: changed });
    expect(shapes.project.parse(patched.project)).toMatchObject({ ...changed, slug: 'shop' });
  });
});

describe('4.2 services', () => {
  test('POST creates a source service', async () => {
    const body = {
      name: 'web',
      repoFullName: null,
      repoUrl: `${repositories.url}/web`,
      branch: 'main',
      rootDir: null,
      installCommand: null,
      buildCommand: null,
      startCommand: null,
      buildMethod: 'auto',
      dockerfilePath: null,
      runtimeMode: 'web',
      internalPort: 3000,
      env: [{ key: 'GREETING', value: 'hello' }],
    };
    web = (await create(body)).service;
    const { env: _, ...fields } = body;
    expect(shapes.service.parse(web)).toMatchObject({ ...fields, status: 'idle', projectId: project.id });
  });

  test('POST creates a container image service', async () => {
    const body = {
      name: 'cache',
      repoUrl: 'container-image',
      imageRef: 'registry.example/cache:1',
      branch: 'main',
      runtimeMode: 'web',
      internalPort: 8080,
      env: [],
    };
    const { service } = await create(body);
    expect(shapes.service.parse(service)).toMatchObject({
      repoFullName: 'image:registry.example/cache:1',
      status: 'idle',
    });
    await play('DELETE', `/api/services/${service.id}`);
  });

  const engines = {
    postgres: [5432, ['POSTGRES_DB', 'POSTGRES_USER', 'POSTGRES_PASSWORD']],
    timescale: [5432, ['POSTGRES_DB', 'POSTGRES_USER', 'POSTGRES_PASSWORD', 'TIMESCALEDB_TELEMETRY']],
    mysql: [3306, ['MYSQL_DATABASE', 'MYSQL_USER', 'MYSQL_PASSWORD', 'MYSQL_ROOT_PASSWORD']],
    redis: [6379, ['REDIS_PASSWORD']],
    mongodb: [27017, ['MONGO_INITDB_ROOT_USERNAME', 'MONGO_INITDB_ROOT_PASSWORD']],
    clickhouse: [
      8123,
      ['CLICKHOUSE_DB', 'CLICKHOUSE_USER', 'CLICKHOUSE_PASSWORD', 'CLICKHOUSE_DEFAULT_ACCESS_MANAGEMENT'],
    ],
  } as const;

  test.each(Object.entries(engines))(
    'POST creates a %s service with its variables',
    async (engine, [port, keys]) => {
      const { service } = await create({
        name: engine === 'postgres' ? 'postgres-db' : engine,
        repoFullName: `database:${engine}`,
        repoUrl: 'database',
        branch: 'main',
        internalPort: port,
        databasePublicEnabled: false,
        ...(engine === 'postgres' || engine === 'timescale'
          ? { postgresLogicalReplicationEnabled: false }
          : {}),
        env: [],
      });
      expect(shapes.service.parse(service)).toMatchObject({
        repoFullName: `database:${engine}`,
        repoUrl: 'database',
        imageRef: null,
        internalPort: port,
        framework: engine,
        status: 'idle',
      });
      expect((await overview(service.id)).env.map(({ key }) => key).toSorted()).toEqual([...keys].toSorted());
      if (engine === 'postgres') database = service;
      else await play('DELETE', `/api/services/${service.id}`);
    },
  );

  test('GET database-variable-suggestions suggests variables (4.1)', async () => {
    const { suggestions } = await play('GET', `/api/projects/${project.id}/database-variable-suggestions`);
    for (const suggestion of suggestions) shapes.databaseSuggestion.parse(suggestion);
    // biome-ignore lint/suspicious/noTemplateCurlyInString: a reference as users write it
    expect(suggestions.map(({ value }: Json) => value)).toContain('${postgres-db.DATABASE_URL}');
  });
});

describe('4.3 and 4.4: services and environment variables', () => {
  test('PATCH changes every field that the document names', async () => {
    const body = {
      branch: 'main',
      rootDir: null,
      buildCommand: null,
      startCommand: null,
      buildMethod: 'dockerfile',
      dockerfilePath: 'Dockerfile',
      runtimeMode: 'web',
      internalPort: 3000,
    };
    const { service } = await play('PATCH', `/api/services/${web.id}`, { body });
    expect(shapes.service.parse(service)).toMatchObject(body);
    expect(service.updatedAt >= web.updatedAt).toBe(true);
  });

  test('a variable is created, changed, referenced and deleted', async () => {
    // biome-ignore lint/suspicious/noTemplateCurlyInString: a reference as users write it
    const reference = '${postgres-db.DATABASE_URL}';
    for (const value of ['x', reference]) {
      const made = await play('POST', `/api/services/${web.id}/env`, { body: { key: 'DB', value } });
      expect(made).toMatchObject({ ok: true });
    }
    await play('POST', `/api/services/${web.id}/env`, { body: { key: 'bad-key', value: '' }, status: 400 });
    const { env } = await overview(web.id);
    const resolved = env.find(({ key }) => key === 'DB');
    expect(resolved).toMatchObject({ value: reference, hasValue: true });
    expect(resolved?.resolvedValue).toMatch(/^postgres(ql)?:\/\/[^@]+@postgres-db:5432\//);
    expect(await play('DELETE', `/api/services/${web.id}/env/${resolved?.id}`)).toEqual({ ok: true });
    expect((await overview(web.id)).env.map(({ key }) => key)).toEqual(['GREETING']);
  });
});

describe('4.6 deployments', () => {
  let running: Json;

  test('a deployment is created, listed, and its log read and streamed', async () => {
    const queued = (await play('POST', `/api/services/${web.id}/deployments`)).deployment;
    expect(shapes.deployment.parse(queued)).toMatchObject({
      status: 'queued',
      trigger: 'manual',
      commitSha: null,
    });
    const path = `/api/deployments/${queued.id}/stream`;
    const events = await Array.fromAsync(longshore.events(path));
    played.push(
      `GET    /api/deployments/:dep/stream 200 ${[...new Set(events.map(({ event }) => event))].join(', ')}`,
    );
    expect(events[0]?.event).toBe('snapshot');
    const { deployments } = await play('GET', `/api/services/${web.id}/deployments`);
    running = shapes.deployment.parse(deployments[0]);
    expect(running).toMatchObject({
      id: queued.id,
      status: 'running',
      imageTag: `longshore-${web.id}-${queued.id}`,
      containerName: `longshore-${web.id}-stable`,
    });
    const { logs } = await play('GET', `/api/deployments/${queued.id}/logs`);
    expect(logs.map((entry: Json) => shapes.logEntry.parse(entry).id)).toEqual(
      logs.map((_: Json, index: number) => index + 1),
    );
    const { service } = await overview(web.id);
    expect(service).toMatchObject({ status: 'active', detectedBuildMethod: 'dockerfile', reachable: true });
    expect(await (await fetch(service.localUrl)).text()).toBe('up hello');
  });

  test('the log of the running container is read, and its replacement is followed', async () => {
    const path = `/api/services/${web.id}/runtime-logs/stream`;
    const seen: string[] = [];
    for await (const { event, data } of longshore.events(path)) {
      const entries = (event === 'snapshot' ? data : event === 'log' ? [data] : []) as Json[];
      const isFirst = seen.length === 0;
      for (const entry of entries) seen.push(shapes.runtimeEntry.parse(entry).line);
      if (isFirst && seen.length > 0) await play('POST', `/api/services/${web.id}/deployments`);
      if (seen.some((line) => line.startsWith('The container was replaced'))) break;
    }
    played.push('GET    /api/services/:svc/runtime-logs/stream 200 snapshot, log');
    // What the new one prints before it serves comes before it serves (docs/decisions/0007).
    expect(seen.filter((line) => line === 'listening')).toHaveLength(2);
    expect(seen[0]).toBe('listening');
    expect(seen.at(-1)).toMatch(/^The container was replaced: dep_/);
  });

  test("GET suggestion-keys lists what .env.example names and the project's databases (4.3)", async () => {
    const reply = await play('GET', `/api/services/${web.id}/suggestion-keys`);
    expect(reply.suggestions).toContainEqual({ key: 'SMTP_URL', label: expect.any(String) });
    for (const suggestion of reply.databaseVariables) shapes.databaseSuggestion.parse(suggestion);
    expect(reply.databaseVariables.length).toBeGreaterThan(0);
  });

  test('a rollback starts the stored image, and aborting a finished deployment is 409', async () => {
    await play('POST', `/api/services/${web.id}/env`, { body: { key: 'GREETING', value: 'changed' } });
    const second = (await play('POST', `/api/services/${web.id}/deployments`)).deployment;
    expect(await longshore.finished(second.id, web.id)).toMatchObject({ status: 'running' });
    const back = (await play('POST', `/api/deployments/${running.id}/rollback`)).deployment;
    expect(shapes.deployment.parse(back)).toMatchObject({ trigger: 'rollback' });
    expect(await longshore.finished(back.id, web.id)).toMatchObject({
      status: 'running',
      trigger: 'rollback',
    });
    expect(await (await fetch(`http://127.0.0.1:${web.hostPort}`)).text()).toBe('up hello');
    expect(await play('POST', `/api/deployments/${second.id}/abort`, { status: 409 })).toMatchObject({
      code: 'cannot_abort',
    });
  });

  test('abort of a queued deployment is accepted; a failed one is explained', async () => {
    const { service } = await create({
      name: 'broken',
      repoFullName: null,
      repoUrl: `${repositories.url}/broken`,
      branch: 'main',
    });
    const first = (await play('POST', `/api/services/${service.id}/deployments`)).deployment;
    const second = (await play('POST', `/api/services/${service.id}/deployments`)).deployment;
    expect(await play('POST', `/api/deployments/${second.id}/abort`)).toEqual({ accepted: true });
    expect(await longshore.finished(first.id, service.id)).toMatchObject({ status: 'failed' });
    const path = `/api/deployments/${first.id}/explain-failure`;
    const { explanation } = await play('POST', path, { body: { providerId: 'builtin' } });
    shapes.explanation.parse(explanation);
    await play('POST', path, { body: { providerId: 'nobody', model: 'none' }, status: 400 });
  });
});

describe('4.5 domains', () => {
  test('domains answer POST, PATCH, DELETE, and dns-records without a connected provider', async () => {
    const added = await play('POST', `/api/services/${web.id}/domains`, {
      body: { hostname: 'Shop-Front.localhost' },
    });
    expect(added.ok).toBe(true);
    expect(shapes.proxy.parse(added.proxy).ok).toBe(true);
    const [domain] = (await overview(web.id)).domains;
    expect(domain).toMatchObject({ hostname: 'shop-front.localhost', status: 'active', serviceId: web.id });
    const path = `/api/services/${web.id}/domains/${domain?.id}`;
    const renamed = await play('PATCH', path, { body: { hostname: 'store-front.example.org' } });
    expect(shapes.proxy.parse(renamed.proxy).ok).toBe(true);
    await play('POST', `${path}/dns-records`, { body: { providerId: 'cloudflare' }, status: 409 });
    const removed = await play('DELETE', path);
    expect([removed.ok, shapes.proxy.parse(removed.proxy).ok]).toEqual([true, true]);
    expect((await overview(web.id)).domains).toEqual([]);
  });

  test('a worker takes no domain', async () => {
    const { service } = await create({
      name: 'jobs',
      repoUrl: `${repositories.url}/web`,
      runtimeMode: 'worker',
    });
    await play('POST', `/api/services/${service.id}/domains`, {
      body: { hostname: 'jobs.localhost' },
      status: 400,
    });
  });
});

describe('4.7 database administration', () => {
  const at = (path: string, serviceId = database.id) => `/api/services/${serviceId}/database${path}`;
  const query = (sql: string) => play('POST', at('/query'), { body: { sql } });
  const table = 'public.users';

  test('browsing is refused for a database that is not deployed and for a service that is not a database', async () => {
    await play('GET', at('/tables'), { status: 409 });
    await play('GET', at('/tables', web.id), { status: 400 });
    const { deployment } = await play('POST', `/api/services/${database.id}/deployments`);
    const { status } = await longshore.finished(deployment.id, database.id);
    expect(status, await longshore.log(deployment.id)).toBe('running');
  });

  test('POST /query runs a statement, and GET /tables lists the tables', async () => {
    await query('create table users (id int primary key, email text unique)');
    const written = shapes.queryAnswer.parse(await query("insert into users values (1, 'a@example.com')"));
    expect(written).toMatchObject({ rows: [], rowCount: 1 });
    expect(shapes.queryAnswer.parse(await query('select id, email from users'))).toEqual({
      columns: [
        { name: 'id', type: 'integer' },
        { name: 'email', type: 'text' },
      ],
      rows: [{ id: 1, email: 'a@example.com' }],
      rowCount: 1,
      truncated: false,
    });
    expect(shapes.tablesAnswer.parse(await play('GET', at('/tables')))).toEqual({
      engine: 'postgres',
      tables: [{ id: table, name: 'users', schema: 'public', rowCount: 1 }],
    });
  });

  test('POST, GET, PATCH and DELETE /rows change single rows', async () => {
    const values = { id: 2, email: 'b@example.com' };
    const primaryKey = { id: 2 };
    expect(await play('POST', at('/rows'), { body: { table, values } })).toEqual({ ok: true, table, id: 2 });
    await play('POST', at('/rows'), { body: { table, values }, status: 409 });
    const change = { table, primaryKey, values: { email: null } };
    expect(await play('PATCH', at('/rows'), { body: change })).toEqual({ ok: true });
    const page = await play('GET', at(`/rows?table=${table}&limit=1&offset=1`));
    expect(shapes.rowsAnswer.parse(page)).toEqual({
      engine: 'postgres',
      table,
      columns: [
        { name: 'id', type: 'integer', primary: true },
        { name: 'email', type: 'text', primary: false },
      ],
      rows: [{ id: 2, email: null }],
      limit: 1,
      offset: 1,
      total: 2,
    });
    expect(await play('DELETE', at('/rows'), { body: { table, primaryKey } })).toEqual({ ok: true });
    await play('DELETE', at('/rows'), { body: { table, primaryKey }, status: 404 });
    await play('GET', at('/rows?table=public.nobody'), { status: 404 });
    await play('GET', at(`/rows?table=${table}&limit=501`), { status: 400 });
  });

  test('a backup is created, listed, downloaded, restored, configured and deleted', async () => {
    const { backup } = await play('POST', at('/backups'), { body: { storage: 'disk' } });
    expect(shapes.backup.parse(backup)).toMatchObject({
      serviceId: database.id,
      status: 'running',
      trigger: 'manual',
      finishedAt: null,
    });
    await play('POST', at('/backups'), { body: { storage: 'tape' }, status: 400 });
    await play('POST', at('/backups', web.id), { body: { storage: 'disk' }, status: 400 });
    const read = async () => {
      const answer = await longshore.call('GET', at('/backups'));
      return shapes.backupsAnswer.parse(answer.body).backups.find(({ id }) => id === backup.id);
    };
    await expect.poll(async () => (await read())?.status, { timeout: 60_000 }).toBe('succeeded');
    const { backups } = await play('GET', at('/backups'));
    expect(backups).toHaveLength(1);
    const { sizeBytes } = backups[0];
    const file = await longshore.download(at(`/backups/${backup.id}/download`));
    expect([file.status, (await file.arrayBuffer()).byteLength]).toEqual([200, sizeBytes]);
    const settings = await play('PATCH', at('/backups/settings'), { body: { dailyEnabled: true } });
    expect(shapes.backupSettings.parse(settings.settings).dailyEnabled).toBe(true);
    await query('delete from users');
    const restored = await play('POST', at(`/backups/${backup.id}/restore`));
    expect(shapes.restoreAnswer.parse(restored).backup).toEqual({ id: backup.id, status: 'succeeded' });
    expect((await query('select id from users')).rows).toEqual([{ id: 1 }]);
    await play('POST', at(`/backups/${backup.id}/abort`), { status: 409 });
    expect(await play('DELETE', at(`/backups/${backup.id}`))).toEqual({ ok: true });
    await play('GET', at(`/backups/${backup.id}/download`), { status: 404 });
  });

  test('a read key browses and changes nothing', async () => {
    const key = { name: 'browser', access: 'read', projects: [project.id], expiresInDays: 1 };
    const { token } = await play('POST', '/api/system/keys', { body: key, token: longshore.operatorToken });
    await play('GET', at('/tables'), { token });
    await play('POST', at('/query'), { token, body: { sql: 'select 1' }, status: 403 });
    await play('GET', at('/backups'), { token });
    await play('POST', at('/backups'), { token, body: { storage: 'disk' }, status: 403 });
  });
});

describe('4.3 transfer and delete, 5 keys', () => {
  test('a service is transferred to another project', async () => {
    const body = { targetProjectId: other.id };
    const reply = await play('POST', `/api/services/${web.id}/transfer`, { body });
    expect(reply.service).toMatchObject({ id: web.id, projectId: other.id, name: 'web', slug: 'web' });
    expect(shapes.project.parse(reply.project)).toMatchObject({ id: other.id, serviceCount: 1 });
    shapes.proxy.parse(reply.proxy);
    await play('POST', `/api/services/${web.id}/transfer`, { body, status: 409 });
  });

  test('a key sees only what it was created for', async () => {
    const body = { name: 'reader', access: 'read', projects: [other.id], expiresInDays: 1 };
    const { token } = await play('POST', '/api/system/keys', { body, token: longshore.operatorToken });
    const { projects } = await play('GET', '/api/projects', { token });
    expect(projects.map(({ id }: Json) => id)).toEqual([other.id]);
    await play('GET', `/api/services/${database.id}/overview`, { token, status: 404 });
    await play('POST', `/api/services/${web.id}/deployments`, { token, status: 403 });
    await play('GET', '/api/projects', { token: 'nothing', status: 401 });
  });

  test('DELETE removes a service and projects', async () => {
    const gone = await play('DELETE', `/api/services/${web.id}`);
    expect([gone.ok, shapes.proxy.parse(gone.proxy).ok]).toEqual([true, true]);
    await play('GET', `/api/services/${web.id}/overview`, { status: 404 });
    for (const { id } of [project, other]) {
      const reply = await play('DELETE', `/api/projects/${id}`);
      expect(reply.ok).toBe(true);
      shapes.proxy.parse(reply.proxy);
    }
    expect((await play('GET', '/api/projects')).projects).toEqual([]);
  });
});
