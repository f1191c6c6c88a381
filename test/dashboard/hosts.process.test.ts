/** Hosts by name in a real browser, for people who are not the operator: where a service is, where a new one goes, a move. */
import { generateKeyPairSync } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, expect, onTestFinished, test, vi } from 'vitest';
import { runnerPaths } from '../../protocol/enrolment.ts';
import { useDashboard } from '../support/browser/use-dashboard.ts';

vi.setConfig({ testTimeout: 120_000 });

const used = useDashboard(async (directory) => {
  const file = join(directory, 'build.log');
  await writeFile(file, 'one line');
  return file;
});
let project: { id: string; slug: string };
let first: { id: string; name: string };

beforeAll(async () => {
  project = (await used.ask('POST', '/api/projects', { name: 'Shop' })).project;
  [first] = (await used.operate('GET', '/api/system/runners')).runners;
});

const publicKey = (kind: 'ed25519' | 'x25519') =>
  // The types of Node have a signature for each kind.
  generateKeyPairSync(kind as 'ed25519').publicKey.export({ format: 'jwk' }).x;

/** A host that is enrolled and has never connected. @returns its id */
async function enrol(name: string): Promise<string> {
  const { token } = await used.operate('POST', '/api/system/runners', { name });
  const { facts } = (await used.operate('GET', '/api/system/runners')).runners[0];
  const keys = { identityKey: publicKey('ed25519'), sealingKey: publicKey('x25519') };
  return (await used.ask('POST', runnerPaths.enrol, { token, name, facts, ...keys })).runnerId;
}

const runnerOf = async (serviceId: string) =>
  (await used.ask('GET', `/api/services/${serviceId}`)).service.runnerId;

test('a person names the host of a new service and moves one, by the names of the hosts', async () => {
  const source = { name: 'web', repoUrl: 'container-image', imageRef: 'nginx:1.29' };
  const { service } = await used.ask('POST', `/api/projects/${project.id}/services`, source);
  const { page: alone } = await used.open(`/services/${service.id}/settings`);
  await alone.getByText(first.name, { exact: true }).waitFor();
  expect(await alone.getByRole('button', { name: 'Move to another host' }).count()).toBe(0);
  const second = await enrol('second');
  const drained = await enrol('drained');
  await used.operate('PATCH', `/api/system/runners/${drained}`, { drained: true });

  const { page } = await used.open(`/projects/${project.slug}/new`);
  const folder = await mkdtemp(join(tmpdir(), 'longshore-folder-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  await writeFile(join(folder, 'index.html'), '<h1>hello</h1>');
  await page.locator('input[type=file]').setInputFiles(folder);
  await page.getByLabel('Name').fill('there');
  await page.getByLabel('Host').waitFor();
  const choices = await page.getByLabel('Host').locator('option').allTextContents();
  expect(choices).toEqual(['Chosen for you', first.name, 'second (not connected)']);
  await page.getByLabel('Host').selectOption({ label: 'second (not connected)' });
  await page.getByRole('button', { name: 'Create without deploying' }).click();
  await page.waitForURL(/\/services\//);
  const { services } = await used.ask('GET', `/api/projects/${project.id}/services`);
  expect(services).toMatchObject([
    { name: 'web', runnerId: first.id },
    { name: 'there', runnerId: second },
  ]);

  const { page: settings } = await used.open(`/services/${service.id}/settings`);
  await settings.getByRole('button', { name: 'Move to another host' }).click();
  const dialog = settings.getByRole('dialog');
  expect(await dialog.getByLabel('Host').locator('option').allTextContents()).toEqual([
    'second (not connected)',
  ]);
  await dialog.getByRole('button', { name: 'Move', exact: true }).click();
  await settings.waitForURL(/\/deployments\/dep_/);
  expect(await runnerOf(service.id)).toBe(second);
});
