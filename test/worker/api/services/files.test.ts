/**
 * Mounted files: who sees them, what the host gets with each kind of deployment, and that nothing sealed is lost.
 * @module-tag slow
 */
import { env } from 'cloudflare:workers';
import { describe, expect, test } from 'vitest';
import { insertKey, insertProject, insertRunner, insertService } from '../../../support/worker/api.ts';
import { call, liveApp, succeed } from '../../../support/worker/deletions.ts';

const { token } = await insertKey();
const project = await insertProject();
const runner = await insertRunner();
const place = { projectId: project.id, runnerId: runner.id };
const filesOf = (id: string) => `/api/services/${id}/files`;
const put = (id: string, body: unknown) => call('PUT', filesOf(id), { token, body });
const plain = { path: '/etc/app/app.conf', content: 'mode=one\n', secret: false };
const secret = { path: '/etc/app/key.pem', content: 'very-secret-key', mode: '0400' };
const sent = [
  { ...plain, mode: 0o444 },
  { ...secret, secret: true, mode: 0o400 },
];

test('a deployment and a restart give the files of now, a rollback those of its version, and answers tell which wait', async () => {
  const { ask, service, runner: host, ship } = await liveApp();
  const path = `/services/${service.id}`;
  const before = await ship(service);
  expect((await ask('PUT', `${path}/files`, secret)).body.file).toMatchObject({ secret: true, mode: '0400' });
  await ask('PUT', `${path}/files`, plain);
  const pending = async () => (await ask('GET', `${path}/files`)).body.pendingFiles;
  expect(await pending()).toEqual([plain.path, secret.path]);
  const started = async (how: string) => {
    expect((await ask('POST', how)).status).toBe(200);
    const start = await host.next('start');
    const { files } = await host.openBox(start);
    await succeed(host, start);
    return { files, id: (start.spec as { deploymentId: string }).deploymentId };
  };
  const deployed = await started(`${path}/deployments`);
  expect(deployed.files).toEqual(sent);
  expect(await pending()).toEqual([]);
  // What is left out stays.
  await ask('PUT', `${path}/files`, { path: secret.path, content: 'a-newer-key' });
  expect((await ask('GET', `${path}/overview`)).body.pendingFiles).toEqual([secret.path]);
  expect((await started(`${path}/restart`)).files).toEqual([sent[0], { ...sent[1], content: 'a-newer-key' }]);
  expect((await ask('DELETE', `${path}/files?path=${plain.path}`)).status).toBe(200);
  expect((await ask('DELETE', `${path}/files?path=${plain.path}`)).status).toBe(404);
  expect(await pending()).toEqual([plain.path]);
  expect((await started(`/deployments/${deployed.id}/rollback`)).files).toEqual(sent);
  expect((await started(`/deployments/${before}/rollback`)).files).toBeUndefined();
  await ask('POST', `${path}/run`, { command: 'cat /etc/app/key.pem' });
  expect((await host.openBox(await host.next('start'))).files).toEqual([
    { ...sent[1], content: 'a-newer-key' },
  ]);
});

test('a read key sees plain contents only, and nothing is stored in clear', async () => {
  const { id } = await insertService(place);
  for (const file of [plain, secret]) await put(id, file);
  const read = (await insertKey({ access: 'read' })).token;
  const contents = async (as: string) =>
    (await call('GET', filesOf(id), { token: as })).body.files.map(
      ({ content }: { content: unknown }) => content,
    );
  expect(await contents(read)).toEqual([plain.content, null]);
  expect(await contents(token)).toEqual([plain.content, secret.content]);
  const row = await env.DB.prepare('select * from service_files where service_id = ?').bind(id).first();
  expect(JSON.stringify(row)).not.toMatch(/mode=one|very-secret|app\.conf/);
});

test('a transferred and a restored service keep their files', async () => {
  const { ask, service, runner: host, remove, ship } = await liveApp();
  const path = `/services/${service.id}`;
  await ask('PUT', `${path}/files`, secret);
  await ship(service);
  const target = await insertProject();
  expect((await ask('POST', `${path}/transfer`, { targetProjectId: target.id })).status).toBe(200);
  await remove(path);
  expect((await ask('POST', `${path}/restore`)).status).toBe(200);
  expect((await ask('GET', `${path}/files`)).body.files).toMatchObject([{ ...secret, secret: true }]);
  expect((await host.openBox(await host.next('start'))).files).toEqual([sent[1]]);
});

describe('what is refused', () => {
  test.each([
    ['path', 'etc/app'],
    ['path', '/etc/../app'],
    ['path', '/proc/x'],
    ['path', '/etc/hosts'],
    ['content', 'a\u0000b'],
    ['mode', '444'],
    ['mode', '4755'],
  ])('a %s %j is refused by its name', async (field, value) => {
    const { id } = await insertService(place);
    const reply = await put(id, { ...plain, [field]: value });
    expect([reply.status, reply.body.code]).toEqual([400, 'invalid_request']);
    expect(reply.text).toContain(field);
  });

  test('a file of more than 64 KB', async () => {
    const { id } = await insertService(place);
    const content = 'x'.repeat(64 * 1024 + 1);
    expect((await put(id, { ...plain, content })).text).toContain('at most 64 KB');
  });

  test('files inside each other or in a volume, more than 20, and more than 256 KB together', async () => {
    const { id } = await insertService(place);
    await put(id, plain);
    expect((await put(id, { ...plain, path: `${plain.path}/x` })).text).toContain('inside each other');
    await call('POST', `/api/services/${id}/volumes`, { token, body: { name: 'data', mountPath: '/data' } });
    expect((await put(id, { ...plain, path: '/data/x' })).text).toContain('in the volume');
    for (let one = 0; one < 3; one++) {
      const large = { path: `/f/${one}`, content: 'x'.repeat(64 * 1024) };
      expect((await put(id, large)).status).toBe(200);
    }
    const over = await put(id, { path: '/f/3', content: 'x'.repeat(64 * 1024) });
    expect([over.status, over.body.code]).toEqual([413, 'payload_too_large']);
    for (let one = 4; one < 20; one++) await put(id, { path: `/f/${one}`, content: '' });
    expect((await put(id, { path: '/f/21', content: '' })).text).toContain('at most 20 files');
  });

  test('files of a database', async () => {
    const kind = { kind: 'database', repoUrl: 'database', repoFullName: 'database:redis' } as const;
    const { id } = await insertService({ ...place, ...kind });
    expect((await put(id, plain)).body.code).toBe('unsupported');
  });
});

test('simultaneous changes of different files are all kept', async () => {
  const { id } = await insertService(place);
  const paths = ['/a', '/b', '/c'];
  const replies = await Promise.all(paths.map((path) => put(id, { ...plain, path })));
  expect(replies.map(({ status }) => status)).toEqual([200, 200, 200]);
  const { files } = (await call('GET', filesOf(id), { token })).body;
  expect(files.map(({ path }: { path: string }) => path)).toEqual(paths);
});

test('a deployment fails with a sentence before it starts when a volume that was made later would hold a file', async () => {
  const { ask, service, runner: host } = await liveApp();
  const path = `/services/${service.id}`;
  await ask('PUT', `${path}/files`, plain);
  await ask('POST', `${path}/volumes`, { name: 'data', mountPath: '/etc/app' });
  const { id } = (await ask('POST', `${path}/deployments`)).body.deployment;
  await expect
    .poll(async () => (await ask('GET', `/deployments/${id}`)).body.deployment)
    .toMatchObject({ status: 'failed', failureMessage: expect.stringContaining('is in the volume "data"') });
  expect(await host.unread()).toEqual([]);
});
