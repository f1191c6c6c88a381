/**
 * Dump files that fill databases: uploads in parts, what is refused, and what is left of them. The host is played here.
 * @module-tag slow
 */
import { env } from 'cloudflare:workers';
import { eq } from 'drizzle-orm';
import { expect, test } from 'vitest';
import { projects } from '../../../../worker/store/schema/projects.ts';
import { services } from '../../../../worker/store/schema/services.ts';
import { tenants } from '../../../../worker/store/schema/tenants.ts';
import { uploadParts, uploads } from '../../../../worker/store/schema/uploads.ts';
import { sweepUploads } from '../../../../worker/usecases/imports/remove-uploads.ts';
import { deps, insertKey, insertTenant, type Json } from '../../../support/worker/api.ts';
import {
  bytes,
  call,
  clientWithBucket,
  copyCalls,
  remoteDatabase,
} from '../../../support/worker/remote-backup.ts';

const partBytes = 64 * 1024 * 1024;
const dayMs = 24 * 3_600_000;
const hourMs = 3_600_000;
const checksum = `sha256:${'a'.repeat(64)}`;

async function database() {
  const bench = await remoteDatabase();
  const base = `/api/services/${bench.service.id}/database`;
  const send = (method: string, path: string, body?: unknown, { client = call, token = bench.token } = {}) =>
    client(method, `${base}${path}`, { token, ...(body === undefined ? {} : { body }) });
  const put = (path: string, raw: string, headers = {}, client = call) =>
    client('PUT', `${base}${path}`, {
      token: bench.token,
      raw,
      headers: { 'content-length': String(raw.length), ...headers },
    });
  const begin = async (sizeBytes = bytes.length, more = {}): Promise<Json> =>
    (await send('POST', '/uploads', { sizeBytes, ...more })).body.upload;
  /** All of it has come. */
  async function uploaded(text = bytes, more = {}): Promise<Json> {
    const upload = await begin(text.length, more);
    expect((await put(`/uploads/${upload.id}?part=1`, text)).body).toEqual({ ok: true });
    return upload;
  }
  const use = (uploadId: string, body: Json = { replace: true }) =>
    send('POST', '/import/file', { uploadId, ...body });
  /** While the host says which tables there are. */
  async function asked<T>(answer: Promise<T>, tables: Json[]): Promise<T> {
    const { id } = await bench.runner.next('request');
    bench.runner.send({ v: 1, type: 'response', id, outcome: { ok: true, value: { tables } } });
    return await answer;
  }
  const keyOf = ({ id }: { id: string }) => `uploads/${bench.service.id}/${id}`;
  const listed = async (id: string): Promise<Json> =>
    (await send('GET', '/imports')).body.imports.find((one: Json) => one.id === id);
  return { ...bench, send, put, begin, uploaded, use, asked, keyOf, listed };
}

const inBucket = async (key: string) => (await env.BLOBS.get(key))?.text() ?? null;
const exists = async (key: string) => (await env.BLOBS.head(key)) !== null;
const rowOf = async (id: string) => (await deps.db.select().from(uploads).where(eq(uploads.id, id)))[0];
const kept = { id: 'public.kept', name: 'kept', schema: 'public', rowCount: 1, columns: [] };
const succeeded = { type: 'result', result: { outcome: 'succeeded', facts: {} } } as const;

test('an upload lists its parts; they arrive in any order, and a repeated part replaces the first', async () => {
  const { begin, put, send, use, keyOf } = await database();
  const first = 'a'.repeat(partBytes);
  const upload = await begin(partBytes + 5, { checksum });
  expect(upload).toEqual({
    id: expect.stringMatching(/^upl_/),
    sizeBytes: partBytes + 5,
    partBytes,
    parts: 2,
    expiresAt: expect.stringMatching(/Z$/),
  });
  const received = async () => {
    const { received: come, missing } = (await send('GET', `/uploads/${upload.id}`)).body.upload;
    expect([...come, ...missing].toSorted()).toEqual([1, 2]);
    return come;
  };
  expect(await received()).toEqual([]);
  await put(`/uploads/${upload.id}?part=2`, 'early');
  expect(await received()).toEqual([2]);
  expect(await use(upload.id)).toMatchObject({
    status: 409,
    body: { error: expect.stringMatching(/^1 of 2 parts are missing: 1\./) },
  });
  await put(`/uploads/${upload.id}?part=1`, first);
  await put(`/uploads/${upload.id}?part=2`, 'later');
  expect(await received()).toEqual([1, 2]);
  expect((await use(upload.id)).status).toBe(200);
  expect((await inBucket(keyOf(upload)))?.slice(partBytes - 2)).toBe('aalater');
});

test.each([
  ['0', 'x', {}, /"part" must be a number/],
  ['2', 'x', {}, /"part" must be a number from 1 to 1: the file has 21 bytes/],
  ['3001', 'x', {}, /"part" must be a number from 1 to 1/],
  ['one', 'x', {}, /"part" must be a number/],
  ['1', bytes.slice(1), {}, /Part 1 must have 21 bytes, but the header Content-Length is 20/],
  ['1', `${bytes}x`, {}, /Part 1 must have 21 bytes, but the header Content-Length is 22/],
  ['1', bytes, { 'content-length': '' }, /Content-Length/],
])('an upload takes no part %j with %j %j', async (part, raw, headers, why) => {
  const { begin, put, send } = await database();
  const { id } = await begin();
  const refused = await put(`/uploads/${id}?part=${part}`, raw, headers);
  expect([refused.status, refused.body.error]).toEqual([400, expect.stringMatching(why)]);
  expect((await send('GET', `/uploads/${id}`)).body.upload.received).toEqual([]);
});

test.each([
  [{}, /sizeBytes/],
  [{ sizeBytes: 0 }, /"sizeBytes" must be a whole number from 1 to 201326592000/],
  [{ sizeBytes: 3000 * partBytes + 1 }, /"sizeBytes" must be/],
  [{ sizeBytes: 1, checksum: 'a'.repeat(64) }, /"checksum" must be "sha256:"/],
  [{ sizeBytes: 1, name: 'x' }, /name/],
])('an upload is not begun with %j', async (body, why) => {
  const { send } = await database();
  const refused = await send('POST', '/uploads', body);
  expect([refused.status, refused.body.error]).toEqual([400, expect.stringMatching(why)]);
});

test('an upload of another service, and one that is nowhere, is 404', async () => {
  const [one, other] = [await database(), await database()];
  const { id } = await one.uploaded();
  for (const reply of [
    await other.send('GET', `/uploads/${id}`),
    await other.put(`/uploads/${id}?part=1`, bytes),
    await other.send('DELETE', `/uploads/${id}`),
    await other.use(id),
    await other.use('upl_0000000000000000'),
  ])
    expect([reply.status, reply.body.code]).toEqual([404, 'not_found']);
  expect((await other.send('GET', '/imports')).body.imports).toEqual([]);
});

test('a read key can see an upload, and cannot change it', async () => {
  const { send, uploaded } = await database();
  const { id } = await uploaded();
  const { token } = await insertKey({ access: 'read' });
  expect((await send('GET', `/uploads/${id}`, undefined, { token })).status).toBe(200);
  expect((await send('GET', '/uploads', undefined, { token })).body.uploads).toMatchObject([{ id }]);
  const writes = [
    ['POST', '/uploads', { sizeBytes: 1 }],
    ['PUT', `/uploads/${id}?part=1`, undefined],
    ['DELETE', `/uploads/${id}`, undefined],
    ['POST', '/import/file', { uploadId: id }],
    ['PUT', '/import/file', undefined],
  ] as const;
  for (const [method, path, body] of writes)
    expect((await send(method, path, body, { token })).status).toBe(403);
});

test('a database has at most three uploads; a removed one makes room and leaves nothing', async () => {
  const { send, uploaded, begin, put } = await database();
  const first = await uploaded();
  await begin();
  await begin();
  expect(await send('POST', '/uploads', { sizeBytes: 1 })).toMatchObject({
    status: 409,
    body: { code: 'conflict', error: expect.stringContaining(first.id) },
  });
  expect((await send('DELETE', `/uploads/${first.id}`)).body).toEqual({ ok: true });
  expect((await send('GET', `/uploads/${first.id}`)).status).toBe(404);
  expect(await deps.db.select().from(uploadParts).where(eq(uploadParts.uploadId, first.id))).toEqual([]);
  expect((await put(`/uploads/${first.id}?part=1`, bytes)).status).toBe(404);
  expect((await send('POST', '/uploads', { sizeBytes: 1 })).status).toBe(200);
});

test("an upload has to fit into its tenant's remaining quota, together with all others", async () => {
  const { service, send } = await database();
  const tenantId = await insertTenant('uploads');
  await deps.db.update(projects).set({ tenantId }).where(eq(projects.id, service.projectId));
  const { token } = await insertKey({ tenantId });
  await deps.db
    .update(tenants)
    .set({ quotas: { backupBytes: 100 } })
    .where(eq(tenants.id, tenantId));
  const asked = (sizeBytes: number) => send('POST', '/uploads', { sizeBytes }, { token });
  expect((await asked(60)).status).toBe(200);
  expect(await asked(41)).toMatchObject({ status: 409, body: { code: 'quota_exceeded' } });
  expect((await asked(41)).body.error).toMatch(/allows 100 bytes.*41 more/);
  expect((await asked(40)).status).toBe(200);
});

test('an upload into a bucket that takes nothing is 409 with the reason; where it fails at a part, the part is sent again', async () => {
  const { send, begin, put } = await database();
  const down = clientWithBucket(() => true);
  expect(await send('POST', '/uploads', { sizeBytes: 1 }, { client: down })).toMatchObject({
    status: 409,
    body: { code: 'conflict', error: expect.stringMatching(/bucket, which is not working/) },
  });
  const { id } = await begin();
  const flaky = clientWithBucket((step) => step === 'part 1');
  expect((await put(`/uploads/${id}?part=1`, bytes, {}, flaky)).status).toBe(503);
  expect((await put(`/uploads/${id}?part=1`, bytes)).status).toBe(200);
});

test('an upload that is not used within a day is refused and swept with its parts', async () => {
  const { uploaded, use, keyOf, put } = await database();
  const upload = await uploaded();
  await deps.db
    .update(uploads)
    .set({ expiresAt: deps.now() - 1 })
    .where(eq(uploads.id, upload.id));
  expect((await use(upload.id)).status).toBe(404);
  expect((await put(`/uploads/${upload.id}?part=1`, bytes)).status).toBe(404);
  await sweepUploads(deps);
  expect(await rowOf(upload.id), 'a request may still be at work').toBeDefined();
  await sweepUploads({ ...deps, now: () => deps.now() + hourMs });
  expect(await rowOf(upload.id)).toBeUndefined();
  expect(await exists(keyOf(upload))).toBe(false);
});

test('an upload of a deleted database is swept a day later', async () => {
  const { uploaded, use, keyOf, service, token, runner } = await database();
  const [idle, used] = [await uploaded(), await uploaded()];
  expect((await use(used.id)).status).toBe(200);
  await runner.disconnect();
  await deps.db.update(uploads).set({ importId: 'imp_gone' }).where(eq(uploads.id, used.id));
  await call('DELETE', `/api/services/${service.id}`, { token });
  await sweepUploads({ ...deps, now: () => deps.now() + dayMs + 2 * hourMs });
  expect([await rowOf(idle.id), await rowOf(used.id), await exists(keyOf(used))]).toEqual([
    undefined,
    undefined,
    false,
  ]);
});

test('an import from a file reaches the host with its size and checksum, which reads it with its token; at the end the file is gone', async () => {
  const { asked, uploaded, use, runner, listed, keyOf } = await database();
  const upload = await uploaded(bytes, { checksum });
  const { status, body } = await asked(use(upload.id, {}), []);
  expect([status, body.result]).toEqual([
    200,
    {
      id: expect.stringMatching(/^imp_/),
      status: 'running',
      source: 'file',
      createdAt: expect.any(String),
    },
  ]);
  const start = await runner.next('start');
  expect(start.spec).toMatchObject({
    kind: 'import',
    importId: body.result.id,
    source: 'file',
    file: { sizeBytes: bytes.length, checksum },
    safetyBackupId: null,
  });
  const copy = copyCalls(start.job, (await runner.openBox(start)).transferToken ?? '');
  expect((await copy.read()).text).toBe(bytes);
  expect((await copy.read('bytes=4-8')).text).toBe('bytes');
  expect((await copy.begin()).status).toBe(400);
  expect(await listed(body.result.id)).toMatchObject({
    status: 'running',
    sourceLabel: `file/${bytes.length} bytes`,
  });
  await runner.report(start, succeeded);
  expect(await listed(body.result.id)).toMatchObject({ status: 'succeeded', source: 'file' });
  expect([await exists(keyOf(upload)), await rowOf(upload.id)]).toEqual([false, undefined]);
  expect((await copy.read()).status).toBe(409);
});

test('an import with continueOnError reaches the host with it, and the list shows what was left out', async () => {
  const { uploaded, use, runner, listed } = await database();
  const { id } = (await use((await uploaded()).id, { replace: true, continueOnError: true })).body.result;
  const start = await runner.next('start');
  expect(start.spec).toMatchObject({ importId: id, continueOnError: true });
  expect(await listed(id)).toMatchObject({ continueOnError: true, skipped: [] });
  const skipped = ['COPY failed for table "t".'];
  await runner.report(start, { type: 'result', result: { outcome: 'succeeded', facts: { skipped } } });
  expect(await listed(id)).toMatchObject({ status: 'succeeded', skipped });
});

test("continueOnError is refused for an engine whose tool can't go on, before the upload is used", async () => {
  const { service, uploaded, use, put, send } = await database();
  await deps.db.update(services).set({ repoFullName: 'database:mysql' }).where(eq(services.id, service.id));
  const { id } = await uploaded();
  for (const reply of [
    await use(id, { replace: true, continueOnError: true }),
    await put('/import/file?replace=true&continueOnError=true', bytes),
  ])
    expect([reply.status, reply.body.error]).toEqual([
      400,
      expect.stringMatching(/"continueOnError" is only for postgres and timescale, .* runs mysql/),
    ]);
  expect((await send('GET', '/uploads')).body.uploads).toMatchObject([{ id }]);
});

test('a failed import from a file removes its file too', async () => {
  const { uploaded, use, runner, listed, keyOf } = await database();
  const upload = await uploaded();
  const { id } = (await use(upload.id)).body.result;
  const result = { outcome: 'failed', code: 'import_refused', message: 'No dump.', facts: {} } as const;
  await runner.report(await runner.next('start'), { type: 'result', result });
  expect(await listed(id)).toMatchObject({ status: 'failed', error: 'No dump.' });
  expect([await exists(keyOf(upload)), await rowOf(upload.id)]).toEqual([false, undefined]);
});

test('an import from a file whose end found the bucket away leaves its file to the sweep, one that runs keeps it', async () => {
  const { uploaded, use, runner, keyOf } = await database();
  const upload = await uploaded();
  await use(upload.id);
  const start = await runner.next('start');
  await deps.db.update(uploads).set({ expiresAt: 0 }).where(eq(uploads.id, upload.id));
  await sweepUploads({ ...deps, now: () => deps.now() + 2 * dayMs });
  expect(await exists(keyOf(upload))).toBe(true);
  const row = await rowOf(upload.id);
  await runner.report(start, succeeded);
  if (row) await deps.db.insert(uploads).values(row);
  await env.BLOBS.put(keyOf(upload), bytes);
  const blobs = { ...deps.blobs, remove: () => Promise.reject(new Error('down')) };
  await expect(sweepUploads({ ...deps, blobs })).rejects.toThrow('down');
  expect(await rowOf(upload.id)).toBeDefined();
  await sweepUploads(deps);
  expect([await exists(keyOf(upload)), await rowOf(upload.id)]).toEqual([false, undefined]);
});

test('an import from a file into what is filled is 409 and leaves the upload to be used with "replace", after a backup', async () => {
  const { asked, uploaded, use, runner } = await database();
  const { id } = await uploaded();
  const refused = await asked(use(id, {}), [kept]);
  expect([refused.status, refused.body.error]).toEqual([
    409,
    expect.stringMatching(/not empty: it has kept/),
  ]);
  expect((await use(id)).status).toBe(200);
  const { spec } = await runner.next('start');
  expect(spec).toMatchObject({ source: 'file', safetyBackupId: expect.stringMatching(/^bak_/) });
});

test('an import requested twice at once runs once, and its upload cannot be sent, removed or used again', async () => {
  const { uploaded, use, put, send, runner } = await database();
  const { id } = await uploaded();
  const replies = await Promise.all([use(id), use(id), use(id)]);
  expect(replies.map(({ status }) => status).sort()).toEqual([200, 409, 409]);
  expect((await send('GET', '/imports')).body.imports).toHaveLength(1);
  for (const reply of [
    await use(id),
    await put(`/uploads/${id}?part=1`, bytes),
    await send('DELETE', `/uploads/${id}`),
  ])
    expect([reply.status, reply.body.code]).toEqual([409, 'conflict']);
  await runner.next('start');
  expect((await send('GET', '/uploads')).body.uploads).toEqual([]);
});

test('an import from a file that another job on the data keeps out leaves the upload as it was, to be used after that', async () => {
  const { uploaded, use, send, put, runner } = await database();
  const { id } = await uploaded();
  await send('POST', '/backups', { storage: 'disk' });
  expect(await use(id)).toMatchObject({
    status: 409,
    body: { error: expect.stringMatching(/is in progress/) },
  });
  expect((await put(`/uploads/${id}?part=1`, bytes)).body, 'parts still come').toEqual({ ok: true });
  await runner.report(await runner.next('start'), {
    type: 'result',
    result: { outcome: 'aborted', facts: {} },
  });
  expect((await use(id)).status).toBe(200);
});

test('an import from a file whose completion in the bucket fails is 503, and succeeds when it is requested again', async () => {
  const { uploaded, send, put } = await database();
  const { id } = await uploaded();
  const body = { uploadId: id, replace: true };
  for (const failing of ['complete', 'complete, answer lost'] as const) {
    const client = clientWithBucket((step) => step === failing || step === 'head');
    expect((await send('POST', '/import/file', body, { client })).status).toBe(503);
  }
  expect(await put(`/uploads/${id}?part=1`, bytes)).toMatchObject({
    status: 409,
    body: { code: 'conflict', error: 'The file is already complete: import it, or delete the upload.' },
  });
  expect((await send('POST', '/import/file', body)).status).toBe(200);
});

test('an import repeated with the same Idempotency-Key is the same import', async () => {
  const { uploaded, service, token, send } = await database();
  const { id } = await uploaded();
  const once = () =>
    call('POST', `/api/services/${service.id}/database/import/file`, {
      token,
      headers: { 'idempotency-key': `file-${id}` },
      body: { uploadId: id, replace: true },
    });
  const [first, second] = [await once(), await once()];
  expect([first.status, second.text]).toEqual([200, first.text]);
  expect((await send('GET', '/imports')).body.imports).toHaveLength(1);
});

test('a file sent as a request body is uploaded and imported', async () => {
  const { asked, put, runner, keyOf } = await database();
  const reply = await asked(put(`/import/file?checksum=${checksum}`, bytes), []);
  expect(reply.body.result).toMatchObject({ source: 'file', status: 'running' });
  const { spec } = await runner.next('start');
  expect(spec).toMatchObject({ file: { sizeBytes: bytes.length, checksum }, safetyBackupId: null });
  const [row] = await deps.db.select().from(uploads).where(eq(uploads.importId, reply.body.result.id));
  expect(await inBucket(keyOf({ id: row?.id ?? '' }))).toBe(bytes);
});

test('a file sent as a request body replaces the data if it may, and leaves nothing when refused', async () => {
  const { asked, put, send, runner } = await database();
  expect((await asked(put('/import/file', bytes), [kept])).status).toBe(409);
  expect((await put('/import/file?replace=yes', bytes)).status).toBe(400);
  expect((await put('/import/file?replace=true', bytes, { 'content-length': '' })).status).toBe(400);
  const tooLarge = { 'content-length': String(partBytes + 1) };
  expect(await put('/import/file?replace=true', bytes, tooLarge)).toMatchObject({
    status: 413,
    body: { error: expect.stringMatching(/POST .*uploads/) },
  });
  await send('POST', '/backups', { storage: 'disk' });
  expect((await put('/import/file?replace=true', bytes)).status).toBe(409);
  expect((await send('GET', '/uploads')).body.uploads).toEqual([]);
  await runner.report(await runner.next('start'), {
    type: 'result',
    result: { outcome: 'aborted', facts: {} },
  });
  expect((await put('/import/file?replace=true', bytes)).status).toBe(200);
  expect((await runner.next('start')).spec).toMatchObject({
    safetyBackupId: expect.stringMatching(/^bak_/),
  });
});
