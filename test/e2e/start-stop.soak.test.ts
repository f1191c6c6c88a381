// biome-ignore-all lint/suspicious/noTemplateCurlyInString: references of variables are written like that
/** Restart, stop and start of every kind of service, with a real host that is restarted in between. */
import Docker from 'dockerode';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { labels } from '../../protocol/names.ts';
import { buildImage, removeImages } from '../support/instance/image.ts';
import type { Json } from '../support/instance/longshore.ts';
import { webApp } from '../support/instance/repository.ts';
import { useInstance, useRepositories } from '../support/instance/use-instance.ts';

const docker = new Docker();
const image = 'longshore-e2e-start-stop:1';
afterAll(() => removeImages(image));
const repositories = useRepositories();
const longshore = useInstance();
const { ask, overview } = longshore;
let web: Json;
let site: Json;
let worker: Json;
let database: Json;
let schedule: Json;

beforeAll(async () => {
  await buildImage(image, webApp('hosted'));
  const project = await longshore.newProject('Shop');
  const ofImage = { repoUrl: 'container-image', imageRef: image, internalPort: 3000 };
  web = await longshore.newService(project, { name: 'web', ...ofImage });
  worker = await longshore.newService(project, { name: 'worker', ...ofImage, runtimeMode: 'worker' });
  const pages = await repositories.add('pages', { 'index.html': 'a page' });
  const ofGit = { repoFullName: null, repoUrl: `${repositories.url}/${pages.name}`, branch: 'main' };
  site = await longshore.newService(project, { name: 'site', ...ofGit, runtimeMode: 'static' });
  for (const { id } of [web, worker, site]) await longshore.deploy(id);
  database = await longshore.newDatabase('redis', {}, project);
  const cron = { name: 'each minute', cron: '* * * * *', command: 'echo "by the clock"' };
  schedule = (await post(worker, 'schedules', cron)).schedule;
});

const statusOf = async ({ id }: Json) => (await overview(id)).service.status;
const visit = async ({ localUrl }: Json, accept = '*/*') => {
  const reply = await fetch(localUrl, { headers: { accept } });
  return [reply.status, await reply.text()];
};
const post = ({ id }: Json, path: string, body?: unknown) => ask('POST', `/api/services/${id}/${path}`, body);
const containerOf = ({ id }: Json) => docker.getContainer(`longshore-${id}-stable`).inspect();
const isRunning = async (service: Json) => (await containerOf(service)).State.Running;

/** Restarts or starts it, and waits until the new container is live. @returns the log */
async function again(service: Json, path: 'restart' | 'start'): Promise<string> {
  const { deployment } = await post(service, path);
  const ended = await longshore.finished(deployment.id, service.id);
  const log = await longshore.log(deployment.id);
  expect([ended.status, ended.trigger], log).toEqual(['running', 'restart']);
  return log;
}

test('a changed variable is live after a restart, without a build and without a lost request', async () => {
  const before = (await containerOf(web)).Id;
  await post(web, 'env', { key: 'GREETING', value: 'changed' });
  expect((await overview(web.id)).pendingVariables).toEqual(['GREETING']);
  const { deployment } = await post(web, 'restart');
  const seen = new Set<unknown>();
  while (!seen.has('200 hosted changed')) seen.add((await visit(web)).join(' '));
  expect([...seen].filter((answer) => !String(answer).startsWith('200 hosted'))).toEqual([]);
  await longshore.finished(deployment.id, web.id);
  expect(await longshore.log(deployment.id)).toContain('starting its stored image, nothing is built');
  expect((await overview(web.id)).pendingVariables).toEqual([]);
  expect((await containerOf(web)).Id).not.toBe(before);
});

test('a stopped service of every kind stays stopped when the host starts again, and its visitors are told', async () => {
  await post(database, 'database/query', { sql: 'SET kept "yes"' });
  for (const service of [web, worker, site, database]) {
    const answer = await post(service, 'stop');
    expect([answer.service.status, answer.proxy.ok], answer.proxy.detail).toEqual(['stopped', true]);
  }
  const check = async () => {
    for (const service of [web, worker, database]) expect(await isRunning(service)).toBe(false);
    for (const service of [web, site]) {
      expect(await visit(service)).toEqual([503, expect.stringMatching(/^\S+ is stopped\./)]);
      expect(await visit(service, 'text/html')).toEqual([503, expect.stringContaining('<!doctype html>')]);
    }
    const all = [web, worker, site, database];
    expect(await Promise.all(all.map(statusOf))).toEqual(all.map(() => 'stopped'));
  };
  await check();
  await longshore.stop();
  await longshore.start();
  await check();
});

test('a stopped service of every kind starts again, with its data', async () => {
  for (const service of [web, worker, site, database]) {
    await again(service, 'start');
    expect(await statusOf(service)).toBe('active');
  }
  expect(await visit(web)).toEqual([200, 'hosted changed']);
  expect(await visit(site)).toEqual([200, 'a page']);
  expect(await isRunning(worker)).toBe(true);
  expect((await post(database, 'database/query', { sql: 'GET kept' })).rows).toEqual([{ value: 'yes' }]);
});

test('a restart gives the container of an image its command, user, shared memory and names of variables', async () => {
  const command = [
    'node',
    '-e',
    'require("http").createServer((_, r) => r.end(process.getuid() + process.env.a__b)).listen(3000)',
  ];
  await post(web, 'env', { key: 'A', value: ' with ${PUBLIC_HOST}' });
  const variableNames = [{ key: 'A', name: 'a__b' }];
  await ask('PATCH', `/api/services/${web.id}`, {
    command,
    user: '1234:1234',
    shmSizeMb: 80,
    variableNames,
  });
  await again(web, 'restart');
  expect(await visit(web)).toEqual([200, `1234 with ${new URL(web.primaryUrl).host}`]);
  expect((await containerOf(web)).HostConfig.ShmSize).toBe(80 * 2 ** 20);
});

test('a database restarts in place: its image and its data stay', async () => {
  const before = await containerOf(database);
  expect(await again(database, 'restart')).toContain('nothing is pulled');
  const after = await containerOf(database);
  expect([after.Image, after.Id === before.Id]).toEqual([before.Image, false]);
  expect((await post(database, 'database/query', { sql: 'GET kept' })).rows).toEqual([{ value: 'yes' }]);
});

/** Runs a command in the image of `worker`, and follows it to its end. */
async function ran(command: string, more = {}): Promise<{ run: Json; output: string }> {
  const { run } = await post(worker, 'run', { command, ...more });
  const path = `/api/services/${worker.id}/runs/${run.id}`;
  for await (const _ of longshore.events(`${path}/stream`));
  const { logs } = await ask('GET', `${path}/logs`);
  return { run: (await ask('GET', path)).run, output: logs.map(({ line }: Json) => line).join('\n') };
}

const leftOf = (run: Json) =>
  docker.listContainers({ all: true, filters: { label: [`${labels.deployment}=${run.id}`] } });

test('a command runs in a container of its own, with the variables and network of its service, and leaves nothing', async () => {
  await post(worker, 'env', { key: 'API_SECRET', value: 'canary-value' });
  const { run, output } = await ran(
    'echo "secret $API_SECRET"; node -e \'require("dns").lookup("db", (e, a) => console.log(e ? e.code : "found db"))\'',
  );
  expect([run.status, run.exitCode], output).toEqual(['succeeded', 0]);
  expect(output).toContain('secret ***');
  expect(output).toContain('found db');
  expect(await leftOf(run)).toEqual([]);
});

test('the exit code, the end of the time and an abort of a command are told', async () => {
  const failed = await ran('echo before; exit 3');
  expect(failed.run).toMatchObject({
    status: 'failed',
    exitCode: 3,
    error: 'The command ended with exit code 3.',
  });
  const late = await ran('trap "exit 0" TERM; sleep 60 & wait', { timeLimitSeconds: 1 });
  expect(late.run).toMatchObject({
    status: 'failed',
    exitCode: null,
    error: expect.stringContaining('within 1 s'),
  });
  const { run } = await post(worker, 'run', { command: 'trap "exit 0" TERM; sleep 60 & wait' });
  await expect.poll(async () => (await leftOf(run)).length, { timeout: 10_000 }).toBe(1);
  await post(worker, `runs/${run.id}/abort`);
  for await (const _ of longshore.events(`/api/services/${worker.id}/runs/${run.id}/stream`));
  expect((await ask('GET', `/api/services/${worker.id}/runs/${run.id}`)).run.status).toBe('aborted');
  expect(await leftOf(run)).toEqual([]);
});

test('a schedule has started its command in the minutes since', async () => {
  const path = `schedules/${schedule.id}`;
  const ended = async () => {
    const { occurrences } = await ask('GET', `/api/services/${worker.id}/${path}/occurrences`);
    return occurrences.filter(({ run }: Json) => run?.status === 'succeeded');
  };
  await expect.poll(ended, { timeout: 90_000, interval: 1_000 }).not.toEqual([]);
  const [{ run }] = await ended();
  const { logs } = await ask('GET', `/api/services/${worker.id}/runs/${run.id}/logs`);
  expect(logs.map(({ line }: Json) => line)).toContain('by the clock');
});
