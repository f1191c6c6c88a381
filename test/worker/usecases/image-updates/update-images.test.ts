/** New digests of a tag, over an injected clock. The host is a stand-in on a real socket; it answers for the registry and reports its jobs. */
import { eq } from 'drizzle-orm';
import { beforeEach, expect, test } from 'vitest';
import type { HubFrameOf } from '../../../../protocol/frames.ts';
import type { ImageDigestAnswer } from '../../../../protocol/host-request.ts';
import type { DeployFacts, JobResult } from '../../../../protocol/job-report.ts';
import { imageUpdates } from '../../../../worker/store/schema/image-updates.ts';
import { jobs } from '../../../../worker/store/schema/jobs.ts';
import { services } from '../../../../worker/store/schema/services.ts';
import { lookAtImages } from '../../../../worker/usecases/image-updates/look-at-images.ts';
import { updateImages } from '../../../../worker/usecases/image-updates/update-images.ts';
import { createClient, deps, insertKey, type Json, testFacts } from '../../../support/worker/api.ts';
import { storeThatLosesAnswers } from '../../../support/worker/d1/failing-store.ts';
import { FakeRunner, setHubClock } from '../../../support/worker/fake-runner.ts';
import { newHost, type TestHost } from '../../../support/worker/host.ts';

const call = createClient();
const { token } = await insertKey();
const minuteMs = 60_000;
/** Longer than a host's questions are apart. */
const lookMs = 16 * minuteMs;
const imageRef = 'registry.test/team/app:1';
const digestOf = (letter: string) => `sha256:${letter.repeat(64)}`;
const [old, fresh, fresher] = ['a', 'b', 'c'].map(digestOf) as [string, string, string];

let host: TestHost;
let runner: FakeRunner;
let now: number;

beforeEach(async () => {
  await deps.db.delete(imageUpdates);
  await deps.db.update(services).set({ pushSettings: null });
  host = await newHost();
  runner = await FakeRunner.connect(host.keys);
  now = Date.now() + minuteMs;
  await setHubClock(host.runnerId, now, { pinged: true });
});

type Service = Awaited<ReturnType<TestHost['addService']>>;

const at = (db = deps.db) => ({ ...deps, db, now: () => now });
const step = (db = deps.db) => updateImages(at(db));
const ask = (service: Service, method: string, path: string, body?: unknown) =>
  call(method, `/api/services/${service.id}/${path}`, { token, ...(body === undefined ? {} : { body }) });
const shown = async (service: Service): Promise<Json> =>
  (await ask(service, 'GET', 'image-update')).body.imageUpdate;
const updated = async (service: Service): Promise<Json | undefined> =>
  (await deploymentsOf(service)).find(({ trigger }) => trigger === 'image-update');
const deploymentsOf = async (service: Service): Promise<Json[]> =>
  (await ask(service, 'GET', 'deployments')).body.deployments;
const end = (start: HubFrameOf<'start'>, result: JobResult) =>
  runner.report(start, { type: 'result', result });
const done = (facts: DeployFacts = {}): JobResult => ({ outcome: 'succeeded', facts });

/** A live service with this setting and digest. */
async function live(setting: string | null = 'always', fields: object = {}): Promise<Service> {
  const pushSettings = setting === null ? null : { imageUpdates: setting };
  const source = { kind: 'image', repoUrl: 'container-image', imageRef, pushSettings } as const;
  const service = await host.addService({ ...source, ...fields });
  await ask(service, 'POST', 'deployments');
  await end(await runner.next('start'), done({ imageDigest: old }));
  return service;
}

/** The registry is asked once, and gives this answer. */
async function look(answer: ImageDigestAnswer | string): Promise<HubFrameOf<'request'>['ask']> {
  const value = typeof answer === 'string' ? { found: 'digest', digest: answer } : answer;
  const answered = runner.next('request').then(({ id, ask }) => {
    runner.send({ v: 1, type: 'response', id, outcome: { ok: true, value } });
    return ask;
  });
  const [asked] = await Promise.all([answered, lookAtImages(at())]);
  return asked;
}

test('a new digest deploys by itself, pinned, and both digests are shown', { tags: 'slow' }, async () => {
  const service = await live();
  expect(await look(fresh)).toMatchObject({ op: 'image-digest', imageRef });
  await step();
  const start = await runner.nextDeployment();
  expect(start.spec.source).toEqual({ type: 'image', imageRef, digest: fresh });
  const deployment = await updated(service);
  expect(deployment).toMatchObject({
    ...{ trigger: 'image-update', imageDigest: fresh, startedBy: { type: 'platform' } },
    commitMessage: expect.stringMatching(/sha256:b{12} .*instead of sha256:a{12}$/),
  });
  await end(start, done({ imageDigest: fresh }));
  await step();
  expect(await shown(service)).toMatchObject({
    ...{ state: 'current', liveDigest: fresh, digest: fresh, deploysAt: null },
    outcome: { result: 'deployed', digest: fresh },
  });
  expect((await call('GET', `/api/services/${service.id}`, { token })).body.service).toMatchObject({
    imageUpdates: 'always',
  });
});

test('a digest that is live already, and an answer that stays the same, deploy nothing', async () => {
  const service = await live();
  await look(old);
  await step();
  now += lookMs;
  await look(old);
  await step();
  expect(await deploymentsOf(service)).toHaveLength(1);
  expect(await shown(service)).toMatchObject({ state: 'current', digest: old });
});

test('outside of its window a new digest is available, and deploys when the window opens', {
  tags: 'slow',
}, async () => {
  // Berlin leaves summer time on Sunday, 25 October 2026, at 3:00; the window begins on Saturday and ends after midnight.
  const service = await live('sat 23:00-01:00 Europe/Berlin');
  now = Date.UTC(2026, 9, 24, 20, 59);
  await look(fresh);
  await step();
  expect(await deploymentsOf(service)).toHaveLength(1);
  const [row] = await deps.db.select().from(imageUpdates);
  expect(new Date(row?.actAt ?? 0).toISOString()).toBe('2026-10-24T21:00:00.000Z');
  expect(await shown(service)).toMatchObject({ state: 'available', digest: fresh, liveDigest: old });
  now = Date.UTC(2026, 9, 24, 22, 59);
  await step();
  expect((await runner.nextDeployment()).spec.source).toMatchObject({ digest: fresh });
});

test('the window of a week later waits for its day, in the time of its zone', async () => {
  const service = await live('sun 03:30-04:00 Europe/Berlin');
  now = Date.UTC(2026, 9, 24, 20);
  await look(fresh);
  await step();
  const [row] = await deps.db.select().from(imageUpdates);
  expect(new Date(row?.actAt ?? 0).toISOString()).toBe('2026-10-25T02:30:00.000Z');
  expect(await deploymentsOf(service)).toHaveLength(1);
});

test('a digest that failed is not tried again by itself, a newer one is', { tags: 'slow' }, async () => {
  const service = await live();
  await look(fresh);
  await step();
  const start = await runner.nextDeployment();
  await runner.report(start, { type: 'phase', phase: 'health', facts: {} });
  const failure = { code: 'health_failed', message: 'It answered 500.', facts: {} } as const;
  await end(start, { outcome: 'failed', ...failure });
  await step();
  now += lookMs;
  await look(fresh);
  await step();
  expect(await deploymentsOf(service)).toHaveLength(2);
  expect(await shown(service)).toMatchObject({
    ...{ state: 'current', liveDigest: old, digest: fresh, outcome: { result: 'failed' } },
    summary: expect.stringContaining('not tried again by itself'),
  });
  now += lookMs;
  await look(fresher);
  await step();
  expect((await runner.nextDeployment()).spec.source).toMatchObject({ digest: fresher });
});

test('a tag that its publisher moves back is deployed, a rollback by hand is left alone', {
  tags: 'slow',
}, async () => {
  const service = await live();
  await look(fresh);
  await step();
  await end(await runner.nextDeployment(), done({ imageDigest: fresh }));
  await step();
  const first = (await deploymentsOf(service))[1];
  await call('POST', `/api/deployments/${first?.id}/rollback`, { token });
  await end(await runner.nextDeployment(), done());
  expect(await shown(service)).toMatchObject({ liveDigest: old });
  now += lookMs;
  await look(fresh);
  await step();
  expect(await deploymentsOf(service)).toHaveLength(3);
  now += lookMs;
  await look(fresher);
  await step();
  await end(await runner.nextDeployment(), done({ imageDigest: fresher }));
  await step();
  now += lookMs;
  await look(fresh);
  await step();
  expect((await runner.nextDeployment()).spec.source).toMatchObject({ digest: fresh });
});

test('a deployment that fails before the new version starts is tried three times, an hour apart', {
  tags: 'slow',
}, async () => {
  const service = await live();
  await look(fresh);
  for (const tries of [1, 2, 3]) {
    await step();
    const start = await runner.nextDeployment();
    await runner.report(start, { type: 'phase', phase: 'build', facts: {} });
    await end(start, { outcome: 'failed', code: 'image_failed', message: 'No registry.', facts: {} });
    await step();
    expect(await deploymentsOf(service)).toHaveLength(1 + tries);
    now += 61 * minuteMs;
    await look(fresh);
  }
  await step();
  expect(await deploymentsOf(service)).toHaveLength(4);
  expect((await shown(service)).outcome).toMatchObject({ result: 'failed' });
});

test.each<[string, ImageDigestAnswer]>([
  ['a deleted tag', { found: 'failure', reason: 'The registry has no such tag.', waitMs: null }],
  ['a limit of the registry', { found: 'failure', reason: 'Too many requests.', waitMs: 4 * 3_600_000 }],
])('%s is shown, deploys nothing, and delays the next question', async (_, answer) => {
  const service = await live();
  await look(fresh);
  await deps.db.update(imageUpdates).set({ actAt: null, checkAt: now });
  await look(answer);
  await step();
  if (answer.found !== 'failure') throw new Error('a failure was expected');
  expect(await shown(service)).toMatchObject({
    ...{ state: 'available', trouble: answer.reason, deploysAt: null },
  });
  expect(await deploymentsOf(service)).toHaveLength(1);
  const [row] = await deps.db.select().from(imageUpdates);
  expect(row?.checkAt).toBeGreaterThanOrEqual(now + Math.max(answer.waitMs ?? 0, 5 * minuteMs));
  // Failures in a row wait longer, up to six hours.
  await deps.db.update(imageUpdates).set({ failures: 20, checkAt: now });
  await look({ ...answer, waitMs: null });
  const [later] = await deps.db.select().from(imageUpdates);
  expect(later?.checkAt).toBe(now + 6 * 3_600_000);
});

test('a host that is away, or whose runner is too old, is not asked', async () => {
  const service = await live();
  await runner.disconnect();
  expect(await lookAtImages(at())).toBe(0);
  const { imageDigests: _, ...facts } = testFacts;
  const older = await FakeRunner.connect(host.keys, { forged: { facts: facts as typeof testFacts } });
  await lookAtImages(at());
  expect(older.unreadNow).not.toContain('request');
  expect((await shown(service)).trouble).toContain('upgrade the host');
});

test('services with one image on one host share a question, and each decides for itself', {
  tags: 'slow',
}, async () => {
  const [one, two] = [await live(), await live('sat 03:00-04:00 UTC')];
  const off = await live(null);
  now = Date.UTC(2026, 9, 21);
  await look(fresh);
  expect(runner.unreadNow).not.toContain('request');
  await step();
  expect(await updated(one)).toMatchObject({ trigger: 'image-update', status: 'queued' });
  expect(await deploymentsOf(two)).toHaveLength(1);
  expect(await shown(two)).toMatchObject({ state: 'available', digest: fresh });
  expect(await shown(off)).toMatchObject({ state: 'off', digest: null });
});

test('a stopped service waits for its start, and one with a job for the end of the job', async () => {
  const service = await live();
  await deps.db.update(services).set({ stopped: true }).where(eq(services.id, service.id));
  await look(fresh);
  await step();
  expect(await deploymentsOf(service)).toHaveLength(1);
  expect((await shown(service)).summary).toContain('once the service has been started');
  await deps.db.update(services).set({ stopped: false }).where(eq(services.id, service.id));
  await ask(service, 'POST', 'restart');
  now += lookMs;
  await look(fresh);
  await step();
  expect(await deploymentsOf(service)).toHaveLength(2);
  await end(await runner.nextDeployment(), done());
  await step();
  expect((await runner.nextDeployment()).spec.source).toMatchObject({ digest: fresh });
});

test('a database that loses its answers, and two crons at once, deploy a digest once', async () => {
  const service = await live();
  await look(fresh);
  await step(storeThatLosesAnswers()).catch(() => undefined);
  now += 2 * minuteMs;
  await Promise.all([step(), step()]);
  now += 2 * minuteMs;
  await Promise.all([step(), step()]);
  expect(await deploymentsOf(service)).toHaveLength(2);
});

test('a setting that is switched off ends the watch', async () => {
  const service = await live();
  await look(fresh);
  const patched = await call('PATCH', `/api/services/${service.id}`, { token, body: { imageUpdates: null } });
  expect(patched.status).toBe(200);
  await step();
  expect(await deps.db.select().from(imageUpdates)).toEqual([]);
  expect(await shown(service)).toMatchObject({ state: 'off' });
  expect(await lookAtImages(at())).toBe(0);
});

test('another image of the service forgets the digest of the one before', async () => {
  const service = await live();
  await look(fresh);
  const body = { imageRef: 'registry.test/team/app:2' };
  await call('PATCH', `/api/services/${service.id}`, { token, body });
  await step();
  expect(await deploymentsOf(service)).toHaveLength(1);
  expect(await shown(service)).toMatchObject({ state: 'unknown', digest: null });
  now += lookMs;
  expect(await look(fresher)).toMatchObject(body);
  expect(await shown(service)).toMatchObject({ state: 'available', digest: fresher });
});

const jobsOf = async (service: Service) =>
  (await deps.db.select().from(jobs).where(eq(jobs.serviceId, service.id))).map(({ kind }) => kind);
const archive = {
  ...{ sizeBytes: 1, checksum: `sha256:${'0'.repeat(64)}`, localPath: '/b', remoteKey: null },
  ...{ tables: 1, rows: 1 },
};

/** A live service with a volume, whose update has begun with a backup. */
async function withVolume(setting = 'always') {
  const service = await live(setting);
  await ask(service, 'POST', 'volumes', { name: 'data', mountPath: '/data' });
  await ask(service, 'POST', 'deployments');
  await end(await runner.nextDeployment(), done({ imageDigest: old }));
  await look(fresh);
  await step();
  const backup = await runner.next('start');
  expect(backup.spec).toMatchObject({ kind: 'volume-backup', quiesce: { type: 'stop' } });
  return { service, backup };
}

/** Lets a started job end, and takes the steps after it. */
async function pass(start: HubFrameOf<'start'>, result: JobResult): Promise<void> {
  await end(start, result);
  await step();
}

test('volumes are backed up and proven before the deployment, and restored after its failure', {
  tags: 'slow',
}, async () => {
  const { service, backup } = await withVolume();
  expect(await shown(service)).toMatchObject({ state: 'backup' });
  await pass(backup, done({ archive } as DeployFacts));
  const drill = await runner.next('start');
  expect(drill.spec).toMatchObject({ kind: 'volume-drill' });
  expect(await deploymentsOf(service)).toHaveLength(2);
  await pass(drill, done());
  const start = await runner.nextDeployment();
  expect(start.spec.source).toMatchObject({ digest: fresh });
  await runner.report(start, { type: 'phase', phase: 'health', facts: {} });
  await end(start, { outcome: 'failed', code: 'health_failed', message: 'It answered 500.', facts: {} });
  const restore = await runner.next('start');
  expect(restore.spec).toMatchObject({
    kind: 'volume-restore',
    backup: { id: (backup.spec as unknown as Json).backupId },
  });
  expect(await shown(service)).toMatchObject({ state: 'restore' });
  await pass(restore, done({ archive } as DeployFacts));
  expect(await shown(service)).toMatchObject({
    ...{ state: 'current', liveDigest: old },
    outcome: { result: 'failed', detail: expect.stringMatching(/^It answered 500\..*as they were/) },
  });
  now += lookMs;
  await look(fresh);
  await step();
  expect(await jobsOf(service)).toHaveLength(6);
});

test('a backup that fails deploys nothing, says so, and is tried again in a later window', {
  tags: 'slow',
}, async () => {
  const { service, backup } = await withVolume();
  await pass(backup, { outcome: 'failed', code: 'dump_failed', message: 'No room.', facts: {} });
  expect(await shown(service)).toMatchObject({
    state: 'available',
    outcome: { result: 'postponed', detail: expect.stringContaining('nothing was deployed: No room.') },
  });
  now += lookMs;
  await look(fresh);
  await step();
  expect(await jobsOf(service)).toHaveLength(3);
  now += 6 * 3_600_000;
  await look(fresh);
  await step();
  expect((await runner.next('start')).spec).toMatchObject({ kind: 'volume-backup' });
});

test('a backup that is not proven when the window ends deploys nothing', { tags: 'slow' }, async () => {
  const { service, backup } = await withVolume();
  await pass(backup, done({ archive } as DeployFacts));
  const drill = await runner.next('start');
  now += 7 * 3_600_000;
  await setHubClock(host.runnerId, now, { pinged: true });
  await pass(drill, done());
  expect(await deploymentsOf(service)).toHaveLength(2);
  expect((await shown(service)).outcome).toMatchObject({
    result: 'postponed',
    detail: 'The window ended before the backups of the volumes were proven.',
  });
});

test('a version that is deployed by hand during the backup ends the update', { tags: 'slow' }, async () => {
  const { service, backup } = await withVolume();
  await ask(service, 'POST', 'deployments');
  await end(backup, done({ archive } as DeployFacts));
  // The test of the backup gives way to the deployment.
  const next = await runner.next('start');
  const deployment = next.spec.kind === 'deploy' ? next : await runner.nextDeployment();
  await pass(deployment, done({ imageDigest: fresh }));
  await step();
  expect(await shown(service)).toMatchObject({ liveDigest: fresh, outcome: { result: 'postponed' } });
  expect((await deploymentsOf(service)).map(({ trigger }) => trigger)).not.toContain('image-update');
});

test.each([
  ['nginx@sha256:'.padEnd(77, 'a'), 'always', 'unsupported', 'name a tag in "imageRef"'],
  ['nginx:1', 'sometimes', 'invalid_request', 'such as "daily 03:00-05:00 UTC"'],
  ['nginx:1', 'sun 03:00-03:00 UTC', 'invalid_request', 'such as'],
  ['nginx:1', 'sun,foo 03:00-04:00 UTC', 'invalid_request', 'such as'],
  ['nginx:1', 'daily 03:00-04:00 Mars/Base', 'invalid_request', 'such as'],
])(
  '%s with the setting %s is refused, and the answer names the way out',
  async (ref, setting, code, words) => {
    const source = { name: 'a', repoUrl: 'container-image', imageRef: ref, imageUpdates: setting };
    const path = `/api/projects/${host.project.id}/services`;
    const reply = await call('POST', path, { token, body: source });
    expect(reply.body).toMatchObject({ code, error: expect.stringContaining(words) });
  },
);

test('a database refuses the setting and names its upgrade', async () => {
  const service = await host.addService({
    ...{ kind: 'database', repoUrl: 'database', repoFullName: 'database:redis', internalPort: 6379 },
  });
  const body = { imageUpdates: 'always' };
  const reply = await call('PATCH', `/api/services/${service.id}`, { token, body });
  expect(reply.body).toMatchObject({
    code: 'unsupported',
    error: expect.stringContaining('/database/upgrade'),
  });
});
