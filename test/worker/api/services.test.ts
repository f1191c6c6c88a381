/** Services: creation from a repository and from an image, every field, change, removal, placement. */
import { env } from 'cloudflare:workers';
import { beforeAll, describe, expect, test } from 'vitest';
import {
  type Client,
  createClient,
  insertKey,
  insertProject,
  insertRunner,
  type Json,
} from '../support/api.ts';

let call: Client;
let token: string;
let project: Awaited<ReturnType<typeof insertProject>>;
let runner: Awaited<ReturnType<typeof insertRunner>>;

beforeAll(async () => {
  call = createClient();
  token = (await insertKey()).token;
  project = await insertProject({ slug: 'shop' });
  runner = await insertRunner();
});

const create = (body: unknown, projectId = project.id) =>
  call('POST', `/api/projects/${projectId}/services`, { token, body });
const created = async (body: unknown, projectId = project.id): Promise<Json> => {
  const reply = await create(body, projectId);
  expect(reply.text).toContain('"service"');
  return reply.body.service;
};
const patch = (id: string, body: unknown) => call('PATCH', `/api/services/${id}`, { token, body });
const overview = async (id: string) => (await call('GET', `/api/services/${id}/overview`, { token })).body;
const timestamp = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);

describe('creating', () => {
  test('a source service answers the full Service object with defaults', async () => {
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
        buildMethod: 'auto',
        dockerfilePath: null,
        detectedBuildMethod: null,
        runtimeMode: 'web',
        internalPort: 8080,
        hostPort: 41000,
        databasePublicEnabled: false,
        databasePublicHostname: null,
        postgresLogicalReplicationEnabled: false,
        status: 'idle',
        reachable: false,
        localUrl: 'http://127.0.0.1:41000',
        primaryUrl: 'http://web-shop.localhost',
        preferredDomain: null,
        framework: null,
        lastDeployedAt: null,
        createdAt: timestamp,
        updatedAt: timestamp,
        runnerId: runner.id,
        healthCheckPath: null,
        memoryLimitMb: null,
        cpuLimit: null,
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

  test('a container image service', async () => {
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

  test('a database is refused for now, in a sentence', async () => {
    const reply = await create({ name: 'db', repoUrl: 'database', repoFullName: 'database:postgres' });
    expect([reply.status, reply.body.code]).toEqual([400, 'unsupported']);
    expect(reply.body.error).toMatch(/Database services/);
  });

  test('slug and host name give way: number in the project, project in the instance, then a number', async () => {
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

  test('many at once get ports and slugs of their own', async () => {
    const { id } = await insertProject();
    const body = { name: 'Same', repoUrl: 'https://git.example/same' };
    const services = await Promise.all(Array.from({ length: 4 }, () => created(body, id)));
    expect(new Set(services.map(({ slug }) => slug)).size).toBe(4);
    expect(new Set(services.map(({ hostPort }) => hostPort)).size).toBe(4);
  });

  test.each([
    ['name', { name: '' }, '"name"'],
    ['name too long', { name: 'x'.repeat(101) }, '"name" is too long'],
    ['no source', { repoUrl: undefined }, '"repoUrl" is missing'],
    ['file URL', { repoUrl: 'file:///etc' }, '"repoUrl"'],
    ['ext URL', { repoUrl: 'ext::sh -c id' }, '"repoUrl"'],
    ['URL with user', { repoUrl: 'https://me:pw@git.example/x' }, '"repoUrl"'],
    ['URL with query', { repoUrl: 'https://git.example/x?y=1' }, '"repoUrl"'],
    ['ssh option', { repoUrl: 'ssh://-oProxyCommand=id/x' }, '"repoUrl"'],
    ['URL with line break', { repoUrl: 'https://git.example/x\n' }, '"repoUrl"'],
    ['two repositories', { repoFullName: 'a/b', repoUrl: 'https://git.example/c/d' }, 'two repositories'],
    ['full name', { repoUrl: undefined, repoFullName: 'a/../b' }, '"repoFullName"'],
    ['branch option', { branch: '--upload-pack=x' }, '"branch"'],
    ['branch dots', { branch: 'a..b' }, '"branch"'],
    ['branch lock', { branch: 'a.lock/b' }, '"branch"'],
    ['branch null', { branch: null }, `"branch" can't be null`],
    ['port null', { internalPort: null }, `"internalPort" can't be null`],
    ['port 0', { internalPort: 0 }, '"internalPort" must be a port'],
    ['port text', { internalPort: '80' }, '"internalPort" must be a number'],
    ['port fraction', { internalPort: 1.5 }, '"internalPort" must be a whole number'],
    ['absolute path', { rootDir: '/etc' }, '"rootDir"'],
    ['path out', { dockerfilePath: 'a/../../b' }, '"dockerfilePath"'],
    ['static path out', { staticOutput: '..' }, '"staticOutput"'],
    ['mode', { runtimeMode: 'cron' }, '"runtimeMode" must be "web" or "worker" or "static"'],
    ['method', { buildMethod: 'magic' }, '"buildMethod"'],
    ['image on git', { imageRef: 'nginx' }, '"imageRef"'],
    ['image without ref', { repoUrl: 'container-image' }, '"imageRef" is missing'],
    ['image ref', { repoUrl: 'container-image', imageRef: '--privileged' }, '"imageRef"'],
    [
      'image static',
      { repoUrl: 'container-image', imageRef: 'nginx', runtimeMode: 'static' },
      '"runtimeMode"',
    ],
    ['unknown field', { foo: 1 }, '"foo" is not known'],
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
    ['memory', { memoryLimitMb: 1 }, '"memoryLimitMb"'],
  ])('is refused with a sentence that names the field: %s', async (_, fields, sentence) => {
    const reply = await create({ name: 'Bad', repoUrl: 'https://git.example/bad', ...fields });
    expect(reply.body.error).toContain(sentence);
    expect(reply.status).toBe(400);
  });

  test('variables that are too large are 413', async () => {
    const body = { name: 'Big', repoUrl: 'https://git.example/big' };
    const big = await create({ ...body, env: [{ key: 'A', value: 'x'.repeat(65 * 1024) }] });
    expect([big.status, big.body.code]).toEqual([413, 'payload_too_large']);
  });
});

describe('placement', () => {
  test('without any host it is 409 no_runner with the way out', async () => {
    await env.DB.prepare('update runners set revoked_at = 1').run();
    const { id } = await insertProject();
    const reply = await create({ name: 'a', repoUrl: 'https://git.example/a' }, id);
    await env.DB.prepare('update runners set revoked_at = null').run();
    expect([reply.status, reply.body.code]).toEqual([409, 'no_runner']);
    expect(reply.body.error).toContain('/api/system/runners');
  });

  test('a first service goes to the emptiest host, the rest of the project stays there', async () => {
    const empty = await insertRunner({ name: 'empty' });
    const { id } = await insertProject();
    const body = { name: 'a', repoUrl: 'https://git.example/a' };
    const first = await created(body, id);
    await insertRunner({ name: 'emptier' });
    const second = await created(body, id);
    expect([first.runnerId, second.runnerId]).toEqual([empty.id, empty.id]);
    expect([first.hostPort, second.hostPort]).toEqual([41000, 41001]);
    await env.DB.prepare("update runners set drained = 1 where name like 'empt%'").run();
    expect((await create(body, id)).body).toMatchObject({
      code: 'conflict',
      error: expect.stringContaining('drained'),
    });
    expect((await created({ ...body, runnerId: runner.id }, id)).runnerId).toBe(runner.id);
  });

  test('a port that was given back is the next one taken; a full block is 409', async () => {
    const facts = { ...runner.facts, webPorts: { first: 50000, last: 50001 } };
    const small = await insertRunner({ facts });
    const { id } = await insertProject();
    const body = { name: 'a', repoUrl: 'https://git.example/a', runnerId: small.id };
    const first = await created(body, id);
    expect((await created(body, id)).hostPort).toBe(50001);
    expect((await create(body, id)).body).toMatchObject({
      code: 'conflict',
      error: expect.stringContaining('port'),
    });
    await call('DELETE', `/api/services/${first.id}`, { token });
    expect((await created(body, id)).hostPort).toBe(50000);
  });
});

describe('changing', () => {
  const service = () => created({ name: 'Change', repoUrl: 'https://git.example/c', rootDir: 'app' });

  test('absent keeps, null clears, the slug stays, updatedAt moves', async () => {
    const before = await service();
    const reply = await patch(before.id, {
      name: 'Renamed',
      rootDir: null,
      buildCommand: 'make',
      internalPort: 9000,
    });
    expect(reply.status).toBe(200);
    expect(reply.body.service).toEqual({
      ...before,
      name: 'Renamed',
      rootDir: null,
      buildCommand: 'make',
      internalPort: 9000,
      updatedAt: timestamp,
    });
    expect((await overview(before.id)).service).toEqual(reply.body.service);
  });

  test('a token is set and taken away', async () => {
    const { id } = await service();
    expect((await patch(id, { gitToken: 'abc' })).body.service.hasGitHostToken).toBe(true);
    expect((await patch(id, { branch: 'dev' })).body.service.hasGitHostToken).toBe(true);
    expect((await patch(id, { gitToken: null })).body.service.hasGitHostToken).toBe(false);
  });

  test('the source fields follow each other', async () => {
    const { id } = await service();
    expect((await patch(id, { repoFullName: 'o/r' })).body.service.repoUrl).toBe(
      'https://github.com/o/r.git',
    );
    expect((await patch(id, { repoUrl: 'https://git.example/z' })).body.service).toMatchObject({
      repoFullName: null,
      repoUrl: 'https://git.example/z',
    });
    const image = await created({ name: 'i', repoUrl: 'container-image', imageRef: 'nginx' });
    expect((await patch(image.id, { imageRef: 'nginx:2' })).body.service.repoFullName).toBe('image:nginx:2');
    expect((await patch(image.id, { imageRef: null })).status).toBe(400);
  });

  test('a worker that becomes a web service gets its host name', async () => {
    const worker = await created({ name: 'Late', repoUrl: 'https://git.example/l', runtimeMode: 'worker' });
    const { body } = await patch(worker.id, { runtimeMode: 'web' });
    expect(body.service.primaryUrl).toBe('http://late.localhost');
    expect((await patch(worker.id, { runtimeMode: 'worker' })).body.service.primaryUrl).toBe('');
  });

  test('a service of which nothing runs moves to another host; one that runs is 409', async () => {
    const other = await insertRunner({ name: 'other' });
    const { id, hostPort } = await service();
    const moved = (await patch(id, { runnerId: other.id })).body.service;
    expect([moved.runnerId, moved.hostPort]).toEqual([other.id, hostPort]);
    await env.DB.prepare(
      `insert into jobs (id, kind, service_id, runner_id, state, epoch, queued_at) values ('job_x', 'deploy', ?, ?, 'queued', 0, 0)`,
    )
      .bind(id, other.id)
      .run();
    const refused = await patch(id, { runnerId: runner.id, name: 'not written' });
    expect([refused.status, refused.body.code]).toEqual([409, 'conflict']);
    expect((await overview(id)).service.name).toBe('Change');
  });

  test.each([
    ['nothing', {}, 'is empty'],
    ['null', { branch: null }, `"branch" can't be null`],
    ['read-only', { status: 'active' }, '"status" is read-only'],
    ['variables', { env: [] }, '"env" is not known'],
    ['another kind', { repoUrl: 'container-image', imageRef: 'nginx' }, 'kind'],
    ['database', { repoFullName: 'database:redis' }, 'kind'],
    ['path out', { rootDir: '../x' }, '"rootDir"'],
  ])('is refused: %s', async (_, body, sentence) => {
    const { id } = await service();
    const reply = await patch(id, body);
    expect(reply.body.error).toContain(sentence);
    expect(reply.status).toBe(400);
  });

  test('what creation refuses for the whole, a change refuses too', async () => {
    const image = await created({ name: 'i', repoUrl: 'container-image', imageRef: 'nginx' });
    expect((await patch(image.id, { runtimeMode: 'static' })).body.code).toBe('unsupported');
  });
});

describe('URLs', () => {
  test('carry the ports of the host when they are not the usual ones', async () => {
    const local = await insertRunner({ facts: { ...runner.facts, httpPort: 8080, httpsPort: 8443 } });
    const { id } = await insertProject();
    const { primaryUrl, id: serviceId } = await created(
      { name: 'porty', repoUrl: 'https://git.example/p', runnerId: local.id },
      id,
    );
    expect(primaryUrl).toBe('http://porty.localhost:8080');
    await env.DB.prepare(
      `insert into domains (id, service_id, hostname, status, created_at, updated_at) values
       ('dom_1', ?1, 'pending.example.com', 'pending', 1, 1), ('dom_2', ?1, 'www.example.com', 'active', 2, 2), ('dom_3', ?1, 'later.example.com', 'active', 3, 3)`,
    )
      .bind(serviceId)
      .run();
    const { service, domains } = await overview(serviceId);
    expect(service).toMatchObject({
      preferredDomain: 'www.example.com',
      primaryUrl: 'https://www.example.com:8443',
    });
    expect(domains[0]).toEqual({
      id: 'dom_1',
      serviceId,
      hostname: 'pending.example.com',
      status: 'pending',
      createdAt: timestamp,
      updatedAt: timestamp,
    });
  });
});

describe('deleting', () => {
  test('takes the rows, leaves work for the host and the logs, and says what the host said', async () => {
    const { id, hostPort } = await created({
      name: 'Gone',
      repoUrl: 'https://git.example/g',
      env: [{ key: 'A', value: '1' }],
    });
    const queued = await call('POST', `/api/services/${id}/deployments`, { token });
    const deploymentId = queued.body.deployment.id;
    const reply = await call('DELETE', `/api/services/${id}`, { token });
    expect(reply.body).toEqual({ ok: true, proxy: { ok: false, detail: expect.any(String) } });
    expect((await call('GET', `/api/services/${id}/overview`, { token })).status).toBe(404);
    const task = await env.DB.prepare(
      'select runner_id, state, task from host_tasks order by rowid desc',
    ).first<Json>();
    expect({ ...task, task: JSON.parse(task.task) }).toEqual({
      runner_id: expect.any(String),
      state: 'pending',
      task: {
        kind: 'remove-service',
        serviceId: id,
        projectId: project.id,
        hostnames: ['gone.localhost'],
        hostPort,
      },
    });
    const purge = await env.DB.prepare('select 1 from log_purges where stream_name = ?')
      .bind(deploymentId)
      .first();
    expect(purge).not.toBeNull();
    for (const table of ['variables', 'jobs', 'deployments']) {
      expect(await env.DB.prepare(`select 1 from ${table} where service_id = ?`).bind(id).first()).toBeNull();
    }
  });
});
