/** What runs on the machine in every round: an app, an app with a volume, and a database, with known data. */
import { createHash } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { inMachine } from '../machine.ts';
import { addressOf, type MachinePlaces } from '../places.ts';
import { api, type Json, upload } from './api.ts';

export interface Scene {
  machine: MachinePlaces;
  runnerId: string;
  /** A second host, to which the app with the volume moves and from which it comes back. */
  other?: { machine: MachinePlaces; runnerId: string };
  web: Json;
  files: Json;
  database: Json;
  volumeId: string;
  /** What the app of a deployment answers. */
  versions: Map<string, string>;
  /** Digests of what must never change. */
  data: { files: string; rows: string };
}

const endLimitMs = 240_000;
const pollMs = 500;
const rows = 1_000;

export async function makeScene(machine: MachinePlaces, other?: MachinePlaces): Promise<Scene> {
  const runnerId = await runnerOf(machine);
  // Of a run that was broken off.
  const { projects } = await api('GET', '/api/projects');
  for (const old of projects)
    if (old.name === `Faults ${machine.name}`) await api('DELETE', `/api/projects/${old.id}`);
  const { project } = await api('POST', '/api/projects', { name: `Faults ${machine.name}`, description: '' });
  const services = `/api/projects/${project.id}/services`;
  const app = { repoUrl: 'upload', runnerId };
  const made = async (fields: Json) => (await api('POST', services, { ...fields, env: [] })).service;
  const scene: Scene = {
    machine,
    runnerId,
    ...(other && { other: { machine: other, runnerId: await runnerOf(other) } }),
    web: await made({ ...app, name: 'web' }),
    files: await made({ ...app, name: 'files' }),
    database: await made({ name: 'db', repoUrl: 'database', repoFullName: 'database:postgres', runnerId }),
    volumeId: '',
    versions: new Map(),
    data: { files: '', rows: '' },
  };
  const volume = { name: 'data', mountPath: '/data' };
  scene.volumeId = (await api('POST', `/api/services/${scene.files.id}/volumes`, volume)).volume.id;
  for (const deployment of [
    await deployApp(scene, scene.web, 'first'),
    await deployApp(scene, scene.files, 'files'),
    (await api('POST', `/api/services/${scene.database.id}/deployments`)).deployment,
  ])
    await untilRunning(deployment);
  await fill(scene);
  scene.data = await readData(scene);
  if (scene.other) {
    // The first move leaves the volume there, for the time in which it can be restored.
    await untilRunning(await moveFiles(scene, scene.other.runnerId));
    await untilRunning(await moveFiles(scene, runnerId));
  }
  return scene;
}

async function runnerOf({ name }: MachinePlaces): Promise<string> {
  const { runners } = await api('GET', '/api/system/runners');
  const runner = runners.findLast((one: Json) => one.name === name && one.connected);
  if (!runner) throw new Error(`${name} is not connected: npm run lab -- add-host ${name}`);
  return runner.id;
}

/** @returns the deployment that moves it */
export const moveFiles = async ({ files }: Scene, runnerId: string): Promise<Json> =>
  (await api('POST', `/api/services/${files.id}/move`, { runnerId })).deployment;

/** Takes the app with the volume back to its machine, wherever a move has left it. */
export async function bringHome(scene: Scene): Promise<void> {
  const { service } = await api('GET', `/api/services/${scene.files.id}`);
  if (service.runnerId !== scene.runnerId) await untilRunning(await moveFiles(scene, scene.runnerId));
}

const program = (version: string) =>
  `require('node:http').createServer((q, s) => s.end(${JSON.stringify(version)})).listen(process.env.PORT ?? 3000); process.on('SIGTERM', () => process.exit(0));\n`;

/** Queues a deployment of an app that answers `version`. */
export async function deployApp(scene: Scene, service: Json, version: string): Promise<Json> {
  const uploadId = await upload(service.id, {
    Dockerfile: 'FROM node:24-slim\nCOPY server.js .\nCMD ["node", "server.js"]\n',
    'server.js': program(version),
  });
  const { deployment } = await api('POST', `/api/services/${service.id}/deployments`, { uploadId });
  scene.versions.set(deployment.id, version);
  return deployment;
}

/** @throws Error when it fails */
export async function untilRunning({ id, serviceId }: Json): Promise<void> {
  const endsAt = performance.now() + endLimitMs;
  for (;;) {
    const { deployments } = await api('GET', `/api/services/${serviceId}/deployments`);
    const found = deployments.find((one: Json) => one.id === id);
    if (found.status === 'running') return;
    if (['failed', 'aborted'].includes(found.status) || performance.now() > endsAt)
      throw new Error(`the scene's deployment ${id}: ${found.status} ${found.failureMessage ?? ''}`);
    await pause(pollMs);
  }
}

async function fill(scene: Scene): Promise<void> {
  const write = 'for i in $(seq 200); do echo "line $i" >/data/file-$i; done; sync';
  await inMachine(scene.machine, [
    'docker',
    'exec',
    await containerOf(scene, scene.files),
    'sh',
    '-c',
    write,
  ]);
  for (const sql of [
    'create table kept (id int primary key, text text not null)',
    `insert into kept select n, 'row ' || n from generate_series(1, ${rows}) n`,
  ])
    await psql(scene, sql);
}

/** @returns what it prints, without headings */
async function psql(scene: Scene, sql: string): Promise<string> {
  const script =
    'PGPASSWORD="$POSTGRES_PASSWORD" psql --no-psqlrc -v ON_ERROR_STOP=1 -At -h 127.0.0.1 -U "$POSTGRES_USER" -d "$POSTGRES_DB" -c "$0"';
  const container = await containerOf(scene, scene.database);
  return (await inMachine(scene.machine, ['docker', 'exec', container, 'sh', '-c', script, sql])).trim();
}

/** Of the running container; its name changes with each version. */
async function containerOf({ machine }: Scene, { id }: Json): Promise<string> {
  const format = ['--filter', `label=longshore.service=${id}`, '--format', '{{.Names}}'];
  const names = await inMachine(machine, ['docker', 'ps', ...format]);
  const [name] = names.trim().split('\n');
  if (!name) throw new Error(`no container of ${id} runs`);
  return name;
}

/** Digests of the files in the volume and of the rows in the database. */
export async function readData(scene: Scene): Promise<Scene['data']> {
  const list = 'cd /data && ls | sort | while read f; do echo "$f $(cat "$f")"; done';
  const container = await containerOf(scene, scene.files);
  const text = await inMachine(scene.machine, ['docker', 'exec', container, 'sh', '-c', list]);
  const sql = "select count(*) || ' ' || md5(string_agg(id || text, ',' order by id)) as digest from kept";
  return { files: createHash('sha256').update(text).digest('hex'), rows: await psql(scene, sql) };
}

/** What the app answers through the proxy; undefined while it does not. */
export async function answerOf({ machine, web }: Scene, limitMs = 3_000): Promise<string | undefined> {
  // Node's fetch sets no Host header.
  const { request } = await import('node:http');
  const host = new URL(web.primaryUrl).host;
  return await new Promise((resolve) => {
    const asked = request({ host: addressOf(machine), headers: { host }, agent: false, timeout: limitMs });
    asked.once('timeout', () => asked.destroy());
    asked.once('error', () => resolve(undefined));
    asked.once('response', (answer) => {
      let text = '';
      answer.setEncoding('utf8');
      answer.on('data', (part) => (text += part));
      answer.once('error', () => resolve(undefined));
      answer.once('end', () => resolve(answer.statusCode === 200 ? text : undefined));
    });
    asked.end();
  });
}
