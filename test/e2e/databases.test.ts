// biome-ignore-all lint/suspicious/noTemplateCurlyInString: references of variables are written like that
/** Databases end to end: created, deployed, used by a web service over the project's network, reached at their port, deleted with their data. */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import Docker from 'dockerode';
import type pg from 'pg';
import { beforeAll, expect, test } from 'vitest';
import type { Json } from '../support/instance/longshore.ts';
import { useInstance, useRepositories } from '../support/instance/use-instance.ts';
import { withPostgres } from '../support/postgres-client.ts';

const docker = new Docker();
const repositories = useRepositories();
const longshore = useInstance();
const { ask, deploy, overview } = longshore;
let project: Json;
let postgres: Json;
let redis: Json;
let web: Json;

beforeAll(async () => {
  project = await longshore.newProject('Shop');
});

const create = (fields: Json) => longshore.newService(project, { branch: 'main', env: [], ...fields });
const createDatabase = (name: string, engine: string) =>
  create({ name, repoUrl: 'database', repoFullName: `database:${engine}` });

/** Packages of this checkout as files of a repository, so that its build needs no package registry. */
async function packages(...names: string[]): Promise<Record<string, string>> {
  const root = fileURLToPath(new URL('../../node_modules', import.meta.url));
  const files: Record<string, string> = {};
  for (const name of names) {
    for (const entry of await readdir(join(root, name), { recursive: true, withFileTypes: true })) {
      const path = join(entry.parentPath, entry.name);
      if (entry.isFile() && /\.(c?js|json)$/.test(path))
        files[`node_modules/${path.slice(root.length + 1)}`] = await readFile(path, 'utf8');
    }
  }
  return files;
}

const pgPackages = ['pg', 'pg-connection-string', 'pg-int8', 'pg-pool', 'pg-protocol', 'pg-types', 'pgpass'];
const pgDependencies = [
  'postgres-array',
  'postgres-bytea',
  'postgres-date',
  'postgres-interval',
  'split2',
  'xtend',
];

/** Answers with a row of the one database and an answer of the other. */
const server = `
  const { connect } = require('node:net');
  const pg = require('pg');
  const redis = new URL(process.env.REDIS_URL);
  const say = (words) => new Promise((resolve, reject) => {
    const socket = connect(redis.port, redis.hostname, () => socket.write(words));
    socket.on('error', reject);
    socket.on('data', (data) => { if (String(data).includes('hello')) { socket.destroy(); resolve('hello'); } });
  });
  require('node:http').createServer(async (request, response) => {
    try {
      const client = new pg.Client(process.env.DATABASE_URL);
      await client.connect();
      const { rows } = await client.query('SELECT answer FROM kept');
      await client.end();
      const password = decodeURIComponent(redis.password);
      const greeting = await say('AUTH ' + password + '\\r\\nECHO hello\\r\\n');
      response.end(rows[0].answer + ' ' + greeting);
    } catch (error) {
      response.statusCode = 500;
      response.end(String(error));
    }
  }).listen(process.env.PORT);
`;

/** A row of what a client on this host gets at the published port. @param ssl left out: without TLS */
async function row(sql: string, ssl: pg.ClientConfig['ssl'] = false): Promise<unknown> {
  const { env } = await overview(postgres.id);
  const login = Object.fromEntries(env.map(({ key, value }: Json) => [key, value]));
  const ask = (client: pg.Client) => client.query({ text: sql, rowMode: 'array' });
  return (await withPostgres({ port: postgres.hostPort }, login, ask, { ssl })).rows[0];
}

const publishedAt = async () => {
  const { HostConfig } = await docker.getContainer(`longshore-${postgres.id}-stable`).inspect();
  return HostConfig.PortBindings['5432/tcp'];
};

test('databases are deployed and answer only at a port of this host', async () => {
  postgres = await createDatabase('Postgres DB', 'postgres');
  redis = await createDatabase('Cache', 'redis');
  await Promise.all([deploy(postgres.id), deploy(redis.id)]);
  await row('CREATE TABLE kept AS SELECT 42 AS answer');
  expect(await publishedAt()).toEqual([{ HostIp: '127.0.0.1', HostPort: String(postgres.hostPort) }]);
  const { service } = await ask('GET', `/api/services/${postgres.id}/overview`);
  expect(service).toMatchObject({ status: 'active', reachable: true });
});

test('a web service reaches them by the variables that refer to them', async () => {
  const app = {
    Dockerfile: 'FROM node:24-slim\nWORKDIR /app\nCOPY . .\nUSER node\nCMD ["node", "server.js"]\n',
    'server.js': server,
    ...(await packages(...pgPackages, ...pgDependencies)),
  };
  await repositories.add('shop', app);
  web = await create({
    name: 'web',
    repoFullName: null,
    repoUrl: `${repositories.url}/shop`,
    env: [
      { key: 'DATABASE_URL', value: '${postgres-db.DATABASE_URL}' },
      { key: 'REDIS_URL', value: '${cache.REDIS_URL}' },
    ],
  });
  await deploy(web.id);
  expect(await (await fetch(`http://127.0.0.1:${web.hostPort}`)).text()).toBe('42 hello');
});

test('a database is opened to all addresses by its next deployment, keeps its data, and still serves the web service', async () => {
  await ask('PATCH', `/api/services/${postgres.id}`, { databasePublicEnabled: true });
  await deploy(postgres.id);
  expect(await publishedAt()).toEqual([{ HostIp: '0.0.0.0', HostPort: String(postgres.hostPort) }]);
  expect(await row('SELECT answer FROM kept')).toEqual([42]);
  expect(await (await fetch(`http://127.0.0.1:${web.hostPort}`)).text()).toBe('42 hello');
});

const tlsOf = async ({ id }: Json) => (await ask('GET', `/api/services/${id}/database/tls`)).tls;
const version = (ssl: pg.ClientConfig['ssl']) =>
  row('SELECT version FROM pg_stat_ssl WHERE pid = pg_backend_pid()', ssl);
let ca: string;

test('a client verifies the public database by its host name and the CA that the API gives; no other name', async () => {
  await ask('PATCH', `/api/services/${postgres.id}`, { databasePublicHostname: 'db.example.test' });
  await deploy(postgres.id);
  expect(await tlsOf(postgres)).toEqual({
    active: true,
    caCertAvailable: true,
    publicHostname: 'db.example.test',
    publicPort: postgres.hostPort,
  });
  const file = await longshore.download(`/api/services/${postgres.id}/database/tls/ca`);
  expect([file.status, file.headers.get('content-type')]).toEqual([200, 'application/x-pem-file']);
  ca = await file.text();
  for (const servername of ['db.example.test', 'postgres-db', 'localhost'])
    expect(await version({ ca, servername })).toEqual(['TLSv1.3']);
  const wrong = version({ ca, servername: 'other.example.test' });
  await expect(wrong).rejects.toMatchObject({ code: 'ERR_TLS_CERT_ALTNAME_INVALID' });
  await expect(version({ servername: 'db.example.test' })).rejects.toThrow(/certificate|verify/);
});

test('the CA is the same after a restart of the runner', async () => {
  await longshore.stop();
  await longshore.start();
  const tls = async () => (await longshore.call('GET', `/api/services/${postgres.id}/database/tls`)).body.tls;
  await expect.poll(tls, { timeout: 60_000 }).toMatchObject({ active: true });
  const again = await longshore.download(`/api/services/${postgres.id}/database/tls/ca`);
  expect(await again.text()).toBe(ca);
});

test('Redis has no TLS', async () => {
  for (const path of ['tls', 'tls/ca']) {
    const reply = await longshore.call('GET', `/api/services/${redis.id}/database/${path}`);
    expect([reply.status, reply.body.code]).toEqual([400, 'unsupported']);
  }
});

test('a deleted database has no container any more, while its data waits for its day', async () => {
  await ask('DELETE', `/api/services/${postgres.id}`);
  await expect(docker.getContainer(`longshore-${postgres.id}-stable`).inspect()).rejects.toMatchObject({
    statusCode: 404,
  });
  const volume = await docker.getVolume(`longshore-${postgres.id}-data`).inspect();
  expect(volume.Labels?.['longshore.service']).toBe(postgres.id);
});
