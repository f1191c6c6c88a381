/** What hostile fields and secrets come to on the host, through the real runner: nothing is executed, nothing is written in the clear. */
import { existsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Docker from 'dockerode';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ensureTestImage } from '../stand-ins/ensure-test-image.ts';
import { executingTexts, hostileTexts } from '../support/hostile-values.ts';
import { expectLimited, expectNoWayOut, isNeverStarted } from '../support/instance/container-policy.ts';
import type { Json } from '../support/instance/longshore.ts';
import { createOddRepository } from '../support/instance/odd-repository.ts';
import { useInstance, useRepositories } from '../support/instance/use-instance.ts';
import { type HostWatch, watchHost } from '../support/instance/watch-host.ts';
import { filesBelow, findSecrets } from '../support/instance/written-secrets.ts';

const docker = new Docker();
const canaryName = `longshore-canary-${process.pid}`;
const canaryPath = join(tmpdir(), canaryName);
const texts = [...executingTexts(canaryPath), ...hostileTexts];
/** Variables that a process can be given. */
const values = texts.filter((text) => text.isWellFormed() && !text.includes('\0'));
const secrets = {
  value: 'secret-value-3f9c1d77',
  gitToken: 'secret-git-81ab20c4',
  dnsToken: 'secret-dns-5d02e6b9',
  aiKey: 'secret-ai-c4417f30',
  password: 'secret-password-9921aa',
};

const repositories = useRepositories({ password: secrets.gitToken });
const longshore = useInstance();
const { ask } = longshore;
let watch: HostWatch;
let project: Json;
let service: Json;
let odd: Awaited<ReturnType<typeof createOddRepository>>;

beforeAll(async () => {
  odd = await createOddRepository(repositories.root, 'odd', canaryName);
  watch = await watchHost(longshore.runnerId);
  project = (await ask('POST', '/api/projects', { name: texts[0] })).project;
  const dns = { id: 'cloudflare', credentials: { apiToken: secrets.dnsToken }, verify: false };
  await longshore.operate('POST', '/api/system/dns-providers', dns);
  const model = { kind: 'openai-compatible', baseUrl: 'https://llm.example/v1', defaultModel: 'm' };
  await longshore.operate('POST', '/api/system/ai-providers', { id: 'odd', apiKey: secrets.aiKey, ...model });
});

afterAll(() => watch?.stop());

const deploy = () => longshore.deployed(service.id);
const patch = (body: Json) => longshore.call('PATCH', `/api/services/${service.id}`, body);
const plain = () => ({
  repoUrl: `${repositories.url}/odd`,
  branch: 'main',
  // It ends with each change to another git host.
  gitToken: secrets.gitToken,
  rootDir: null,
  dockerfilePath: null,
  staticOutput: null,
  healthCheckPath: null,
});
const nothingExecuted = () => {
  for (const directory of [
    tmpdir(),
    process.cwd(),
    longshore.dataDirectory,
    join(longshore.dataDirectory, 'runner'),
  ]) {
    expect(existsSync(join(directory, canaryName)), directory).toBe(false);
  }
};

test('names, directories, Dockerfiles and variables full of commands reach the container unchanged', async () => {
  const env = values.map((value, index) => ({ key: `V${index}`, value }));
  const created = await ask('POST', `/api/projects/${project.id}/services`, {
    name: texts[1],
    repoUrl: `${repositories.url}/odd`,
    rootDir: odd.directory,
    dockerfilePath: odd.dockerfile,
    buildMethod: 'dockerfile',
    gitToken: secrets.gitToken,
    memoryLimitMb: 256,
    cpuLimit: 0.5,
    env: [
      ...env,
      { key: 'SECRET_VALUE', value: secrets.value },
      { key: 'DB_PASSWORD', value: secrets.password },
    ],
  });
  service = created.service;
  const deployment = await deploy();
  expect(deployment.status, await longshore.log(deployment.id)).toBe('running');
  const seen: Json = await (await fetch(`http://127.0.0.1:${service.hostPort}`)).json();
  const overview = await ask('GET', `/api/services/${service.id}/overview`);
  for (const { key, value, resolvedValue } of overview.env) {
    const sent = env.find((one) => one.key === key)?.value;
    if (sent !== undefined) expect(value).toBe(sent);
    expect([key, seen[key]]).toEqual([key, resolvedValue]);
  }
  nothingExecuted();
});

test('every other field that reaches the host is refused or fails the deployment, and nothing is executed', async () => {
  const fields = [
    'branch',
    'rootDir',
    'dockerfilePath',
    'repoUrl',
    'imageRef',
    'healthCheckPath',
    'runnerId',
  ];
  for (const text of texts) {
    const taken: Json = {};
    for (const field of fields) {
      const { status } = await patch({ [field]: text });
      expect([field, text, status], 'never a 5xx').toEqual([
        field,
        text,
        expect.toBeOneOf([200, 400, 404, 409]),
      ]);
      if (status === 200) taken[field] = text;
    }
    for (const path of [`/api/services/${service.id}/domains`]) {
      const { status } = await longshore.call('POST', path, { hostname: text });
      expect([text, status]).toEqual([text, expect.toBeOneOf([200, 400])]);
    }
    // http: this host's operator allows it, and the runner looks at the address behind it.
    if ('repoUrl' in taken) expect(taken.repoUrl).toMatch(/^http:\/\//);
  }
  for (const [index, text] of executingTexts(canaryPath).entries()) {
    const field = ['rootDir', 'dockerfilePath', 'staticOutput'][index % 3] ?? '';
    expect((await patch(plain())).status).toBe(200);
    if ((await patch({ [field]: text })).status !== 200) continue;
    const { status } = await deploy();
    expect([field, text, status]).toEqual([field, text, 'failed']);
  }
  nothingExecuted();
});

test('build commands run only in the build, and its output is served', async () => {
  await ensureTestImage('debian:trixie-slim');
  const command = `touch ${canaryPath} ${canaryName}; true`;
  const commands = { installCommand: command, buildCommand: command, startCommand: null };
  const changed = {
    ...plain(),
    rootDir: odd.directory,
    staticOutput: 'site',
    buildMethod: 'analyzer',
    ...commands,
  };
  expect((await patch(changed)).status).toBe(200);
  const { id, status } = await deploy();
  expect(status, await longshore.log(id)).toBe('running');
  nothingExecuted();
});

test('no process was ever given a secret as an argument', () => {
  expect(watch.commandLines.size).toBeGreaterThan(20);
  expect([...watch.commandLines].some((line) => line.includes('git'))).toBe(true);
  for (const line of watch.commandLines) {
    for (const secret of [...Object.values(secrets), longshore.operatorToken])
      expect(line).not.toContain(secret);
  }
});

test('every container follows one policy: no mounts, no privileges, limits, its own network', async () => {
  const networks = (await docker.listNetworks()).filter(({ Name }) => Name.includes(project.id));
  const apps = watch.containers.filter((one) => !isNeverStarted(one));
  expect([apps.length > 0, apps.length < watch.containers.length], 'both kinds were made').toEqual([
    true,
    true,
  ]);
  for (const container of watch.containers) expectNoWayOut(container);
  for (const container of apps) {
    expectLimited(container, { memoryMb: 256, cpus: 0.5 });
    expect(networks.flatMap(({ Id, Name }) => [Id, Name])).toContain(container.HostConfig.NetworkMode);
  }
});

test("no secret is in the clear in the instance's files or in the history of an image", async () => {
  const files = await filesBelow(longshore.dataDirectory);
  expect(
    files.some((path) => path.endsWith('.sqlite')),
    'the stores are among them',
  ).toBe(true);
  expect(await findSecrets(files, secrets)).toEqual([]);
  const own = await findSecrets(files, { operatorToken: longshore.operatorToken });
  expect(own.length, 'the search finds what is there').toBeGreaterThan(0);
  expect(own.filter(({ isOpenToOthers }) => isOpenToOthers)).toEqual([]);
  const images = await docker.listImages({ filters: { reference: [`longshore-${service.id}-*`] } });
  expect(images.length).toBeGreaterThan(0);
  for (const { Id } of images) {
    const history = JSON.stringify(await docker.getImage(Id).history());
    for (const secret of Object.values(secrets)) expect(history).not.toContain(secret);
  }
});

test('lists, logs and refusals return no secret; only the overview returns values', async () => {
  const paths = ['/api/projects', `/api/projects/${project.id}`, `/api/services/${service.id}/deployments`];
  const system = ['keys', 'runners', 'settings', 'dns-providers', 'ai-providers', 'tenants'].map(
    (name) => `/api/system/${name}`,
  );
  const bodies = await Promise.all([
    ...paths.map((path) => ask('GET', path)),
    ...system.map(
      async (path) => (await longshore.call('GET', path, undefined, longshore.operatorToken)).body,
    ),
    patch({ gitToken: `${secrets.gitToken} with a space` }),
    longshore.call('POST', `/api/services/${service.id}/env`, {
      key: secrets.value,
      value: secrets.password,
      [secrets.aiKey]: 1,
    }),
  ]);
  const { deployments } = await ask('GET', `/api/services/${service.id}/deployments`);
  for (const { id } of deployments) bodies.push(await ask('GET', `/api/deployments/${id}/logs`));
  for (const secret of [secrets.value, secrets.gitToken, secrets.dnsToken, secrets.password]) {
    expect(JSON.stringify(bodies)).not.toContain(secret);
  }
});
