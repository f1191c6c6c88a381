/** The order in which a host's jobs are claimed when tenants share it. */
import { env } from 'cloudflare:workers';
import { asc, eq } from 'drizzle-orm';
import { expect, test } from 'vitest';
import { newId } from '../../../../protocol/ids.ts';
import { type JobPlace, placesOfHost } from '../../../../protocol/job-places.ts';
import { claimNextJob } from '../../../../worker/store/jobs/claim-store.ts';
import type { JobRow } from '../../../../worker/store/jobs/job-store.ts';
import { claimTurns } from '../../../../worker/store/schema/claim-turns.ts';
import { jobs } from '../../../../worker/store/schema/jobs.ts';
import { services } from '../../../../worker/store/schema/services.ts';
import { tenants } from '../../../../worker/store/schema/tenants.ts';
import { deps, insertProject, insertRunner, insertService } from '../../../support/worker/api.ts';

const oneOfEach: Readonly<Record<JobPlace, number>> = { build: 1, data: 1, drill: 1, run: 1 };

/** A host with a clock: each step queues, claims or ends jobs one millisecond later. Jobs are named by tenant and number, as `alice1`. */
async function sharedHost(places = placesOfHost) {
  const { id: runnerId } = await insertRunner();
  const projects = new Map<string, string>();
  const names = new Map<string, string>();
  let now = 1_000;
  const projectOf = async (tenant: string) => {
    const known = projects.get(tenant);
    if (known) return known;
    const tenantId = tenant === 'default' ? tenant : newId('tenant', deps.fillRandom);
    if (tenant !== 'default')
      await deps.db.insert(tenants).values({ id: tenantId, name: tenantId, quotas: {}, createdAt: 1 });
    const { id } = await insertProject({ tenantId });
    projects.set(tenant, id);
    return id;
  };
  return {
    runnerId,
    async queue(tenant: string, numbers: readonly number[], kind: JobRow['kind'] = 'deploy') {
      const projectId = await projectOf(tenant);
      for (const number of numbers) {
        const service = await insertService({ projectId, runnerId });
        const id = newId('job', deps.fillRandom);
        await deps.db.insert(jobs).values({
          ...{ id, kind, serviceId: service.id, runnerId, state: 'queued', epoch: 0, queuedAt: ++now },
        });
        names.set(id, `${tenant}${number}`);
      }
    },
    /** Claims all that the places allow. */
    async claim(): Promise<string[]> {
      const claimed: string[] = [];
      for (;;) {
        const deadlinesMs = { deploy: 1, data: 1 };
        const next = await claimNextJob(deps.db, { runnerId, at: ++now, deadlinesMs, places });
        if (!next.claimed) return claimed;
        const { id } = next.claimed.job;
        claimed.push(names.get(id) ?? id);
      }
    },
    async end(name: string) {
      const id = [...names].find(([, one]) => one === name)?.[0] ?? '';
      await deps.db.update(jobs).set({ state: 'succeeded', finishedAt: ++now }).where(eq(jobs.id, id));
    },
  };
}

const upTo = (count: number) => Array.from({ length: count }, (_, index) => index + 1);

test("one tenant's hundred builds delay another tenant's build by at most one build", {
  tags: 'slow',
}, async () => {
  const host = await sharedHost();
  await host.queue('alice', upTo(100));
  expect(await host.claim()).toEqual(['alice1', 'alice2']);
  await host.queue('bob', [1]);
  expect(await host.claim()).toEqual([]);
  await host.end('alice1');
  expect(await host.claim()).toEqual(['bob1']);
  await host.queue('bob', [2, 3]);
  await host.end('alice2');
  expect(await host.claim()).toEqual(['alice3']); // bob has one at work, alice none
  await host.end('bob1');
  expect(await host.claim()).toEqual(['bob2']);
});

test.each<[JobPlace, JobRow['kind']]>([
  ['build', 'deploy'],
  ['data', 'backup'],
  ['drill', 'drill'],
])('with a single %s place, tenants take turns however much each has queued', async (_, kind) => {
  const host = await sharedHost(oneOfEach);
  await host.queue('alice', upTo(8), kind);
  const order: string[] = [];
  const runOne = async () => {
    const [name] = await host.claim();
    if (!name) return;
    order.push(name);
    await host.end(name);
  };
  await runOne();
  await host.queue('bob', [1, 2], kind);
  await host.queue('carol', [1], kind);
  for (const _ of upTo(8)) await runOne();
  expect(order).toEqual([
    ...['alice1', 'bob1', 'carol1', 'alice2', 'bob2', 'alice3', 'alice4', 'alice5', 'alice6'],
  ]);
});

test('a turn on one kind of place does not cost a turn on another', async () => {
  const host = await sharedHost(oneOfEach);
  await host.queue('alice', [1, 2], 'drill');
  await host.queue('bob', [1, 2], 'drill');
  expect(await host.claim()).toEqual(['alice1']);
  await host.queue('bob', [8], 'backup');
  expect(await host.claim()).toEqual(['bob8']);
  await host.end('alice1');
  expect(await host.claim()).toEqual(['bob1']);
});

test('an app that waits for its health check does not count against its tenant', async () => {
  const host = await sharedHost({ ...oneOfEach, build: 2 });
  await host.queue('alice', [1, 2, 3]);
  await host.queue('bob', [1, 2, 3]);
  expect(await host.claim()).toEqual(['alice1', 'bob1']);
  const [first] = await deps.db
    .select()
    .from(jobs)
    .where(eq(jobs.runnerId, host.runnerId))
    .orderBy(asc(jobs.queuedAt));
  await deps.db
    .update(jobs)
    .set({ phase: 'health' })
    .where(eq(jobs.id, first?.id ?? ''));
  expect(await host.claim()).toEqual(['alice2']);
});

test('with the default tenant alone, jobs are claimed in the order in which they were queued, and no turn is stored', async () => {
  await deps.db.delete(services);
  await env.DB.exec(
    "delete from projects where tenant_id <> 'default'; delete from tenants where id <> 'default';",
  );
  const host = await sharedHost(oneOfEach);
  await host.queue('default', upTo(5));
  for (const number of upTo(5)) {
    expect(await host.claim()).toEqual([`default${number}`]);
    await host.end(`default${number}`);
  }
  expect(await deps.db.select().from(claimTurns)).toEqual([]);
});

test('a claim among a thousand queued jobs of many tenants reads each job by an index', {
  tags: 'slow',
  timeout: 90_000,
}, async () => {
  const host = await sharedHost();
  for (const tenant of upTo(10)) await host.queue(`t${tenant}-`, upTo(100));
  expect(await host.claim()).toHaveLength(2);
  const { results } = await env.DB.prepare(
    `explain query plan select 1 from jobs earlier where earlier.service_id = 'x'
      and earlier.state in ('queued', 'active') and earlier.state = 'queued'`,
  ).all<{ detail: string }>();
  expect(results.map(({ detail }) => detail).join()).toMatch(/jobs_service \(service_id=\? AND state=\?\)/);
});
