/** The main job, end to end: the real Worker, a real runner, real Docker, git and Caddy, through `npm start` and the HTTP API alone. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { buildImage, removeImages } from '../support/instance/image.ts';
import type { Json } from '../support/instance/longshore.ts';
import { type Repository, webApp } from '../support/instance/repository.ts';
import { useInstance, useRepositories } from '../support/instance/use-instance.ts';

afterAll(() => removeImages('longshore-e2e-clock:1', 'longshore-e2e-brief:1'));
const repositories = useRepositories();
const longshore = useInstance();
const { overview } = longshore;
let projectId: string;

beforeAll(async () => {
  const created = await longshore.call('POST', '/api/projects', { name: 'Spine', description: 'end to end' });
  expect(created.status).toBe(200);
  projectId = created.body.project.id;
});

/** Creates a service, deploys it and waits for the end. */
async function deployNew(fields: Record<string, unknown>) {
  const created = await longshore.call('POST', `/api/projects/${projectId}/services`, fields);
  expect(created.body).toMatchObject({ service: { status: 'idle', projectId } });
  const service = created.body.service;
  return { service, deployment: await deploy(service.id) };
}

async function deploy(serviceId: string): Promise<Json> {
  const queued = await longshore.call('POST', `/api/services/${serviceId}/deployments`);
  expect(queued.body).toMatchObject({ deployment: { status: 'queued', trigger: 'manual', commitSha: null } });
  return longshore.finished(queued.body.deployment.id, serviceId);
}

const text = async (url: string) => (await fetch(url)).text();
const gitService = (repository: Repository, more: Record<string, unknown> = {}) => ({
  name: repository.name,
  repoFullName: null,
  repoUrl: `${repositories.url}/${repository.name}`,
  branch: 'main',
  ...more,
});

let repository: Repository;
let service: Json;

test('a git repository with a Dockerfile becomes a running web service with log, commit, image and container', async () => {
  repository = await repositories.add('shop', webApp('first'));
  const deployed = await deployNew(gitService(repository, { env: [{ key: 'GREETING', value: 'hello' }] }));
  service = deployed.service;
  const { deployment } = deployed;
  expect(deployment, await longshore.log(deployment.id)).toMatchObject({
    status: 'running',
    imageTag: `longshore-${service.id}-${deployment.id}`,
    containerName: `longshore-${service.id}-stable`,
    commitSha: expect.stringMatching(/^[0-9a-f]{40}$/),
  });
  const { service: now, env } = await overview(service.id);
  expect(now).toMatchObject({
    status: 'active',
    detectedBuildMethod: 'dockerfile',
    localUrl: `http://127.0.0.1:${service.hostPort}`,
  });
  expect(env).toMatchObject([{ key: 'GREETING', hasValue: true, value: 'hello', resolvedValue: 'hello' }]);
  expect(await text(now.localUrl)).toBe('first hello');
});

test('a git repository with a Dockerfile answers under its generated name through the proxy', async () => {
  const { service: now } = await overview(service.id);
  expect(now.primaryUrl).toBe(`http://shop.localhost:${longshore.httpPort}`);
  expect(await askByHost(longshore.httpPort, 'shop.localhost')).toBe('first hello');
});

test('a git repository with a Dockerfile streams snapshot, log and status, with ids from 1 without gaps, and resumes after Last-Event-ID', async () => {
  const queued = await longshore.call('POST', `/api/services/${service.id}/deployments`);
  const id = queued.body.deployment.id;
  const events = await Array.fromAsync(longshore.events(`/api/deployments/${id}/stream`));
  expect(events[0]?.event).toBe('snapshot');
  expect(events.at(-1)).toMatchObject({ event: 'status', data: { ok: true, closed: true } });
  const entries = events.flatMap((event) =>
    event.event === 'snapshot' ? (event.data as Json[]) : event.event === 'log' ? [event.data as Json] : [],
  );
  expect(entries.map((entry) => entry.id)).toEqual(entries.map((_, index) => index + 1));
  expect(entries[0]).toMatchObject({
    deploymentId: id,
    line: expect.any(String),
    createdAt: expect.stringMatching(/Z$/),
  });
  const resumed = await Array.fromAsync(
    longshore.events(`/api/deployments/${id}/stream`, { 'last-event-id': '3' }),
  );
  expect(resumed[0]).toMatchObject({
    event: 'snapshot',
    data: expect.arrayContaining([expect.objectContaining({ id: 4 })]),
  });
  expect(resumed[0]?.data).not.toContainEqual(expect.objectContaining({ id: 3 }));
  const { body } = await longshore.call('GET', `/api/deployments/${id}/logs`);
  expect(body.logs.map((entry: Json) => entry.line)).toEqual(entries.map((entry) => entry.line));
});

test('a change is deployed under load without losing a request', async () => {
  const load = keepAsking(`http://127.0.0.1:${service.hostPort}`);
  for (const version of ['second', 'third', 'fourth']) {
    await repository.commit(webApp(version));
    expect(await deploy(service.id)).toMatchObject({ status: 'running' });
    expect(await text(`http://127.0.0.1:${service.hostPort}`)).toBe(`${version} hello`);
  }
  const { failures, answers } = await load.stop();
  expect(failures).toEqual([]);
  expect(answers).toBeGreaterThan(100);
  const { deployments } = await overview(service.id);
  expect(deployments.map((one: Json) => one.status)).toEqual([
    'running',
    ...Array(deployments.length - 1).fill('superseded'),
  ]);
});

test('a failed build reports its reason and leaves the old version serving', async () => {
  await repository.commit({ Dockerfile: 'FROM node:24-slim\nRUN echo going down && exit 3' });
  const failed = await deploy(service.id);
  expect(failed).toMatchObject({ status: 'failed', containerName: null });
  expect(await longshore.log(failed.id)).toContain('going down');
  expect((await overview(service.id)).service.status).toBe('active');
  expect(await text(`http://127.0.0.1:${service.hostPort}`)).toBe('fourth hello');
});

test('an app that never listens fails its health check, and the old version keeps serving', async () => {
  await repository.commit({
    ...webApp('x'),
    'server.js': 'console.log("no port today"); setTimeout(() => process.exit(1), 500)',
  });
  const failed = await deploy(service.id);
  expect(failed.status).toBe('failed');
  expect(await longshore.log(failed.id)).toContain('no port today');
  expect(await text(`http://127.0.0.1:${service.hostPort}`)).toBe('fourth hello');
});

test('a running build is aborted, and stays aborted', async () => {
  await repository.commit({ Dockerfile: 'FROM node:24-slim\nRUN echo building && sleep 300' });
  const queued = await longshore.call('POST', `/api/services/${service.id}/deployments`);
  const id = queued.body.deployment.id;
  for await (const event of longshore.events(`/api/deployments/${id}/stream`)) {
    if (JSON.stringify(event.data).includes('building')) break;
  }
  const from = performance.now();
  expect(await longshore.call('POST', `/api/deployments/${id}/abort`)).toMatchObject({
    status: 200,
    body: { accepted: true },
  });
  expect(await longshore.finished(id, service.id)).toMatchObject({ status: 'aborted' });
  expect(performance.now() - from).toBeLessThan(20_000);
  expect(await longshore.call('POST', `/api/deployments/${id}/abort`)).toMatchObject({
    status: 409,
    body: { code: 'cannot_abort' },
  });
  expect(await text(`http://127.0.0.1:${service.hostPort}`)).toBe('fourth hello');
});

test('apps serve between stop and start, and everything is there afterwards', async () => {
  await longshore.stop();
  expect(await text(`http://127.0.0.1:${service.hostPort}`)).toBe('fourth hello');
  await longshore.start();
  expect((await overview(service.id)).service).toMatchObject({ status: 'active', slug: 'shop' });
  await repository.commit(webApp('fifth'));
  expect(await deploy(service.id)).toMatchObject({ status: 'running' });
  expect(await text(`http://127.0.0.1:${service.hostPort}`)).toBe('fifth hello');
});

test('a git repository with a Dockerfile is gone from the host once deleted', async () => {
  expect(await longshore.call('DELETE', `/api/services/${service.id}`)).toMatchObject({
    status: 200,
    body: { ok: true, proxy: { ok: true, detail: expect.any(String) } },
  });
  expect(await longshore.call('GET', `/api/services/${service.id}/overview`)).toMatchObject({
    status: 404,
  });
  expect((await fetch(`http://127.0.0.1:${service.hostPort}`)).status).toBe(404);
});

test('a repository with a plain index.html deploys as a static site', async () => {
  const repository = await repositories.add('leaflet', {
    'index.html': '<h1>leaflet</h1>',
    'about.html': 'about',
    '404.html': 'lost',
  });
  const { service, deployment } = await deployNew(gitService(repository, { runtimeMode: 'static' }));
  expect(deployment, await longshore.log(deployment.id)).toMatchObject({
    status: 'running',
    imageTag: expect.any(String),
    containerName: expect.any(String),
  });
  expect(await text(`http://127.0.0.1:${service.hostPort}/`)).toBe('<h1>leaflet</h1>');
  expect(await text(`http://127.0.0.1:${service.hostPort}/about`)).toBe('about');
  const missing = await fetch(`http://127.0.0.1:${service.hostPort}/nothing`);
  expect([missing.status, await missing.text()]).toEqual([404, 'lost']);
});

test('a container image service runs its image', async () => {
  await buildImage('longshore-e2e-clock:1', webApp('tick'));
  const fields = { repoUrl: 'container-image', branch: 'main', runtimeMode: 'web', internalPort: 3000 };
  const { service, deployment } = await deployNew({
    ...fields,
    name: 'From Image',
    imageRef: 'longshore-e2e-clock:1',
    env: [{ key: 'GREETING', value: 'tock' }],
  });
  expect(service).toMatchObject({
    repoFullName: 'image:longshore-e2e-clock:1',
    imageRef: 'longshore-e2e-clock:1',
    repoUrl: 'container-image',
    slug: 'from-image',
  });
  expect(deployment, await longshore.log(deployment.id)).toMatchObject({
    status: 'running',
    commitSha: null,
  });
  expect(await text(`http://127.0.0.1:${service.hostPort}`)).toBe('tick tock');
});

test('an image that exits at once fails, with its last lines in the log', async () => {
  await buildImage('longshore-e2e-brief:1', {
    Dockerfile: 'FROM node:24-slim\nCMD ["node", "-e", "console.log(\'goodbye then\')"]',
  });
  const { service, deployment } = await deployNew({
    name: 'Brief',
    repoUrl: 'container-image',
    imageRef: 'longshore-e2e-brief:1',
    branch: 'main',
    runtimeMode: 'web',
    internalPort: 3000,
  });
  expect(deployment.status).toBe('failed');
  expect(await longshore.log(deployment.id)).toContain('goodbye then');
  expect((await overview(service.id)).service.status).toBe('failed');
});

test('a worker deploys without a port and is refused a route', async () => {
  const repository = await repositories.add('ticker', {
    Dockerfile: 'FROM node:24-slim\nCMD ["node", "-e", "setInterval(() => console.log(1), 1000)"]',
  });
  const { service, deployment } = await deployNew(gitService(repository, { runtimeMode: 'worker' }));
  expect(deployment, await longshore.log(deployment.id)).toMatchObject({ status: 'running' });
  expect((await overview(service.id)).service).toMatchObject({
    localUrl: '',
    primaryUrl: '',
    status: 'active',
  });
});

test('a repository with neither Dockerfile nor index.html fails with a clear reason', async () => {
  const repository = await repositories.add('puzzle', { 'notes.txt': 'nothing to run' });
  const { deployment, service } = await deployNew(gitService(repository));
  expect(deployment.status).toBe('failed');
  expect(deployment.commitSha, 'the commit that failed').toMatch(/^[0-9a-f]{40}$/);
  expect(await longshore.log(deployment.id)).toMatch(/Dockerfile/);
  expect((await overview(service.id)).service.status).toBe('failed');
});

test('a reference to a peer reaches the container resolved, next to a variable of 60 KB', async () => {
  const repository = await repositories.add('linked', webApp('linked'));
  const peer = await longshore.call(
    'POST',
    `/api/projects/${projectId}/services`,
    gitService(repository, { name: 'peer' }),
  );
  expect(peer.status).toBe(200);
  await longshore.call('POST', `/api/services/${peer.body.service.id}/env`, { key: 'TONE', value: 'soft' });
  const { service } = await deployNew(
    gitService(repository, {
      env: [
        { key: 'GREETING', value: '$' + '{peer.TONE}ly' },
        { key: 'LARGE', value: 'Xy7'.repeat(20_000) },
      ],
    }),
  );
  expect(await text(`http://127.0.0.1:${service.hostPort}`)).toBe('linked softly');
});

/** Asks one URL over kept-alive connections, GET and POST in turn, never trying again, until stopped. */
function keepAsking(url: string) {
  const failures: string[] = [];
  let answers = 0;
  let going = true;
  const client = async (method: string) => {
    while (going) {
      try {
        const reply = await fetch(url, { method, ...(method === 'POST' ? { body: 'x'.repeat(512) } : {}) });
        await reply.text();
        if (reply.status === 200) answers += 1;
        else failures.push(`${method} ${reply.status}`);
      } catch (error) {
        failures.push(`${method} ${String(error)}`);
      }
    }
  };
  const clients = ['GET', 'POST', 'GET', 'POST'].map(client);
  return {
    async stop() {
      going = false;
      await Promise.all(clients);
      return { failures, answers };
    },
  };
}

async function askByHost(port: number, host: string): Promise<string> {
  const { request } = await import('node:http');
  return new Promise((resolve, reject) => {
    request({ host: '127.0.0.1', port, headers: { host } }, (reply) => {
      let body = '';
      reply
        .setEncoding('utf8')
        .on('data', (chunk) => (body += chunk))
        .on('end', () => resolve(body));
    })
      .on('error', reject)
      .end();
  });
}
