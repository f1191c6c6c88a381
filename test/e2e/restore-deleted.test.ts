// biome-ignore-all lint/suspicious/noTemplateCurlyInString: references of variables are written like that
/** A project with an app and a Postgres that is deleted, restored, deleted again and purged, on real containers; the runner dies on the way. */
import Docker from 'dockerode';
import { expect, test } from 'vitest';
import { killNine } from '../support/instance/instance-processes.ts';
import type { Json } from '../support/instance/longshore.ts';
import { useInstance, useRepositories } from '../support/instance/use-instance.ts';
import { postgresRows } from '../support/postgres-client.ts';

const docker = new Docker();
const repositories = useRepositories();
const longshore = useInstance();
const { ask, deploy, overview } = longshore;
let project: Json;
let database: Json;
let app: Json;

const create = (fields: Json) => longshore.newService(project, { branch: 'main', env: [], ...fields });

async function query(sql: string): Promise<unknown[]> {
  const { env, service } = await overview(database.id);
  const login = Object.fromEntries(env.map(({ key, value }: Json) => [key, value]));
  return await postgresRows({ port: service.hostPort }, login, sql);
}

/** Answers once it has reached the database. */
const server = `
  const { connect } = require('node:net');
  const { hostname, port } = new URL(process.env.DATABASE_URL);
  require('node:http').createServer((request, response) => {
    const socket = connect(port, hostname, () => { socket.destroy(); response.end('reached ' + process.env.GREETING); });
    socket.on('error', (error) => { response.statusCode = 500; response.end(String(error)); });
  }).listen(process.env.PORT);
`;
const answer = async () => (await fetch(`http://127.0.0.1:${app.hostPort}`)).text();

const labelled = (id: string) => ({ filters: { label: [`longshore.service=${id}`] }, all: true });
const containers = async () =>
  (await Promise.all([database.id, app.id].map((id) => docker.listContainers(labelled(id))))).flat().length;
const volumes = async () => (await docker.listVolumes(labelled(database.id))).Volumes.length;
const images = async () =>
  (await docker.listImages())
    .flatMap(({ RepoTags }) => RepoTags ?? [])
    .filter((tag) => tag.includes(`longshore-${app.id}-`)).length;
const backups = async () =>
  (await ask('GET', `/api/services/${database.id}/database/backups`)).backups.map(({ id, status }: Json) => [
    id,
    status,
  ]);

test('an app and a database with rows and a backup run', async () => {
  project = (await ask('POST', '/api/projects', { name: 'Shop', description: '' })).project;
  database = await create({ name: 'db', repoUrl: 'database', repoFullName: 'database:postgres' });
  await repositories.add('app', {
    Dockerfile: 'FROM node:24-slim\nWORKDIR /app\nCOPY . .\nUSER node\nCMD ["node", "server.js"]\n',
    'server.js': server,
  });
  app = await create({
    name: 'app',
    repoFullName: null,
    repoUrl: `${repositories.url}/app`,
    env: [
      { key: 'DATABASE_URL', value: '${db.DATABASE_URL}' },
      { key: 'GREETING', value: 'hello' },
    ],
  });
  await deploy(database.id);
  await query('CREATE TABLE kept AS SELECT generate_series(1, 1000) AS n');
  await deploy(app.id);
  expect(await answer()).toBe('reached hello');
  const { backup } = await ask('POST', `/api/services/${database.id}/database/backups`, { storage: 'disk' });
  await expect.poll(backups, { timeout: 60_000 }).toEqual([[backup.id, 'succeeded']]);
});

test('a deletion that the runner dies in stops the containers, and keeps data and images over a restart of everything', async () => {
  const deleting = ask('DELETE', `/api/projects/${project.id}`);
  await killNine(longshore.dataDirectory, ['runner']);
  await deleting;
  expect((await longshore.call('GET', `/api/projects/${project.id}`)).status).toBe(404);
  await expect.poll(containers, { timeout: 90_000 }).toBe(0);
  await longshore.stop();
  await longshore.start();
  expect([await containers(), await volumes(), await images()]).toEqual([0, 1, 1]);
  expect(await answer()).toContain('Nothing is deployed');
});

test('a restore brings back rows, backups and the app without a build', async () => {
  const sourceGone = repositories.close();
  const { changes } = await ask('POST', `/api/projects/${project.id}/restore`);
  expect(changes).toEqual([]);
  for (const { id } of [database, app]) {
    const { deployments } = await ask('GET', `/api/services/${id}/deployments`);
    expect(deployments[0].trigger).toBe('restore');
    const { status } = await longshore.finished(deployments[0].id, id);
    expect(status, await longshore.log(deployments[0].id)).toBe('running');
  }
  expect(await query('SELECT count(*)::int AS rows FROM kept')).toEqual([{ rows: 1000 }]);
  expect(await answer()).toBe('reached hello');
  expect(await backups()).toHaveLength(1);
  await sourceGone;
});

test('a purge removes what a deletion kept', async () => {
  await ask('DELETE', `/api/projects/${project.id}`);
  expect(await volumes()).toBe(1);
  const { deleted } = await ask('GET', '/api/system/deleted', undefined, longshore.operatorToken);
  expect(deleted).toMatchObject([{ id: project.id, runnerIds: [longshore.runnerId] }]);
  await ask('POST', `/api/system/deleted/${project.id}/purge`, undefined, longshore.operatorToken);
  await expect.poll(volumes, { timeout: 60_000 }).toBe(0);
  await expect.poll(images, { timeout: 60_000 }).toBe(0);
  expect((await longshore.call('POST', `/api/projects/${project.id}/restore`)).status).toBe(404);
});
