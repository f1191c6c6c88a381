/** Creating services: from a repository, from an image, every field, every refusal. */
import { expect, test } from 'vitest';
import { insertProject } from '../../../support/worker/api.ts';
import { serviceBench, timestamp } from '../../../support/worker/services.ts';

const { project, runner, create, created, overview } = await serviceBench();

const ofImage = { repoUrl: 'container-image', imageRef: 'nginx' };

test('creating a source service answers the full Service object with defaults', async () => {
  const reply = await create({
    name: 'Web Shop',
    repoFullName: null,
    repoUrl: 'https://git.example/shop.git',
  });
  expect(reply.status).toBe(200);
  expect(reply.body).toEqual({
    service: {
      id: expect.stringMatching(/^svc_[a-z0-9]{16}$/),
      projectId: project.id,
      name: 'Web Shop',
      slug: 'web-shop',
      repoFullName: null,
      repoUrl: 'https://git.example/shop.git',
      imageRef: null,
      branch: 'main',
      rootDir: null,
      hasGitHostToken: false,
      installCommand: null,
      buildCommand: null,
      startCommand: null,
      staticOutput: null,
      buildTarget: null,
      releaseCommand: null,
      buildMethod: 'auto',
      dockerfilePath: null,
      detectedBuildMethod: null,
      runtimeMode: 'web',
      internalPort: 8080,
      hostPort: 41000,
      databasePublicEnabled: false,
      databasePublicHostname: null,
      postgresLogicalReplicationEnabled: false,
      engineSettings: {},
      databaseImage: null,
      status: 'idle',
      reachable: false,
      proxyPorts: { http: 80, https: 443 },
      localUrl: 'http://127.0.0.1:41000',
      primaryUrl: 'http://web-shop.localhost',
      preferredDomain: null,
      framework: null,
      lastDeployedAt: null,
      createdAt: timestamp,
      updatedAt: timestamp,
      runnerId: runner.id,
      protocol: 'http1',
      healthCheckPath: null,
      healthCheckHost: null,
      healthCheckIntervalSeconds: null,
      healthCheckTimeoutSeconds: null,
      healthCheckStartPeriodSeconds: null,
      drainSeconds: 30,
      stopGraceSeconds: 10,
      stopSignal: null,
      command: null,
      entrypoint: null,
      user: null,
      shmSizeMb: null,
      replicas: 1,
      sleepAfterMinutes: null,
      sleep: null,
      variableNames: null,
      watchPaths: null,
      imageUpdates: null,
      waitForChecks: false,
      memoryLimitMb: null,
      cpuLimit: null,
      protected: false,
    },
  });
});

test('every settable field is stored and shown, tokens only as a flag', async () => {
  const fields = {
    branch: 'feature/login',
    rootDir: 'apps/web',
    installCommand: 'npm ci',
    buildCommand: 'npm run build',
    startCommand: 'node server.js',
    staticOutput: 'dist',
    buildMethod: 'dockerfile',
    dockerfilePath: 'docker/Dockerfile',
    runtimeMode: 'web',
    internalPort: 3000,
    databasePublicEnabled: true,
    databasePublicHostname: 'db.example.com',
    postgresLogicalReplicationEnabled: true,
    healthCheckPath: '/healthz',
    memoryLimitMb: 256,
    cpuLimit: 0.5,
  };
  const service = await created({
    name: 'Full',
    repoFullName: 'owner/repo.js',
    gitToken: 'ghp_secret',
    runnerId: runner.id,
    ...fields,
    env: [{ key: 'A', value: '1' }],
  });
  expect(service).toMatchObject({
    ...fields,
    repoFullName: 'owner/repo.js',
    repoUrl: 'https://github.com/owner/repo.js.git',
    hasGitHostToken: true,
  });
  expect(JSON.stringify(await overview(service.id))).not.toContain('ghp_secret');
});

test('a hosted repository may be given by name and URL alike', async () => {
  const source = { repoFullName: 'owner/repo', repoUrl: 'https://github.com/Owner/Repo' };
  expect(await created({ name: 'Both', ...source })).toMatchObject(source);
});

test('creating a container image service stores its image', async () => {
  const service = await created({
    name: 'From Image',
    repoUrl: 'container-image',
    imageRef: 'ghcr.io/owner/app:1.2',
    branch: 'main',
    runtimeMode: 'web',
    internalPort: 80,
    env: [],
  });
  expect(service).toMatchObject({
    repoFullName: 'image:ghcr.io/owner/app:1.2',
    repoUrl: 'container-image',
    imageRef: 'ghcr.io/owner/app:1.2',
  });
});

test('a worker has no URL', async () => {
  const service = await created({
    name: 'Ticker',
    repoUrl: 'https://git.example/t',
    runtimeMode: 'worker',
  });
  expect(service).toMatchObject({ localUrl: '', primaryUrl: '' });
});

test('slug and host name avoid clashes: a number in the project, the project in the instance, then a number', async () => {
  const [one, two, three] = [
    await insertProject({ slug: 'one' }),
    await insertProject({ slug: 'two' }),
    await insertProject({ slug: 'two', tenantId: 'default', name: 'x' }).catch(() => insertProject()),
  ];
  const body = { name: 'Blog', repoUrl: 'https://git.example/blog' };
  expect((await created(body, one.id)).primaryUrl).toBe('http://blog.localhost');
  const second = await created(body, one.id);
  expect([second.slug, second.primaryUrl]).toEqual(['blog-2', 'http://blog-2.localhost']);
  expect((await created(body, two.id)).primaryUrl).toBe('http://blog-two.localhost');
  expect((await created(body, three.id)).slug).toBe('blog');
});

test('simultaneous services get their own ports and slugs', async () => {
  const { id } = await insertProject();
  const body = { name: 'Same', repoUrl: 'https://git.example/same' };
  const services = await Promise.all(Array.from({ length: 4 }, () => created(body, id)));
  expect(new Set(services.map(({ slug }) => slug)).size).toBe(4);
  expect(new Set(services.map(({ hostPort }) => hostPort)).size).toBe(4);
});

test.each([
  ['name', { name: '' }, '"name"'],
  ['name too long', { name: 'x'.repeat(101) }, '"name" is too long'],
  ['source null', { repoFullName: null, repoUrl: null }, `"repoUrl" can't be null: leave it out if`],
  ['no source', { repoUrl: undefined }, '"repoUrl" is missing'],
  ['file URL', { repoUrl: 'file:///etc' }, '"repoUrl" must be an https, ssh or http URL'],
  ['ext URL', { repoUrl: 'ext::sh -c id' }, '"repoUrl" must be an https, ssh or http URL'],
  [
    'short ssh option',
    { repoUrl: 'git@-oProxyCommand=id:o/r.git' },
    '"repoUrl" must be an https, ssh or http URL',
  ],
  ['URL with user', { repoUrl: 'https://me:pw@git.example/x' }, 'put an access token in "gitToken"'],
  ['URL with query', { repoUrl: 'https://git.example/x?y=1' }, '"repoUrl"'],
  ['ssh option', { repoUrl: 'ssh://-oProxyCommand=id/x' }, '"repoUrl"'],
  ['URL with line break', { repoUrl: 'https://git.example/x\n' }, '"repoUrl"'],
  ['two repositories', { repoFullName: 'a/b', repoUrl: 'https://git.example/c/d' }, 'different repositories'],
  ['two hosts', { repoFullName: 'a/b', repoUrl: 'https://git.example/a/b' }, 'different repositories'],
  ['image by name alone', { repoUrl: undefined, repoFullName: 'image:nginx' }, '"imageRef" is missing'],
  ['image and repository', { repoFullName: 'image:nginx', imageRef: 'nginx' }, '"repoUrl"'],
  ['full name', { repoUrl: undefined, repoFullName: 'a/../b' }, '"repoFullName"'],
  ['branch option', { branch: '--upload-pack=x' }, '"branch"'],
  ['branch dots', { branch: 'a..b' }, '"branch"'],
  ['branch lock', { branch: 'a.lock/b' }, '"branch"'],
  ['branch as a ref', { branch: 'refs/heads/main' }, '"branch" must name the branch without "refs/heads/"'],
  ['branch null', { branch: null }, `"branch" can't be null`],
  ['port null', { internalPort: null }, `"internalPort" can't be null`],
  ['port 0', { internalPort: 0 }, '"internalPort" must be a port'],
  ['port text', { internalPort: '80' }, '"internalPort" must be a number'],
  ['port fraction', { internalPort: 1.5 }, '"internalPort" must be a whole number'],
  ['absolute path', { rootDir: '/etc' }, '"rootDir"'],
  ['path out', { dockerfilePath: 'a/../../b' }, '"dockerfilePath"'],
  ['static path out', { staticOutput: '..' }, '"staticOutput"'],
  ['mode', { runtimeMode: 'cron' }, '"runtimeMode" must be one of "web", "worker" or "static"'],
  ['method', { buildMethod: 'magic' }, '"buildMethod"'],
  ['image on git', { imageRef: 'nginx' }, '"imageRef"'],
  ['image without ref', { repoUrl: 'container-image' }, '"imageRef" is missing'],
  ['image ref', { repoUrl: 'container-image', imageRef: '--privileged' }, '"imageRef"'],
  [
    'image port',
    { repoUrl: 'container-image', imageRef: 'reg.io:99999/x' },
    '"imageRef" has an invalid registry port',
  ],
  [
    'image port 0',
    { repoUrl: 'container-image', imageRef: '[::1]:0/x' },
    '"imageRef" has an invalid registry port',
  ],
  ['name with half a character', { name: 'a\ud800' }, '"name" must be valid Unicode'],
  ['image static', { repoUrl: 'container-image', imageRef: 'nginx', runtimeMode: 'static' }, '"runtimeMode"'],
  ['unknown field', { foo: 1 }, '"foo" does not exist'],
  ['read-only field', { hostPort: 80 }, '"hostPort" is read-only'],
  ['unknown runner', { runnerId: 'run_aaaaaaaaaaaaaaaa' }, '"runnerId"'],
  ['key', { env: [{ key: 'lower', value: '' }] }, '"env[0].key" must match'],
  [
    'key twice',
    {
      env: [
        { key: 'A', value: '' },
        { key: 'A', value: '1' },
      ],
    },
    'repeats A',
  ],
  ['NUL', { env: [{ key: 'A', value: 'a\0b' }] }, 'NUL'],
  ['health path', { healthCheckPath: 'health' }, '"healthCheckPath"'],
  [
    'start period above 15 minutes',
    { healthCheckStartPeriodSeconds: 901 },
    '"healthCheckStartPeriodSeconds" must be at most 900 seconds',
  ],
  [
    'health check of a database',
    { repoUrl: 'database', repoFullName: 'database:redis', healthCheckIntervalSeconds: 1 },
    '"healthCheckIntervalSeconds" is not for databases: leave it out',
  ],
  ['drain above an hour', { drainSeconds: 3_601 }, '"drainSeconds" must be at most 3600 seconds'],
  ['drain below zero', { drainSeconds: -1 }, '"drainSeconds" must be at least 0 seconds'],
  ['half a second', { drainSeconds: 0.5 }, '"drainSeconds"'],
  ['grace period', { stopGraceSeconds: 601 }, '"stopGraceSeconds" must be at most 600 seconds'],
  ['stop signal', { stopSignal: 'SIGSEGV' }, '"stopSignal"'],
  [
    'drain of a database',
    { repoUrl: 'database', repoFullName: 'database:redis', drainSeconds: 1 },
    '"drainSeconds" is not for databases: leave it out',
  ],
  ['memory', { memoryLimitMb: 1 }, '"memoryLimitMb"'],
  ['command as a line', { ...ofImage, command: 'npm start' }, '"command" must be a list of words'],
  ['user with a space', { ...ofImage, user: 'a b' }, '"user" must be a user'],
  ['entrypoint without words', { ...ofImage, entrypoint: [] }, '"entrypoint" must have at least one word'],
  [
    'command of a repository',
    { command: ['npm', 'start'] },
    '"command" is only for container images: use "startCommand"',
  ],
  [
    'shared memory of a database',
    { repoUrl: 'database', repoFullName: 'database:redis', shmSizeMb: 64 },
    '"shmSizeMb" is not for databases: leave it out',
  ],
  [
    'name of a variable',
    { variableNames: [{ key: 'A', name: 'a=b' }] },
    '"variableNames[0].name" must have letters',
  ],
  ['name of no key', { variableNames: [{ key: 'a', name: 'b' }] }, '"variableNames[0].key" must match'],
  [
    'a name twice',
    { variableNames: ['A', 'B'].map((key) => ({ key, name: 'x' })) },
    '"variableNames" repeats',
  ],
])('a service is refused with a sentence that names the field: %s', async (_, fields, sentence) => {
  const reply = await create({ name: 'Bad', repoUrl: 'https://git.example/bad', ...fields });
  expect(reply.body.error).toContain(sentence);
  expect(reply.status).toBe(400);
});

test('variables that are too large are 413', async () => {
  const body = { name: 'Big', repoUrl: 'https://git.example/big' };
  const big = await create({ ...body, env: [{ key: 'A', value: 'x'.repeat(65 * 1024) }] });
  expect([big.status, big.body.code]).toEqual([413, 'payload_too_large']);
});
