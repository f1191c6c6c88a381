/** Upgrades of hosts by the clock: one after the other, each proven, and none after the first that fails. The hosts are stand-ins on real sockets. */
import { env } from 'cloudflare:workers';
import { eq } from 'drizzle-orm';
import { beforeEach, expect, test } from 'vitest';
import type { RunnerFacts } from '../../../../protocol/runner-facts.ts';
import { upsertSettings } from '../../../../worker/store/instance/settings-store.ts';
import { events } from '../../../../worker/store/schema/events.ts';
import { runners } from '../../../../worker/store/schema/runners.ts';
import { upgradeHosts } from '../../../../worker/usecases/hosts/upgrade-rounds.ts';
import { createClient, deps, operatorToken, testFacts } from '../../../support/worker/api.ts';
import { type EnrolledRunner, enrolRunner, FakeRunner } from '../../../support/worker/fake-runner.ts';
import { deploy, newHost } from '../../../support/worker/host.ts';

const call = createClient();
const release = '0.3.0-0123456789ab';
const minuteMs = 60_000;
const start = Date.now();
const takesUpgrades = { ...testFacts, takesUpgrades: true };

/** A time of the day (UTC), in minutes from now. */
const timeIn = (minutes: number) => new Date(start + minutes * minuteMs).toISOString().slice(11, 16);
const window = (more = {}) => ({ from: timeIn(-60), to: timeIn(120), timeZone: 'UTC', ...more });
const setWindow = (hostUpgrades: object | null) => upsertSettings(deps.db, { hostUpgrades }, start);

beforeEach(async () => {
  await env.DB.batch(
    ['events', 'upgrade_rounds', 'settings'].map((name) => env.DB.prepare(`delete from ${name}`)),
  );
  await env.DB.prepare('update runners set revoked_at = 1').run();
  await setWindow(window());
  await upsertSettings(deps.db, { eventWebhook: { url: 'https://hooks.example.com' } }, start);
});

const tick = (minutes: number, hostRelease: string | null = release) =>
  upgradeHosts({ ...deps, hostRelease, now: () => start + minutes * minuteMs });

/** An outdated host, connected with these facts. */
async function host(facts: Partial<RunnerFacts> = {}, keys?: EnrolledRunner) {
  const enrolled = keys ?? (await enrolRunner());
  const runner = await FakeRunner.connect(enrolled, { forged: { facts: { ...takesUpgrades, ...facts } } });
  // The clock of the round, not that of the hub.
  await deps.db.update(runners).set({ connectedAt: start }).where(eq(runners.id, enrolled.runnerId));
  return { runner, keys: enrolled };
}

/** Takes the request to upgrade, as the host would. */
async function accept(runner: FakeRunner): Promise<void> {
  const { id, ask } = await runner.next('request');
  expect(ask).toEqual({ op: 'upgrade' });
  runner.send({ v: 1, type: 'response', id, outcome: { ok: true, value: { started: true } } });
}

/** The host is back with these facts, a minute after `minutes`. */
async function returned({ runner, keys }: Awaited<ReturnType<typeof host>>, facts: Partial<RunnerFacts>) {
  await runner.disconnect();
  return host(facts, keys);
}

async function shown() {
  const { body } = await call('GET', '/api/system/upgrades', { token: operatorToken });
  return body.rounds.map(({ state, upgraded, runnerId, error }: Record<string, unknown>) => ({
    ...{ state, upgraded, runnerId, error },
  }));
}

test('hosts are upgraded one after the other, and those that have the release are left alone', {
  tags: 'slow',
}, async () => {
  const current = await host({ release });
  const byHand = await host({ takesUpgrades: false });
  const [one, two] = [await host(), await host({ release: null })];
  await Promise.all([tick(0), accept(one.runner)]);
  expect(await shown()).toEqual([
    { state: 'running', upgraded: 0, runnerId: one.keys.runnerId, error: null },
  ]);
  // Nothing more happens while it downloads, nor in the first moment after it is back.
  await tick(1);
  const back = await returned(one, { release });
  await tick(0.5);
  expect(await shown()).toMatchObject([{ upgraded: 0, runnerId: one.keys.runnerId }]);
  await Promise.all([tick(2), accept(two.runner)]);
  expect(await shown()).toMatchObject([{ state: 'running', upgraded: 1, runnerId: two.keys.runnerId }]);
  await returned(two, { release });
  await tick(4);
  expect(await shown()).toEqual([{ state: 'complete', upgraded: 2, runnerId: null, error: null }]);
  await tick(5);
  expect(await shown()).toHaveLength(1);
  for (const { runner } of [current, byHand, back]) expect(runner.unreadNow).not.toContain('request');
});

test('the first host that goes back stops the round and raises one event; the others are not asked until it is mended', {
  tags: 'slow',
}, async () => {
  const [one, two] = [await host(), await host()];
  await Promise.all([tick(0), accept(one.runner)]);
  const record = {
    version: '0.3.0',
    ok: false,
    detail: 'It did not connect; the release before runs again.',
    at: 5,
  };
  const back = await returned(one, { lastUpgrade: record });
  for (const minutes of [2, 3, 20]) await tick(minutes);
  expect(await shown()).toEqual([
    { state: 'stopped', upgraded: 0, runnerId: one.keys.runnerId, error: record.detail },
  ]);
  expect(await deps.db.select().from(events)).toMatchObject([
    { type: 'host.upgrade_failed', resourceId: one.keys.runnerId, error: record.detail },
  ]);
  expect(two.runner.unreadNow).not.toContain('request');
  await returned(back, { release });
  await Promise.all([tick(30), accept(two.runner)]);
  expect(await shown()).toMatchObject([
    { state: 'running', runnerId: two.keys.runnerId },
    { state: 'stopped' },
  ]);
});

test('a host that does not come back in 15 minutes stops the round', async () => {
  const one = await host();
  await Promise.all([tick(0), accept(one.runner)]);
  await deps.db.update(runners).set({ connectedAt: null }).where(eq(runners.id, one.keys.runnerId));
  await tick(14);
  expect(await shown()).toMatchObject([{ state: 'running' }]);
  await tick(15);
  expect(await shown()).toMatchObject([{ state: 'stopped', error: expect.stringContaining('15 minutes') }]);
});

test('a host without Docker after its upgrade, and one with another release, are failures', async () => {
  const one = await host();
  await Promise.all([tick(0), accept(one.runner)]);
  const back = await returned(one, { release, dockerVersion: null });
  await tick(15);
  expect(await shown()).toMatchObject([{ state: 'stopped', error: expect.stringContaining('Docker') }]);
  await returned(back, { release });
  const two = await host();
  await Promise.all([tick(20), accept(two.runner)]);
  const other = { version: '0.4.0', ok: true, detail: 'It runs.', at: 7 };
  await returned(two, { release: '0.4.0-ffffffffffff', lastUpgrade: other });
  await tick(22);
  expect(await shown()).toMatchObject([{ state: 'stopped', error: expect.stringContaining('expects') }, {}]);
});

test('a host that could not be asked is asked again, and a host with a job waits for its end', async () => {
  const busy = await newHost();
  await deps.db.update(runners).set({ facts: takesUpgrades }).where(eq(runners.id, busy.runnerId));
  const working = await FakeRunner.connect(busy.keys, { forged: { facts: takesUpgrades } });
  await deploy(await busy.addService());
  await working.next('start');
  await tick(0);
  expect(await shown()).toEqual([]);
  const { runnerId } = await enrolRunner();
  const free = { facts: takesUpgrades, connectedAt: start };
  await deps.db.update(runners).set(free).where(eq(runners.id, runnerId));
  await tick(1);
  expect(await shown()).toMatchObject([
    { state: 'running', runnerId, error: expect.stringContaining('not connected') },
  ]);
});

test('nothing happens outside the window, without a window, and without a release; a round ends with its window', {
  tags: 'slow',
}, async () => {
  const one = await host();
  await tick(130);
  await tick(0, null);
  await setWindow(null);
  await tick(0);
  const today = new Intl.DateTimeFormat('en', { weekday: 'short', timeZone: 'UTC' }).format(
    start - 60 * minuteMs,
  );
  const others = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'].filter(
    (day) => day !== today.toLowerCase(),
  );
  await setWindow(window({ days: others }));
  await tick(0);
  expect(await shown()).toEqual([]);
  await setWindow(window({ days: [today.toLowerCase()] }));
  await Promise.all([tick(100), accept(one.runner)]);
  const two = await host();
  await returned(one, { release });
  await tick(125);
  expect(await shown()).toMatchObject([{ state: 'ended', upgraded: 1 }]);
  expect(two.runner.unreadNow).not.toContain('request');
});

test.each([
  [{ from: '25:00' }, 'time such as'],
  [{ timeZone: 'Mars/Base' }, 'IANA time zone'],
  [{ days: ['sunday'] }, 'must be some of'],
  [{ to: '02:00' }, 'no length'],
])('a window with %j is refused by the name of the field', async (wrong, why) => {
  const hostUpgrades = { from: '02:00', to: '05:00', timeZone: 'UTC', ...wrong };
  const { status, body } = await call('PATCH', '/api/system/settings', {
    token: operatorToken,
    body: { hostUpgrades },
  });
  expect([status, body.error]).toEqual([400, expect.stringContaining(why)]);
  expect(body.error).toContain(`hostUpgrades.${Object.keys(wrong)[0]}`);
});
