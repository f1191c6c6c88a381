/**
 * A service whose source becomes another one: what stays, what ends, and what its host is told.
 * @module-tag slow
 */
import { expect, test } from 'vitest';
import type { HubFrameOf } from '../../../../protocol/frames.ts';
import { gitHubPush } from '../../../support/servers/git-deliveries.ts';
import { createClient, insertKey, type Json } from '../../../support/worker/api.ts';
import { FakeRunner } from '../../../support/worker/fake-runner.ts';
import { newHost } from '../../../support/worker/host.ts';

const call = createClient();
const { token } = await insertKey();

async function bench() {
  const host = await newHost();
  const runner = await FakeRunner.connect(host.keys);
  const of = (service: Json) => {
    const path = `/api/services/${service.id}`;
    const send = async (method: string, rest: string, body?: unknown): Promise<Json> =>
      (await call(method, `${path}${rest}`, { token, ...(body === undefined ? {} : { body }) })).body;
    const end = async (start: HubFrameOf<'start'>) => {
      const imageTag = `longshore-${service.id}-${(start.spec as Json).deploymentId}`;
      await runner.report(start, { type: 'result', result: { outcome: 'succeeded', facts: { imageTag } } });
      return start.spec as Json;
    };
    return {
      path,
      send,
      patch: (body: Json) => call('PATCH', path, { token, body }),
      overview: () => send('GET', '/overview'),
      /** Deploys, restarts or rolls back, and ends the deployment. @returns its id and its spec */
      async ship(how = `${path}/deployments`) {
        const { deployment } = (await call('POST', how, { token })).body;
        return { id: deployment.id as string, spec: await end(await runner.next('start')) };
      },
    };
  };
  const created = async (given: Json) => {
    const body = { ...given, runnerId: host.runnerId };
    return of(
      (await call('POST', `/api/projects/${host.project.id}/services`, { token, body })).body.service,
    );
  };
  return { host, runner, created };
}

const git = { repoUrl: 'https://git.example/me/shop.git', branch: 'main' };
const image = { repoUrl: 'container-image', imageRef: 'nginx:1.29' };
const upload = { repoUrl: 'upload' };
const sources = { git, image, upload };
const pairs = Object.entries(sources).flatMap(([from, before]) =>
  Object.entries(sources).flatMap(([to, after]) => (from === to ? [] : [{ from, to, before, after }])),
);

test.each(pairs)('$from becomes $to and keeps everything else', async ({ before, after }) => {
  const { created } = await bench();
  const service = await created({
    name: 'web',
    ...before,
    env: [{ key: 'A', value: '1' }],
    memoryLimitMb: 64,
  });
  await service.send('POST', '/domains', { hostname: 'shop.example' });
  await service.send('POST', '/volumes', { name: 'data', mountPath: '/data' });
  const [was, volumes] = [await service.overview(), await service.send('GET', '/volumes')];
  const { status, body } = await service.patch(after);
  expect(status, body.error).toBe(200);
  const source = { repoUrl: '', repoFullName: null, imageRef: null };
  const now = { ...source, ...after, ...(after === image ? { repoFullName: 'image:nginx:1.29' } : {}) };
  expect(body.service).toMatchObject(now);
  const is = await service.overview();
  const rest = ({ repoUrl, repoFullName, imageRef, kind, updatedAt, ...kept }: Json) => kept;
  const comparable = (one: Json) => ({ ...one, entrypoint: 0, watchPaths: 0, waitForChecks: 0 });
  expect(comparable(rest(is.service))).toEqual(comparable(rest(was.service)));
  expect([is.env, is.domains, await service.send('GET', '/volumes')]).toEqual([
    was.env,
    was.domains,
    volumes,
  ]);
  expect((await service.patch(before)).body.service).toEqual({
    ...was.service,
    updatedAt: expect.any(String),
  });
});

test.each([
  [git, { repoFullName: 'database:postgres' }, 'would replace the app by a database'],
  [image, { repoUrl: 'database', repoFullName: 'database:redis' }, 'would replace the app by a database'],
  [{ repoUrl: 'database', repoFullName: 'database:redis' }, git, 'would replace the database by an app'],
  [{ repoUrl: 'database', repoFullName: 'database:redis' }, upload, 'would replace the database by an app'],
  [git, { repoUrl: 'container-image' }, '"imageRef" is missing'],
  [git, { imageRef: 'nginx' }, 'set "repoUrl" to "container-image"'],
  [upload, { repoUrl: 'https://git.example/a', imageRef: 'nginx' }, '"imageRef" belongs to container image'],
  [{ ...git, runtimeMode: 'static' }, image, '"runtimeMode" of a container image service must be'],
  [git, { ...image, watchPaths: ['a/'] }, '"watchPaths" is only for git repositories'],
])('%j refuses %j', async (before, patch, sentence) => {
  const { created } = await bench();
  const service = await created({ name: 'one', ...before });
  const was = await service.overview();
  const { status, body } = await service.patch(patch);
  expect([status, body.error]).toEqual([400, expect.stringContaining(sentence)]);
  expect((await service.overview()).service).toEqual(was.service);
});

test('a repository on GitHub is a source by its name alone', async () => {
  const { created } = await bench();
  const service = await created({ name: 'web', ...upload });
  expect((await service.patch({ repoFullName: 'me/shop' })).body.service).toMatchObject({
    repoUrl: 'https://github.com/me/shop.git',
    repoFullName: 'me/shop',
  });
});

test('a version of the former source restarts with its own settings, is rolled back to, and what waits is named', async () => {
  const { created } = await bench();
  const own = { command: ['serve'], user: 'node' };
  const service = await created({ name: 'web', ...image, ...own, shmSizeMb: 64 });
  const first = await service.ship();
  expect(first.spec).toMatchObject({ source: { type: 'image' }, container: { ...own, shmSizeMb: 64 } });

  await service.patch(git);
  const { pendingSettings } = await service.overview();
  expect(pendingSettings.map(({ name, appliedBy }: Json) => [name, appliedBy])).toEqual(
    expect.arrayContaining([
      ['repoUrl', 'deployment'],
      ['imageRef', 'deployment'],
      ['command', 'deployment'],
    ]),
  );
  const restarted = await service.ship(`${service.path}/restart`);
  expect(restarted.spec).toMatchObject({ source: { type: 'kept' }, container: { ...own, shmSizeMb: 64 } });

  const second = await service.ship();
  expect(second.spec.source).toMatchObject({ type: 'git', url: git.repoUrl });
  expect(second.spec.container).toEqual({ shmSizeMb: 64 });
  expect((await service.ship(`${service.path}/restart`)).spec.container).toEqual({ shmSizeMb: 64 });
  expect((await service.overview()).pendingSettings).toEqual([]);

  const back = await service.ship(`/api/deployments/${first.id}/rollback`);
  expect(back.spec).toMatchObject({ source: { type: 'kept', deploymentId: first.id }, container: own });
  // The live version is the image again, although the service has a repository now.
  expect((await service.ship(`${service.path}/restart`)).spec.container).toMatchObject(own);
  expect((await service.patch(image)).body.service).toMatchObject(own);
});

test('what has no effect on the new source is named, and what belongs to the former one ends', async () => {
  const { created } = await bench();
  const settings = { rootDir: 'web', staticOutput: 'dist', watchPaths: ['web/'], buildTarget: 'app' };
  const service = await created({ name: 'web', ...git, ...settings, gitToken: 'secret' });
  const { body } = await service.patch(image);
  expect(body.warnings).toEqual([
    'Pushes to https://git.example/me/shop.git deploy this service no longer.',
    'gitToken: it was deleted, because it belongs to the git host of the former source.',
    'staticOutput: it was cleared, because an image is not a static site.',
    'These settings have no effect on the new source, and return with the former one: rootDir, buildTarget, watchPaths.',
  ]);
  expect(body.service).toMatchObject({ hasGitHostToken: false, staticOutput: null, watchPaths: null });
  const back = (await service.patch(git)).body;
  expect(back.service).toMatchObject({ rootDir: 'web', watchPaths: ['web/'], buildTarget: 'app' });
  expect(back.warnings).toBeUndefined();
});

test.each([
  ['https://git.example/me/other', true],
  ['http://GIT.example/me/shop', true],
  ['https://git.example:8443/me/shop', false],
  ['https://git.example.evil.example/me/shop', false],
  ['https://evil.example/git.example/me/shop', false],
])('a token of git.example is sent to %s: %s', async (repoUrl, kept) => {
  const { created } = await bench();
  const service = await created({ name: 'web', ...git, gitToken: 'secret' });
  const { body } = await service.patch({ repoUrl });
  expect(body.service.hasGitHostToken).toBe(kept);
  const replaced = await service.patch({ repoUrl: 'https://third.example/a', gitToken: 'other' });
  expect(replaced.body.service.hasGitHostToken).toBe(true);
});

test('pushes to the former repository deploy nothing, also when it was replaced by another one, until it is the source again', async () => {
  const { created } = await bench();
  const service = await created({ name: 'web', ...git });
  const { webhook } = await service.send('POST', '/webhook');
  const push = async () => {
    const { headers, body } = await gitHubPush(webhook.secret);
    return (await call('POST', `/api/hooks/git/${service.path.split('/').at(-1)}`, { raw: body, headers }))
      .body;
  };
  const former = { ok: true, deployment: null, reason: expect.stringContaining('no longer built from') };
  for (const other of [image, upload, { repoUrl: 'https://git.example/me/other' }]) {
    await service.patch(other);
    expect(await push()).toEqual(former);
    expect((await service.send('GET', '/webhook')).webhook).toBeNull();
  }
  await service.patch({ repoUrl: 'git@git.example:me/shop' });
  expect((await service.send('GET', '/webhook')).webhook).not.toBeNull();
  expect(await push()).toMatchObject({ deployment: { trigger: 'webhook' }, reason: null });
});
