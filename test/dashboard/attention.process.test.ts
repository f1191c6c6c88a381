/** What is out of order now, in a real browser: the first screen, the tab and the page of a service. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { beforeAll, expect, test, vi } from 'vitest';
import { contractTimeoutMs, roomTroubles } from '../support/browser/room-contract.ts';
import { useDashboard } from '../support/browser/use-dashboard.ts';

// Each takes some seconds in one browser, and several times that beside other files on a busy machine.
vi.setConfig({ testTimeout: 120_000 });

const used = useDashboard(async (directory) => {
  const file = join(directory, 'build.log');
  await writeFile(file, 'a line');
  return file;
});
const detail = 'It has used 95 % of its memory limit for 5 minutes.';
let web: { id: string };

beforeAll(async () => {
  const shop = (await used.ask('POST', '/api/projects', { name: 'Shop' })).project;
  const body = { name: 'web', repoUrl: 'https://git.example/app.git', repoFullName: null };
  web = (await used.ask('POST', `/api/projects/${shop.id}/services`, body)).service;
  await used.deploy(web.id);
}, 120_000);

const now = (page: Page) => page.getByRole('region', { name: 'Now' });
const iconOf = (page: Page) => page.locator('link[rel="icon"]').getAttribute('href');
const number = (page: Page, text: string) =>
  page.getByRole('navigation', { name: 'Main' }).getByRole('img', { name: text });
async function raise(): Promise<void> {
  used.alert([{ rule: 'memory', serviceId: web.id, detail }]);
  await expect
    .poll(async () => (await used.ask('GET', '/api/attention')).attention)
    .toContainEqual(expect.objectContaining({ kind: 'alert', what: detail }));
}

test('a project in order says that nothing is wrong, once its host has settled', async () => {
  const { page } = await used.open('/');
  await page.getByText('Nothing is wrong').waitFor({ timeout: 60_000 });
  expect([await page.title(), await iconOf(page)]).toEqual(['Projects · Longshore', '/dashboard/icon.svg']);
});

test('an alert is on the first screen, in the navigation, the title and the icon, until somebody takes it on', async () => {
  await raise();
  const { page } = await used.open('/');
  await now(page).getByText(detail).waitFor();
  await number(page, '1 problem now').waitFor();
  await expect.poll(() => page.title()).toBe('(1) Projects · Longshore');
  expect(await iconOf(page)).toBe('/dashboard/icon-trouble.svg');
  await page.getByRole('link', { name: 'Alerts' }).click();
  await page.getByRole('button', { name: 'Acknowledge Memory nearly full of web' }).click();
  await number(page, '1 problem now').waitFor({ state: 'detached' });
  await expect.poll(() => page.title()).toBe('Alerts · Longshore');
  await page.getByRole('link', { name: 'Projects', exact: true }).click();
  await now(page).getByText('Acknowledged').waitFor();
});

test('an alert stands at the top of the page of its service, and leads to the metrics', async () => {
  await raise();
  const { page } = await used.open(`/services/${web.id}`);
  await now(page).getByText(detail).waitFor();
  await now(page).getByRole('link', { name: 'Open metrics: web' }).click();
  await page.waitForURL(`**/services/${web.id}/metrics`);
  await expect.poll(() => page.title()).toMatch(/Metrics · web · Longshore$/);
});

test('a failed deployment leads from the first screen to its cause', async () => {
  const letGo = used.hold('build');
  const { deployment } = await used.ask('POST', `/api/services/${web.id}/deployments`);
  await expect
    .poll(async () => (await used.ask('GET', `/api/deployments/${deployment.id}`)).deployment.status)
    .toBe('building');
  const { page } = await used.open('/');
  await used.killHost();
  letGo();
  used.startHost();
  await now(page).getByText('The runner was restarted; deploy again.').waitFor();
  await now(page).getByRole('link', { name: 'See why: web' }).click();
  await page.waitForURL(`**/deployments/${deployment.id}`);
});

test('rooms with problems keep the contract', { timeout: contractTimeoutMs }, async () => {
  const { page } = await used.open('/');
  const rooms = [
    { name: 'projects with problems', path: '/', shown: '.now' },
    { name: 'service with problems', path: `/services/${web.id}/logs`, shown: '.now' },
  ];
  expect(await roomTroubles(page, rooms)).toEqual([]);
});
