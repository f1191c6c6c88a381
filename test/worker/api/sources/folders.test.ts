/** Services that are built from uploaded folders: uploads, what a deployment builds, and what is kept. The host is played here. */
import { env } from 'cloudflare:workers';
import { eq } from 'drizzle-orm';
import { expect, test } from 'vitest';
import { deployments } from '../../../../worker/store/schema/deployments.ts';
import { uploads } from '../../../../worker/store/schema/uploads.ts';
import { sweepUploads } from '../../../../worker/usecases/imports/remove-uploads.ts';
import { deps, insertKey, type Json } from '../../../support/worker/api.ts';
import { FakeRunner } from '../../../support/worker/fake-runner.ts';
import { newHost } from '../../../support/worker/host.ts';
import { call, copyCalls } from '../../../support/worker/remote-backup.ts';

const hourMs = 3_600_000;
const digestOf = (letter: string) => `sha256:${letter.repeat(64)}`;

async function bench(more: Record<string, unknown> = {}) {
  const { token } = await insertKey();
  const host = await newHost();
  const runner = await FakeRunner.connect(host.keys);
  const service = await host.addService({ kind: 'upload', repoUrl: 'upload', repoFullName: null, ...more });
  const send = (method: string, path: string, body?: unknown, as = token) =>
    call(method, `/api/services/${service.id}${path}`, {
      token: as,
      ...(body === undefined ? {} : { body }),
    });
  const begin = async (letter: string, sizeBytes = 5): Promise<Json> =>
    (await send('POST', '/uploads', { sizeBytes, checksum: digestOf(letter) })).body.upload;
  const put = (id: string, raw = 'bytes') =>
    call('PUT', `/api/services/${service.id}/uploads/${id}?part=1`, {
      ...{ token, raw, headers: { 'content-length': String(raw.length) } },
    });
  /** An upload whose bytes have all come. */
  async function uploaded(letter: string): Promise<Json> {
    const upload = await begin(letter);
    expect((await put(upload.id)).body).toEqual({ ok: true });
    return upload;
  }
  const deploy = (body: Json = {}) => send('POST', '/deployments', body);
  const end = async (start: Parameters<FakeRunner['report']>[0], result: Json) =>
    runner.report(start, { type: 'result', result: { facts: {}, ...result } } as never);
  /** Deploys the upload, and ends the deployment. */
  async function built(upload: Json): Promise<Json> {
    const { deployment } = (await deploy({ uploadId: upload.id })).body;
    await end(await runner.next('start'), { outcome: 'succeeded' });
    return deployment;
  }
  const listed = async (): Promise<string[]> =>
    (await send('GET', '/uploads')).body.uploads.map(({ id }: Json) => id);
  const inBucket = async ({ id }: Json) => (await env.BLOBS.head(`uploads/${service.id}/${id}`)) !== null;
  return { token, host, runner, service, send, begin, put, uploaded, deploy, end, built, listed, inBucket };
}

test('a service is made for uploads by repoUrl "upload", and no other source field fits', async () => {
  const { service, token } = await bench();
  const create = (body: Json) =>
    call('POST', `/api/projects/${service.projectId}/services`, { token, body: { name: 'up', ...body } });
  const made = await create({ repoUrl: 'upload' });
  expect([made.status, made.body.service]).toMatchObject([
    200,
    { repoUrl: 'upload', repoFullName: null, imageRef: null, buildMethod: 'auto' },
  ]);
  expect(await create({ repoUrl: 'upload', imageRef: 'nginx' })).toMatchObject({
    status: 400,
    body: { error: expect.stringContaining('"imageRef" does not fit') },
  });
});

test('a folder reaches the host with its digest, which reads it with the token of its attempt only', async () => {
  const { uploaded, deploy, runner, send, end } = await bench({ rootDir: 'web' });
  const upload = await uploaded('a');
  const { status, body } = await deploy({ uploadId: upload.id });
  expect([status, body.deployment]).toMatchObject([200, { sourceDigest: digestOf('a'), commitSha: null }]);
  const start = await runner.next('start');
  expect(start.spec).toMatchObject({
    source: { type: 'upload', checksum: digestOf('a'), sizeBytes: 5, rootDir: 'web' },
  });
  const { transferToken = '' } = await runner.openBox(start);
  const copy = copyCalls(start.job, transferToken);
  expect((await copy.read()).text).toBe('bytes');
  expect((await copyCalls(start.job, 'x').read()).status).toBe(401);
  expect((await copy.begin()).status).toBe(400);
  expect((await send('DELETE', `/uploads/${upload.id}`)).body.error).toMatch(
    /deployment is building this folder/,
  );
  await end(start, { outcome: 'succeeded' });
  expect((await copy.read()).status).toBe(409);
  const { deployments: all } = (await send('GET', '/deployments')).body;
  expect(all).toMatchObject([{ status: 'running', sourceDigest: digestOf('a') }]);
});

test('the same bytes are sent once: the second upload is the first, with nothing missing', async () => {
  const { begin, put, built, send } = await bench();
  const upload = await begin('a');
  expect(upload).toMatchObject({ parts: 1, missing: [1], lastDeployedAt: null });
  expect(await begin('a')).toEqual(upload);
  await put(upload.id);
  expect(await begin('a')).toMatchObject({ id: upload.id, missing: [] });
  await built(upload);
  expect(await begin('a')).toMatchObject({ id: upload.id, missing: [], expiresAt: null });
  expect((await begin('b')).id).not.toBe(upload.id);
  expect((await send('GET', `/uploads/${upload.id}`)).body.upload.lastDeployedAt).toMatch(/Z$/);
});

test('a deployment without an upload builds the folder that was deployed last', {
  tags: 'slow',
}, async () => {
  const { uploaded, built, deploy, runner, end } = await bench();
  expect(await deploy()).toMatchObject({
    status: 409,
    body: { error: expect.stringMatching(/No folder was uploaded.*longshore up/) },
  });
  const [first, second] = [await uploaded('a'), await uploaded('b')];
  for (const upload of [first, second, first]) await built(upload);
  expect((await deploy()).body.deployment.sourceDigest).toBe(digestOf('a'));
  await end(await runner.next('start'), { outcome: 'succeeded' });
});

test('an incomplete folder, one of another service and one of another kind are refused', async () => {
  const [one, other] = [await bench(), await bench()];
  const open = await one.begin('a');
  expect((await one.deploy({ uploadId: open.id })).body.error).toMatch(/^1 of 1 parts are missing: 1\./);
  expect((await other.deploy({ uploadId: open.id })).status).toBe(404);
  const git = await one.host.addService({});
  const asGit = (method: string, path: string, body?: Json) =>
    call(method, `/api/services/${git.id}${path}`, { token: one.token, ...(body ? { body } : {}) });
  // A folder may be sent before it becomes the source.
  const early = await asGit('POST', '/uploads', { sizeBytes: 1, checksum: digestOf('a') });
  expect(early.status).toBe(200);
  const refused = await asGit('POST', '/deployments', { uploadId: early.body.upload.id });
  expect([refused.status, refused.body.error]).toEqual([
    400,
    expect.stringMatching(/set "repoUrl" to "upload"/),
  ]);
  const database = await one.host.addService({ kind: 'database', repoUrl: 'database' });
  const path = `/api/services/${database.id}/uploads`;
  const body = { sizeBytes: 1, checksum: digestOf('a') };
  expect((await call('POST', path, { token: one.token, body })).body.code).toBe('unsupported');
  const tooLarge = await one.send('POST', '/uploads', { sizeBytes: 10 ** 9 + 1, checksum: digestOf('a') });
  expect([tooLarge.status, tooLarge.body.error]).toEqual([400, expect.stringContaining('1 to 1000000000')]);
});

test('the last three folders are kept; older ones, and all of a purged service, are swept', {
  tags: 'slow',
}, async () => {
  const { uploaded, built, listed, inBucket, service, send, runner } = await bench();
  const made: Json[] = [];
  for (const letter of ['a', 'b', 'c', 'd']) {
    made.push(await uploaded(letter));
    await built(made.at(-1) ?? {});
  }
  expect(await listed()).toEqual([3, 2, 1].map((at) => made[at]?.id));
  const later = { ...deps, now: () => deps.now() + 100 * 24 * hourMs };
  await sweepUploads(later);
  expect(await Promise.all(made.map(inBucket))).toEqual([false, true, true, true]);
  await runner.disconnect();
  expect((await send('DELETE', '')).status).toBe(200);
  await sweepUploads(later);
  expect(await Promise.all(made.map(inBucket)), 'it can be restored').toEqual([false, true, true, true]);
  await deps.db.run(`delete from deleted_rows where resource_id = '${service.id}'`);
  await sweepUploads(later);
  expect(await Promise.all(made.map(inBucket))).toEqual([false, false, false, false]);
  expect(await deps.db.select().from(uploads).where(eq(uploads.serviceId, service.id))).toEqual([]);
});

test('a folder whose bytes are not those announced is released, so that it is sent again', async () => {
  const { uploaded, deploy, runner, end, begin } = await bench();
  const upload = await uploaded('a');
  await deploy({ uploadId: upload.id });
  await end(await runner.next('start'), { outcome: 'failed', code: 'source_damaged', message: 'Damaged.' });
  const again = await begin('a');
  expect([again.id === upload.id, again.missing]).toEqual([false, [1]]);
});

test('a restart needs no folder, and a rebuild says that it is gone', async () => {
  const { uploaded, built, deploy, runner, send, service } = await bench();
  await built(await uploaded('a'));
  await deps.db.update(uploads).set({ expiresAt: 0 }).where(eq(uploads.serviceId, service.id));
  expect((await send('POST', '/restart')).status).toBe(200);
  const start = await runner.next('start');
  expect(start.spec).toMatchObject({ source: { type: 'kept', restarts: true } });
  expect((await runner.openBox(start)).transferToken).toBeUndefined();
  const [kept] = await deps.db.select().from(deployments).where(eq(deployments.jobId, start.job));
  expect(kept?.sourceDigest).toBe(digestOf('a'));
  expect((await deploy()).status).toBe(409);
});
