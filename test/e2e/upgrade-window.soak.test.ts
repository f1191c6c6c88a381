/** The window of `hostUpgrades`, with the real cron of an instance and a host that its `install.sh` made. */
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { placesUnder } from '../../host/places.ts';
import { releaseName } from '../../host/release.ts';
import { upgrade } from '../../host/upgrade.ts';
import { createOutput } from '../../local/output.ts';
import type { Json } from '../support/instance/longshore.ts';
import { type SecondRunner, startSecondRunner } from '../support/instance/second-runner.ts';
import { standInForSystemd } from '../support/instance/systemd-stand-in.ts';
import { useInstance } from '../support/instance/use-instance.ts';
import { type OfferedReleases, offeredBy, offerReleases } from '../support/offered-releases.ts';

const longshore = useInstance();
let host: SecondRunner;
let scratch: string;
let releases: OfferedReleases;

beforeAll(async () => {
  host = await startSecondRunner(longshore, { installed: true });
  scratch = await mkdtemp(join(tmpdir(), 'longshore-e2e-releases-'));
  releases = await offerReleases(await offeredBy(host.url), scratch);
});
afterAll(async () => {
  await releases?.close();
  await host?.remove();
  await rm(scratch, { recursive: true, force: true });
});

const facts = async (): Promise<Json> => {
  const { runners } = await longshore.operate('GET', '/api/system/runners');
  return runners.find(({ id }: Json) => id === host.runnerId).facts;
};
const restart = async () => {
  await host.stop();
  await host.start();
};

test('an open window brings an installed host to the release of the control plane, and the round completes', async () => {
  const old = await releases.offer('0.0.9', { 'package.json': '{"version":"0.0.9"}' });
  const output = createOutput({ write: () => {}, colour: false, now: () => performance.now() });
  const places = placesUnder(host.root);
  expect(
    await upgrade(places, output, { url: releases.url, restart: () => restart().then(() => true) }),
  ).toBe(0);
  const restartWanted = await standInForSystemd(host, scratch);
  await expect.poll(async () => (await facts()).release, { timeout: 20_000 }).toBe(releaseName(old));
  const { release } = await longshore.operate('GET', '/api/system/upgrades');

  // Longer than any test: from two hours ago to two hours from now.
  const clock = (hours: number) => new Date(Date.now() + hours * 3_600_000).toISOString().slice(11, 16);
  const hostUpgrades = { from: clock(-2), to: clock(2), timeZone: 'UTC' };
  await longshore.operate('PATCH', '/api/system/settings', { hostUpgrades });

  await expect.poll(() => existsSync(restartWanted), { timeout: 120_000, interval: 200 }).toBe(true);
  await restart();
  await rm(restartWanted);
  await expect.poll(async () => (await facts()).release, { timeout: 20_000 }).toBe(release);
  expect((await facts()).lastUpgrade).toMatchObject({ ok: true });
  const newestRound = async () => (await longshore.operate('GET', '/api/system/upgrades')).rounds[0];
  await expect
    .poll(newestRound, { timeout: 240_000, interval: 1_000 })
    .toMatchObject({ state: 'complete', release });
});
