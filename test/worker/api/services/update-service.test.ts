/** Changing services. */
import { expect, test } from 'vitest';
import { insertRunner } from '../../../support/worker/api.ts';
import { serviceBench, timestamp } from '../../../support/worker/services.ts';

const { created, patch, overview } = await serviceBench();

const service = () => created({ name: 'Change', repoUrl: 'https://git.example/c', rootDir: 'app' });

test('an absent field keeps, null clears, the slug stays, and updatedAt moves', async () => {
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

test('a command that a build of the Dockerfile does not use is a warning, beside the change and in the overview', async () => {
  const { id } = await service();
  const unused = (field: string, place: string) =>
    `${field}: it is not used, because the service is built by its Dockerfile. Write it there (${place}), or set "buildMethod" to "analyzer".`;
  const warnings = [unused('buildCommand', 'a RUN'), unused('startCommand', 'CMD')];
  expect(
    (await patch(id, { startCommand: 'node a.js', buildCommand: 'make' })).body.warnings,
  ).toBeUndefined();
  expect((await patch(id, { buildMethod: 'dockerfile' })).body.warnings).toEqual(warnings);
  expect((await overview(id)).warnings).toEqual(warnings);
  expect((await patch(id, { name: 'Other' })).body.warnings).toBeUndefined();
  expect((await patch(id, { buildMethod: 'analyzer' })).body.warnings).toBeUndefined();
});

test('a token is set and removed', async () => {
  const { id } = await service();
  expect((await patch(id, { gitToken: 'abc' })).body.service.hasGitHostToken).toBe(true);
  expect((await patch(id, { branch: 'dev' })).body.service.hasGitHostToken).toBe(true);
  expect((await patch(id, { gitToken: null })).body.service.hasGitHostToken).toBe(false);
});

test('the source fields follow each other', async () => {
  const { id } = await service();
  expect((await patch(id, { repoFullName: 'o/r' })).body.service.repoUrl).toBe('https://github.com/o/r.git');
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

test('a service of which nothing runs moves to another host at once, on its own port', async () => {
  const other = await insertRunner({ name: 'other' });
  const { id, hostPort } = await service();
  const moved = (await patch(id, { runnerId: other.id })).body.service;
  expect([moved.runnerId, moved.hostPort]).toEqual([other.id, hostPort]);
});

test.each([
  ['nothing', {}, 'is empty'],
  ['null', { branch: null }, `"branch" can't be null`],
  ['read-only', { status: 'active' }, '"status" is read-only'],
  ['variables', { env: [] }, '"env" does not exist'],
  ['path out', { rootDir: '../x' }, '"rootDir"'],
])('a change is refused: %s', async (_, body, sentence) => {
  const { id } = await service();
  const reply = await patch(id, body);
  expect(reply.body.error).toContain(sentence);
  expect(reply.status).toBe(400);
});

test('a change refuses whatever creation refuses', async () => {
  const image = await created({ name: 'i', repoUrl: 'container-image', imageRef: 'nginx' });
  expect((await patch(image.id, { runtimeMode: 'static' })).body.code).toBe('unsupported');
});
