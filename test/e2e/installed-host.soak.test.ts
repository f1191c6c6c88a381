/** A host that `install.sh` of the control plane made: the bundle builds, runs all engines, and is upgraded under traffic. */
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { placesUnder } from '../../host/places.ts';
import type { HostRelease } from '../../host/release.ts';
import { upgrade } from '../../host/upgrade.ts';
import { createOutput } from '../../local/output.ts';
import { type EngineName, engineNames } from '../../protocol/database.ts';
import type { Json } from '../support/instance/longshore.ts';
import { webApp } from '../support/instance/repository.ts';
import { type SecondRunner, startSecondRunner, until } from '../support/instance/second-runner.ts';
import { standInForSystemd } from '../support/instance/systemd-stand-in.ts';
import { useInstance, useRepositories } from '../support/instance/use-instance.ts';
import { type OfferedReleases, offeredBy, offerReleases } from '../support/offered-releases.ts';

const repositories = useRepositories();
const longshore = useInstance();
let host: SecondRunner;
let scratch: string;
let releases: OfferedReleases;
let project: Json;
let web: Json;

beforeAll(async () => {
  scratch = await mkdtemp(join(tmpdir(), 'longshore-e2e-releases-'));
  host = await startSecondRunner(longshore, { installed: true });
  releases = await offerReleases(await offeredBy(host.url), scratch);
  project = await longshore.newProject('Installed');
  await repositories.add('web', webApp('built'));
});
afterAll(async () => {
  await releases?.close();
  await host?.remove();
  await rm(scratch, { recursive: true, force: true });
});

test('it builds a repository with a Dockerfile, and one that the analyzer plans', async () => {
  const fields = { runnerId: host.runnerId, branch: 'main', env: [] };
  web = await longshore.newService(project, { ...fields, name: 'web', repoUrl: `${repositories.url}/web` });
  await longshore.deploy(web.id);
  expect(await (await fetch(web.localUrl)).text()).toContain('built');
  await repositories.add('site', { 'index.html': '<h1>static</h1>' });
  const site = await longshore.newService(project, {
    ...fields,
    name: 'site',
    repoUrl: `${repositories.url}/site`,
  });
  await longshore.deploy(site.id);
  expect(await (await fetch(site.localUrl)).text()).toContain('static');
});

test.each(engineNames)('it runs, browses and backs up a database of %s', async (engine: EngineName) => {
  const database = await longshore.newDatabase(engine, { name: engine }, project);
  expect((await longshore.overview(database.id)).service.runnerId).toBe(host.runnerId);
  const { tables } = await longshore.ask('GET', `/api/services/${database.id}/database/tables`);
  expect(tables).toEqual(expect.any(Array));
  const backups = `/api/services/${database.id}/database/backups`;
  const { backup } = await longshore.ask('POST', backups, { storage: 'disk' });
  await expect
    .poll(
      async () =>
        (await longshore.ask('GET', backups)).backups.find((one: Json) => one.id === backup.id).status,
      {
        timeout: 60_000,
      },
    )
    .toBe('succeeded');
});

/** Upgrades the host to what is offered, with the restarts that systemd would do. */
async function upgraded() {
  const printed: string[] = [];
  const output = createOutput({
    write: (_, text) => printed.push(text),
    colour: false,
    now: () => performance.now(),
  });
  const restart = async () => {
    await host.stop();
    return await host.start().then(
      () => true,
      () => false,
    );
  };
  return { code: await upgrade(placesUnder(host.root), output, { url: releases.url, restart }), printed };
}

test('an upgrade restarts only the runner: no request of its apps is lost; a release that fails is taken back', async () => {
  const stopped = new AbortController();
  const answers = { good: 0, bad: [] as string[] };
  const asking = (async () => {
    while (!stopped.signal.aborted) {
      const answer = await fetch(web.localUrl).then(
        async (response) => `${response.status} ${await response.text()}`,
        (error: Error) => error.message,
      );
      if (answer.startsWith('200 built')) answers.good += 1;
      else answers.bad.push(answer);
    }
  })();
  await releases.offer('0.2.1', { 'package.json': '{"version":"0.2.1"}' });
  expect(await upgraded()).toMatchObject({ code: 0 });
  const { connected, facts } = await seen();
  expect([connected, facts.version]).toEqual([true, '0.2.1']);
  await releases.offer('0.2.2', { 'runner.mjs': 'process.exit(1);' });
  const taken = await upgraded();
  expect(taken.code).toBe(1);
  expect(taken.printed.at(-1)).toContain('the release before it runs again');
  stopped.abort();
  await asking;
  expect(answers.bad).toEqual([]);
  expect(answers.good).toBeGreaterThan(10);
  await longshore.deploy(web.id);
});

test('the operator upgrades it through the control plane, and its facts tell how that ended', async () => {
  const asked = await standInForSystemd(host, scratch);
  const before = { version: '0.2.1', takesUpgrades: true, lastUpgrade: { version: '0.2.2', ok: false } };
  await expect.poll(async () => (await seen()).facts, { timeout: 10_000 }).toMatchObject(before);
  const answer = await longshore.operate('POST', `/api/system/runners/${host.runnerId}/upgrade`);
  expect(answer).toEqual({ started: true });
  await until(async () => existsSync(asked));
  await host.stop();
  await host.start();
  await rm(asked);
  const offered = (await (await fetch(new URL('host/release.json', host.url))).json()) as HostRelease;
  await expect
    .poll(async () => (await seen()).facts, { timeout: 10_000 })
    .toMatchObject({ version: offered.version, lastUpgrade: { version: offered.version, ok: true } });
});

async function seen(): Promise<Json> {
  const { runners } = await longshore.operate('GET', '/api/system/runners');
  return runners.find((one: Json) => one.id === host.runnerId);
}
