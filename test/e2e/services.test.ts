// biome-ignore-all lint/suspicious/noTemplateCurlyInString: references of variables are written like that
/** Services beside each other, end to end: a database's row and what refers to it, suggestions, a transfer with its network, deletion. */
import Docker from 'dockerode';
import { beforeAll, expect, test } from 'vitest';
import type { Json } from '../support/instance/longshore.ts';
import { type Repository, webApp } from '../support/instance/repository.ts';
import { useInstance, useRepositories } from '../support/instance/use-instance.ts';

const docker = new Docker();
const repositories = useRepositories();
const longshore = useInstance();
const { ask, deploy, overview } = longshore;
let repository: Repository;
let shop: Json;
let other: Json;
let database: Json;
let web: Json;

beforeAll(async () => {
  [shop, other] = await Promise.all(['Shop', 'Other'].map(longshore.newProject));
});

const create = (fields: Json) => longshore.newService(shop, fields);
const answer = async () => (await fetch(`http://127.0.0.1:${web.hostPort}`)).text();
const networksOf = async (serviceId: string) => {
  const { NetworkSettings } = await docker.getContainer(`longshore-${serviceId}-stable`).inspect();
  return Object.keys(NetworkSettings.Networks);
};

test('a database is created with its variables, and suggested to its project', async () => {
  database = await create({
    name: 'Main DB',
    repoUrl: 'database',
    repoFullName: 'database:postgres',
    branch: 'main',
    databasePublicEnabled: false,
    env: [],
  });
  expect(database).toMatchObject({
    slug: 'main-db',
    framework: 'postgres',
    internalPort: 5432,
    localUrl: '',
  });
  expect(database.hostPort).toBeGreaterThanOrEqual(45_000);
  const { env } = await overview(database.id);
  expect(env.map(({ key }: Json) => key)).toEqual(['POSTGRES_DB', 'POSTGRES_USER', 'POSTGRES_PASSWORD']);
  const { suggestions } = await ask('GET', `/api/projects/${shop.id}/database-variable-suggestions`);
  expect(suggestions[0]).toEqual({
    key: 'DATABASE_URL',
    value: '${main-db.DATABASE_URL}',
    label: 'URL of Main DB (PostgreSQL)',
  });
});

test('a reference to a database reaches the container of a web service resolved', async () => {
  repository = await repositories.add('shop', {
    ...webApp('v1'),
    '.env.example': '# Where orders are kept\nDATABASE_URL=postgres://canary@nowhere\nSTRIPE_KEY=\n',
  });
  web = await create({
    name: 'web',
    repoFullName: null,
    repoUrl: `${repositories.url}/shop`,
    branch: 'main',
    gitToken: 'canary-token',
    env: [{ key: 'GREETING', value: '${main-db.DATABASE_URL}' }],
  });
  const deployment = await deploy(web.id);
  expect(deployment.status, await longshore.log(deployment.id)).toBe('running');
  const { env } = await overview(database.id);
  const password = env.find(({ key }: Json) => key === 'POSTGRES_PASSWORD').value;
  expect(await answer()).toBe(`v1 postgresql://app:${password}@main-db:5432/app`);
});

test('keys of the repository are suggested, with their comments and without their values', async () => {
  const found = await ask('GET', `/api/services/${web.id}/suggestion-keys`);
  expect(found.suggestions).toEqual([
    { key: 'DATABASE_URL', label: 'Where orders are kept' },
    { key: 'STRIPE_KEY', label: '' },
  ]);
  expect(found.databaseVariables.map(({ key }: Json) => key)).toContain('POSTGRES_URL');
  expect(JSON.stringify(found)).not.toContain('canary');
  const body = { key: 'STRIPE_KEY', value: 'x' };
  await ask('POST', `/api/services/${web.id}/env`, body);
  const { suggestions } = await ask('GET', `/api/services/${web.id}/suggestion-keys`);
  expect(suggestions.map(({ key }: Json) => key)).toEqual(['DATABASE_URL']);
});

test('a transferred service keeps serving, and changes its network with its next deployment', async () => {
  const before = await answer();
  const moved = await ask('POST', `/api/services/${web.id}/transfer`, { targetProjectId: other.id });
  expect(moved).toMatchObject({
    service: { id: web.id, projectId: other.id, slug: 'web', status: 'active' },
    project: { id: other.id, serviceCount: 1, services: [{ id: web.id }] },
    proxy: { ok: true, detail: expect.stringMatching(/^web\.localhost answered 200 through the proxy/) },
  });
  expect(await answer()).toBe(before);
  expect(await networksOf(web.id)).toEqual([`longshore-${shop.id}`]);

  await repository.commit({ ...webApp('v2'), '.env.example': '' });
  const deployment = await deploy(web.id);
  const log = await longshore.log(deployment.id);
  expect(deployment.status, log).toBe('running');
  expect(log).toContain(
    'Warning: GREETING: ${main-db.DATABASE_URL} stays as written, because the project has no service "main-db".',
  );
  expect(log).not.toContain('Could not');
  expect(await answer()).toBe('v2 ${main-db.DATABASE_URL}');
  expect(await networksOf(web.id)).toEqual([`longshore-${other.id}`]);
  const { suggestions } = await ask('GET', `/api/services/${web.id}/suggestion-keys`);
  expect(suggestions, 'the repository names none any more').toEqual([]);
});

test('a service transferred back during a deployment lets it finish, and its old project is deleted without it', async () => {
  const build = `RUN echo begun by ${web.id} && sleep 4`; // new to the build cache
  await repository.commit({ Dockerfile: webApp('v2').Dockerfile.replace('WORKDIR', `${build}\nWORKDIR`) });
  const { deployment } = await ask('POST', `/api/services/${web.id}/deployments`);
  for await (const { data } of longshore.events(`/api/deployments/${deployment.id}/stream`)) {
    if (JSON.stringify(data).includes('begun by')) break;
  }
  await ask('POST', `/api/services/${web.id}/transfer`, { targetProjectId: shop.id });
  expect((await longshore.finished(deployment.id, web.id)).status).toBe('running');
  expect(await networksOf(web.id)).toEqual([`longshore-${other.id}`]);
  expect(await ask('DELETE', `/api/projects/${other.id}`)).toMatchObject({ ok: true });
  expect(await answer(), 'what runs of it began in the project that is gone').toContain('v2');
  expect((await deploy(web.id)).status).toBe('running');
  expect(await networksOf(web.id)).toEqual([`longshore-${shop.id}`]);
  expect(await answer()).toMatch(/^v2 postgresql:/);
});

test('deleting a database reports until when it can be restored', async () => {
  const from = Date.now() + 72 * 3_600_000;
  const { proxy } = await ask('DELETE', `/api/services/${database.id}`);
  const [, moment = ''] = /It can be restored until (\S+Z) with POST/.exec(proxy.detail) ?? [];
  expect(Date.parse(moment)).toBeGreaterThanOrEqual(from);
  expect(Date.parse(moment)).toBeLessThan(from + 60_000);
  expect((await overview(web.id)).warnings).toHaveLength(1);
});
