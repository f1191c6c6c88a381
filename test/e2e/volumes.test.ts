/** A service that keeps files in a volume, on a real host: through deployments, a restart of the host, a deletion and a restore. */
import Docker from 'dockerode';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { buildImage, removeImages } from '../support/instance/image.ts';
import { killNine } from '../support/instance/instance-processes.ts';
import type { Json } from '../support/instance/longshore.ts';
import { useInstance } from '../support/instance/use-instance.ts';

/** Each visit adds a line to a file of the volume; the answer is how many there are. */
const counter = `const fs = require('fs'), file = '/data/visits';
require('http').createServer((_, reply) => {
  fs.appendFileSync(file, 'x');
  reply.end(String(fs.readFileSync(file).length));
}).listen(3000);
process.on('SIGTERM', () => process.exit());`;
const image = 'longshore-e2e-volumes:1';
const docker = new Docker();
afterAll(() => removeImages(image));
const longshore = useInstance();
const { ask, overview } = longshore;
let service: Json;
let volume: Json;

beforeAll(async () => {
  await buildImage(image, {
    'server.js': counter,
    Dockerfile: 'FROM node:24-slim\nCOPY server.js /server.js\nUSER node\nCMD ["node", "/server.js"]\n',
  });
  const project = await longshore.newProject('Shop');
  const ofImage = { repoUrl: 'container-image', imageRef: image, internalPort: 3000 };
  service = await longshore.newService(project, { name: 'counter', ...ofImage });
  const body = { name: 'visits', mountPath: '/data', sizeMb: 64 };
  volume = (await ask('POST', `/api/services/${service.id}/volumes`, body)).volume;
  await longshore.deploy(service.id);
});

const visit = async () => (await fetch(service.localUrl)).text();
const volumes = async () =>
  (await docker.listVolumes({ filters: { label: [`longshore.service=${service.id}`] } })).Volumes;

test('files in a volume outlive deployments, restarts of the service and of its host', async () => {
  expect(await visit()).toBe('1');
  await longshore.deploy(service.id);
  expect(await visit()).toBe('2');
  const { deployment, detail } = await ask('POST', `/api/services/${service.id}/restart`);
  expect(detail).toContain('has a volume');
  await longshore.finished(deployment.id, service.id);
  await longshore.stop();
  await longshore.start();
  expect(await visit()).toBe('3');
  await expect.poll(async () => (await overview(service.id)).volumes[0].usedMb, { timeout: 30_000 }).toBe(1);
});

test('a restore brings back the files of a backup, as often as it is asked', async () => {
  const path = `/api/services/${service.id}/volume-backups`;
  const body = { volumeId: volume.id, storage: 'disk', quiesce: 'stop' };
  const { backup, detail } = await ask('POST', path, body);
  expect(detail).toContain('is stopped while its volume is copied');
  const listed = async () => (await ask('GET', path)).backups.find(({ id }: Json) => id === backup.id);
  await expect.poll(async () => (await listed()).status, { timeout: 60_000 }).toBe('succeeded');
  for (let times = 1; times <= 2; times++) {
    await expect.poll(() => visit().catch(() => '')).toBe('4');
    expect(await ask('POST', `${path}/${backup.id}/restore`)).toMatchObject({ ok: true });
  }
  const { restore, entries } = await listed();
  expect([restore.state, entries]).toEqual(['succeeded', 2]);
  await ask('POST', `${path}/${backup.id}/prove`);
  await expect.poll(async () => (await listed()).drill.state, { timeout: 60_000 }).toBe('succeeded');
  expect(await volumes()).toHaveLength(1);
});

test('a runner that is killed while only the new version runs brings the old one back, on the same data', async () => {
  const path = `/api/services/${service.id}`;
  const deaf = [
    'node',
    '-e',
    `require('fs').appendFileSync('/data/visits', 'x'); setInterval(() => {}, 1e6)`,
  ];
  await ask('PATCH', path, { command: deaf });
  const { deployment } = await ask('POST', `${path}/deployments`);
  const running = async () => {
    const label = [`longshore.service=${service.id}`, 'longshore.role=app'];
    return (await docker.listContainers({ filters: { label } })).map(({ Names }) => Names[0]?.slice(1));
  };
  const made = `longshore-${service.id}-${deployment.id}`;
  await expect.poll(running, { timeout: 60_000 }).toEqual([made]);
  await killNine(longshore.dataDirectory, ['runner']);
  const { status, failureCode } = await longshore.finished(deployment.id, service.id);
  expect([status, failureCode]).toEqual(['failed', 'runner_restarted']);
  expect(await running()).toEqual([`longshore-${service.id}-stable`]);
  await expect.poll(visit).toBe('5');
  await ask('PATCH', path, { command: null });
});

test('a restart mounts the files of now, a command reads them with secrets masked, and a rollback brings the earlier ones back', async () => {
  const path = `/api/services/${service.id}`;
  const { deployment: before } = await ask('POST', `${path}/deployments`);
  await longshore.finished(before.id, service.id);
  await ask('PUT', `${path}/files`, { path: '/etc/app/key', content: 'canary-key', mode: '0400' });
  expect((await overview(service.id)).pendingFiles).toEqual(['/etc/app/key']);
  const { deployment } = await ask('POST', `${path}/restart`);
  await longshore.finished(deployment.id, service.id);
  expect((await overview(service.id)).pendingFiles).toEqual([]);
  const { run } = await ask('POST', `${path}/run`, {
    command: 'cat /etc/app/key; stat -c "%a %U" /etc/app/key; echo x > /etc/app/key || echo refused',
  });
  for await (const _ of longshore.events(`${path}/runs/${run.id}/stream`));
  const { logs } = await ask('GET', `${path}/runs/${run.id}/logs`);
  const output = logs.map(({ line }: Json) => line).join('\n');
  expect(output).toMatch(/\*\*\*.*400 node.*refused/s);
  expect(output).not.toContain('canary-key');
  const inContainer = async () => {
    const exec = await docker
      .getContainer(`longshore-${service.id}-stable`)
      .exec({ Cmd: ['grep', '-q', 'canary-key', '/etc/app/key'] });
    await exec.start({});
    await expect.poll(async () => (await exec.inspect()).Running).toBe(false);
    return (await exec.inspect()).ExitCode === 0;
  };
  expect(await inContainer()).toBe(true);
  const rollback = (await ask('POST', `/api/deployments/${before.id}/rollback`)).deployment;
  await longshore.finished(rollback.id, service.id);
  expect(await inContainer()).toBe(false);
});

test('a deleted service keeps the data of its volume, and serves it again after its restore', async () => {
  await ask('DELETE', `/api/services/${service.id}`);
  expect(await volumes()).toHaveLength(1);
  await ask('POST', `/api/services/${service.id}/restore`);
  await expect
    .poll(async () => (await overview(service.id)).service.status, { timeout: 60_000 })
    .toBe('active');
  expect(await visit()).toBe('6');
});

test('a deleted volume is not mounted by the next version, and its purge removes it from the host', async () => {
  await ask('DELETE', `/api/services/${service.id}/volumes/${volume.id}`);
  const added = { name: 'fresh', mountPath: '/data' };
  await ask('POST', `/api/services/${service.id}/volumes`, added);
  await longshore.deploy(service.id);
  expect(await visit()).toBe('1');
  await longshore.operate('POST', `/api/system/deleted/${volume.id}/purge`);
  await expect.poll(async () => (await volumes()).length, { timeout: 30_000 }).toBe(1);
});
