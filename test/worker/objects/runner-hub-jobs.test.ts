/** @module-tag slow */
import { evictDurableObject, runInDurableObject } from 'cloudflare:test';
import { eq } from 'drizzle-orm';
import { expect, test } from 'vitest';
import { closeCodes } from '../../../protocol/enrolment.ts';
import { placesOfHost } from '../../../protocol/job-places.ts';
import { gitTokenPlace, variablePlace } from '../../../worker/security/secret-places.ts';
import { updateRunner } from '../../../worker/store/hosts/runner-store.ts';
import { claimNextJob } from '../../../worker/store/jobs/claim-store.ts';
import { domains } from '../../../worker/store/schema/domains.ts';
import { services, variables } from '../../../worker/store/schema/services.ts';
import { deps } from '../../support/worker/api.ts';
import { FakeRunner, hubOf, pump, setHubClock } from '../../support/worker/fake-runner.ts';
import { deploy, deploymentRow, jobRow, newHost, serviceRow } from '../../support/worker/host.ts';

async function addVariable(
  project: { id: string; wrappedDataKey: string },
  serviceId: string,
  key: string,
  value: string,
) {
  const id = deps.newId('variable');
  const sealedValue = await deps.envelope.seal(project.wrappedDataKey, project.id, variablePlace(id), value);
  await deps.db.insert(variables).values({ id, serviceId, key, sealedValue, createdAt: 0, updatedAt: 0 });
}

test('a queued deployment reaches the runner with its spec, and only this runner opens the secrets', async () => {
  const host = await newHost();
  const runner = await FakeRunner.connect(host.keys);
  const service = await host.addService({ repoFullName: 'acme/shop', healthCheckPath: '/up' });
  await addVariable(host.project, service.id, 'GREETING', 'hello');
  const deployment = await deploy(service);

  const start = await runner.next('start');
  expect(start).toMatchObject({
    job: deployment.jobId,
    epoch: 1,
    spec: {
      kind: 'deploy',
      projectId: host.project.id,
      serviceId: service.id,
      deploymentId: deployment.id,
      source: { type: 'git', url: 'https://github.com/acme/shop.git', branch: 'main' },
      hostnames: [service.generatedHostname],
      healthCheckPath: '/up',
      hostPort: service.hostPort,
    },
  });
  expect(await runner.openBox(start)).toEqual({
    env: { GREETING: 'hello' },
    secretKeys: [],
    gitToken: null,
  });
  await expect(runner.openBox({ ...start, epoch: 2 })).rejects.toThrow();
  const job = await jobRow(deployment.jobId);
  expect(job).toMatchObject({ state: 'active', epoch: 1, deadlineAt: (job.claimedAt ?? 0) + 30 * 60_000 });
  expect(start.deadlineMs).toBeGreaterThan(29 * 60_000);
  expect(start.deadlineMs).toBeLessThanOrEqual(30 * 60_000);
  expect((await serviceRow(service.id)).status).toBe('building');
});

test('jobs queued while the host is away start at its hello', async () => {
  const host = await newHost();
  const deployment = await deploy(await host.addService());
  const runner = await FakeRunner.connect(host.keys);
  expect((await runner.next('start')).job).toBe(deployment.jobId);
});

test('settings and variables are those of the dispatch, and a start that is sent again repeats them', async () => {
  const host = await newHost();
  const service = await host.addService();
  const sealedGitToken = await deps.envelope.seal(
    host.project.wrappedDataKey,
    host.project.id,
    gitTokenPlace(service.id),
    'secret-token',
  );
  await deploy(service);
  await deps.db.update(services).set({ branch: 'later', sealedGitToken }).where(eq(services.id, service.id));
  await deps.db.insert(domains).values([
    {
      id: deps.newId('domain'),
      serviceId: service.id,
      hostname: `a.${service.slug}.example`,
      status: 'active',
      createdAt: 1,
      updatedAt: 1,
    },
    {
      id: deps.newId('domain'),
      serviceId: service.id,
      hostname: `b.${service.slug}.example`,
      status: 'pending',
      createdAt: 2,
      updatedAt: 2,
    },
  ]);
  await addVariable(host.project, service.id, 'SERVICE_DOCKERFILE_PATH', 'docker/web');
  const first = await FakeRunner.connect(host.keys);
  const start = await first.nextDeployment();
  expect(start.spec.source).toMatchObject({ branch: 'later' });
  const names = [
    { hostname: service.generatedHostname, isCustom: false, isActive: true },
    { hostname: `a.${service.slug}.example`, isCustom: true, isActive: true },
    { hostname: `b.${service.slug}.example`, isCustom: true, isActive: false },
  ];
  expect(start.spec.hostnames).toEqual(names.map(({ hostname }) => hostname));
  expect(start.spec.names).toEqual({ revision: 0, names, publicIp: null });
  expect(start.spec.build.dockerfilePath).toBe('docker/web');
  expect((await first.openBox(start)).gitToken).toBe('secret-token');

  await addVariable(host.project, service.id, 'LATER', '1');
  await first.disconnect();
  const second = await FakeRunner.connect(host.keys);
  const again = await second.next('start');
  expect(again).toEqual({ ...start, sealed: again.sealed, deadlineMs: again.deadlineMs });
  expect(again.deadlineMs).toBeLessThanOrEqual(start.deadlineMs);
  expect(await second.openBox(again)).toEqual(await first.openBox(start));
});

test('a service has one job running and a host two, oldest first', async () => {
  const host = await newHost();
  const [one, two, three] = [await host.addService(), await host.addService(), await host.addService()];
  const queued = [await deploy(one), await deploy(one), await deploy(two), await deploy(three)];
  const runner = await FakeRunner.connect(host.keys);
  const started = [await runner.next('start'), await runner.next('start')].map(({ job }) => job);
  expect(started).toEqual([queued[0]?.jobId, queued[2]?.jobId]);
  expect(await runner.unread()).toEqual([]);

  await runner.report({ job: started[1] ?? '', epoch: 1 }, succeeded);
  expect((await runner.next('start')).job).toBe(queued[3]?.jobId);
  await runner.report({ job: started[0] ?? '', epoch: 1 }, succeeded);
  expect((await runner.next('start')).job).toBe(queued[1]?.jobId);
});

test('an app that waits for its health keeps no other deployment of its host waiting', async () => {
  const host = await newHost();
  const runner = await FakeRunner.connect(host.keys);
  const [one, two] = [await deploy(await host.addService()), await deploy(await host.addService())];
  await runner.next('start');
  await runner.next('start');
  const three = await deploy(await host.addService());
  await runner.report({ job: two.jobId, epoch: 1 }, { type: 'phase', phase: 'build', facts: {} });
  expect(await runner.unread()).toEqual([]);
  await runner.report({ job: one.jobId, epoch: 1 }, { type: 'phase', phase: 'health', facts: {} });
  expect((await runner.next('start')).job).toBe(three.jobId);
});

const succeeded = { type: 'result', result: { outcome: 'succeeded', facts: {} } } as const;

test('many claimers at once never claim a job twice nor pass a limit', async () => {
  const host = await newHost();
  const busy = await host.addService();
  for (let count = 0; count < 4; count++) await deploy(busy);
  for (let count = 0; count < 4; count++) await deploy(await host.addService());
  const claim = {
    runnerId: host.runnerId,
    at: 1,
    deadlinesMs: { deploy: 1, data: 1 },
    places: { ...placesOfHost, build: 3 },
  };
  const claimed = await Promise.all(Array.from({ length: 12 }, () => claimNextJob(deps.db, claim)));
  const ids = claimed.flatMap((one) => one.claimed?.job.id ?? []);
  expect(new Set(ids).size).toBe(3);
  expect(ids).toHaveLength(3);
  const rows = await Promise.all(ids.map(jobRow));
  expect(new Set(rows.map((row) => row.serviceId)).size).toBe(3);
});

test('many wake-ups at once send each start once', async () => {
  const host = await newHost();
  const runner = await FakeRunner.connect(host.keys);
  await deploy(await host.addService());
  await deploy(await host.addService());
  await runInDurableObject(hubOf(host.runnerId), (hub) =>
    Promise.all(Array.from({ length: 20 }, () => hub.wake(host.runnerId))),
  );
  expect(await runner.unread()).toEqual(['start', 'start']);
});

test('a drained host gets no new job and continues with what it has', async () => {
  const host = await newHost();
  const runner = await FakeRunner.connect(host.keys);
  await deploy(await host.addService());
  const { job, epoch } = await runner.next('start');
  await updateRunner(deps.db, host.runnerId, { drained: true });
  await deploy(await host.addService());
  expect(await runner.unread()).toEqual([]);
  expect(await runner.askSwitch({ job, epoch })).toBe(true);
  await updateRunner(deps.db, host.runnerId, { drained: false });
  expect(await runner.unread()).toEqual(['start']);
});

test('a job whose secrets do not open fails with a sentence and does not block the queue', async () => {
  const host = await newHost();
  const broken = await host.addService({ sealedGitToken: 'v1.AAAA.AAAA' });
  const failing = await deploy(broken);
  const next = await deploy(await host.addService());
  const runner = await FakeRunner.connect(host.keys);
  expect((await runner.next('start')).job).toBe(next.jobId);
  expect(await jobRow(failing.jobId)).toMatchObject({
    state: 'failed',
    failureCode: 'internal',
    failureMessage: expect.stringContaining("can't be decrypted"),
  });
  expect(await deploymentRow(failing.id)).toMatchObject({ status: 'failed', finishedAt: expect.any(Number) });
  expect((await serviceRow(broken.id)).status).toBe('failed');
  const { lines } = await deps.logs.read(failing.id, 0);
  expect(lines.map(({ line }) => line)).toEqual([expect.stringContaining("can't be decrypted")]);
});

test('a runner that lists the job at hello is not asked to start it again', async () => {
  const host = await newHost();
  const first = await FakeRunner.connect(host.keys);
  await deploy(await host.addService());
  const { job, epoch } = await first.next('start');
  await first.disconnect();
  const second = await FakeRunner.connect(host.keys, { jobs: [{ job, epoch }] });
  expect(await second.unread()).toEqual([]);
});

test('a runner that lost the job with its connection gets it again, as the same attempt', async () => {
  const host = await newHost();
  const first = await FakeRunner.connect(host.keys);
  await deploy(await host.addService());
  const { job } = await first.next('start');
  await first.disconnect();
  const second = await FakeRunner.connect(host.keys);
  expect(await second.next('start')).toMatchObject({ job, epoch: 1 });
});

test('a runner that still has a finished job is asked to stop it', async () => {
  const host = await newHost();
  const runner = await FakeRunner.connect(host.keys, { jobs: [{ job: 'job_aaaaaaaaaaaaaaaa', epoch: 3 }] });
  expect(await runner.next('abort')).toMatchObject({ job: 'job_aaaaaaaaaaaaaaaa', epoch: 3 });
});

test('leases outlive the sleep of the hub: a runner that answers gets no second start', async () => {
  const host = await newHost();
  const runner = await FakeRunner.connect(host.keys);
  await deploy(await host.addService());
  await runner.next('start');
  expect(await runner.unread()).toEqual([]);
  await evictDurableObject(hubOf(host.runnerId), { webSockets: 'hibernate' });
  expect(await runner.unread()).toEqual([]);
});

test('a silent job is sent again after its lease, also by a hub that slept, and then the socket is given up', async () => {
  const host = await newHost();
  const runner = await FakeRunner.connect(host.keys);
  await deploy(await host.addService());
  const { job } = await runner.next('start');
  await pump(host.runnerId);
  await evictDurableObject(hubOf(host.runnerId), { webSockets: 'hibernate' });
  const now = Date.now();
  await setHubClock(host.runnerId, now + 61_000, { pinged: true });
  expect(await runner.unread()).toEqual(['start']);
  expect(await runner.next('start')).toMatchObject({ job, epoch: 1 });

  // It was asked, stays silent, and its pings are fresh: only the lease tells.
  await setHubClock(host.runnerId, now + 122_000, { pinged: true });
  await pump(host.runnerId);
  expect((await runner.closed).code).toBe(closeCodes.silent);
  expect((await jobRow(job)).state).toBe('active');
});

test.each(['alive', 'logs', 'report', 'switch-request'] as const)(
  'a %s frame renews the lease',
  async (type) => {
    const host = await newHost();
    const runner = await FakeRunner.connect(host.keys);
    await deploy(await host.addService());
    const { job, epoch } = await runner.next('start');
    await pump(host.runnerId);
    const later = Date.now() + 59_000;
    await setHubClock(host.runnerId, later, { pinged: true });
    const attempt = { v: 1, job, epoch };
    if (type === 'alive') runner.send({ v: 1, type, jobs: [{ job, epoch }] });
    if (type === 'logs') {
      runner.send({
        ...attempt,
        type,
        first: 1,
        lines: [{ stream: 'stdout', at: later, line: 'x' }],
        last: true,
      });
      await runner.next('log-ack');
    }
    if (type === 'report') await runner.report(attempt, { type: 'phase', phase: 'clone', facts: {} });
    if (type === 'switch-request') await runner.askSwitch(attempt);
    await runner.askSwitch({ job: 'job_0000000000000000', epoch: 1 });
    await setHubClock(host.runnerId, later + 20_000, { pinged: true });
    expect(await runner.unread()).toEqual([]);
  },
);

test('the alarm is set only while there are jobs', async () => {
  const host = await newHost();
  const runner = await FakeRunner.connect(host.keys);
  const alarm = () => runInDurableObject(hubOf(host.runnerId), (_, ctx) => ctx.storage.getAlarm());
  await deploy(await host.addService());
  const { job, epoch } = await runner.next('start');
  await expect.poll(alarm).toBeGreaterThan(Date.now());
  await runner.report({ job, epoch }, succeeded);
  await expect.poll(alarm).toBeNull();
});
