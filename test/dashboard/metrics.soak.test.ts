/** Charts in a real browser: of a service, a project and a host, with the time in the address, by pointer and by keyboard. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { beforeAll, expect, test, vi } from 'vitest';
import { contractTimeoutMs, roomTroubles } from '../support/browser/room-contract.ts';
import { operatorToken, useDashboard } from '../support/browser/use-dashboard.ts';

vi.setConfig({ testTimeout: 120_000 });

const used = useDashboard(
  async (directory) => {
    const file = join(directory, 'build.log');
    await writeFile(file, 'one line');
    return file;
  },
  100,
  { MEASURES: 'yes' },
);
let shop: { id: string; slug: string };
const services: { id: string; name: string }[] = [];

beforeAll(async () => {
  shop = (await used.ask('POST', '/api/projects', { name: 'Shop' })).project;
  for (const name of ['web', 'api', 'search', 'checkout', 'mail', 'reports', 'images']) {
    const body = { name, repoUrl: `https://git.example/${name}.git`, repoFullName: null };
    services.push((await used.ask('POST', `/api/projects/${shop.id}/services`, body)).service);
  }
  await used.deploy(services[0]?.id ?? '');
  await used.deploy(services[0]?.id ?? '');
}, 120_000);

const metricsOf = (at: number) => `/services/${services[at]?.id}/metrics`;
const chart = (page: Page, title: string) =>
  page.locator('.chart').filter({ has: page.getByRole('heading', { name: title, exact: true }) });
const timeOf = (page: Page) => {
  const { searchParams } = new URL(page.url());
  return { from: Date.parse(searchParams.get('from') ?? ''), to: Date.parse(searchParams.get('to') ?? '') };
};

test('a service has charts of status classes and percentiles, and those with nothing but zeros are folded', async () => {
  const { page } = await used.open(metricsOf(0));
  await chart(page, 'Requests by status').waitFor();
  for (const label of ['Answered (2xx)', 'Redirected (3xx)', 'Refused (4xx)', 'Failed (5xx)'])
    await chart(page, 'Requests by status').getByText(label).waitFor();
  for (const label of ['Median', '95th percentile', '99th percentile'])
    await chart(page, 'Latency').getByText(label).waitFor();
  await page.getByText('Nothing to show: Disk, Restarts and out of memory').waitFor();
  expect(await chart(page, 'Disk').isVisible()).toBe(false);
  await chart(page, 'CPU').getByText('Host', { exact: true }).waitFor();
  await chart(page, 'Memory').getByText('Limit', { exact: true }).waitFor();
  expect(await chart(page, 'Memory').locator('.ticks span').count()).toBeGreaterThanOrEqual(4);
});

test('a drag zooms all charts into that part of the time, the way back is the button of the browser', async () => {
  const { page } = await used.open(metricsOf(0));
  const area = chart(page, 'Memory').locator('.plot-area');
  await area.scrollIntoViewIfNeeded();
  const box = await area.boundingBox();
  if (!box) throw new Error('no chart');
  const y = box.y + box.height / 2;
  await page.mouse.move(box.x + box.width * 0.25, y);
  // The pointer is in all charts.
  await expect.poll(() => page.locator('.charts .cursor').count()).toBeGreaterThanOrEqual(4);
  await page.mouse.down();
  await page.mouse.move(box.x + box.width * 0.75, y, { steps: 4 });
  await page.mouse.up();
  await page.waitForURL(/from=/);
  const { from, to } = timeOf(page);
  expect((to - from) / 60_000).toBeGreaterThan(27);
  expect((to - from) / 60_000).toBeLessThan(33);
  await page.goBack();
  await page.getByRole('button', { name: '1 h', pressed: true }).waitFor();
});

test('by keyboard, arrows read the values, Shift and arrows choose a part, and Enter zooms into it', async () => {
  const { page } = await used.open(metricsOf(0));
  const area = chart(page, 'Memory').getByRole('slider');
  await area.focus();
  await page.keyboard.press('Home');
  const first = await area.getAttribute('aria-valuetext');
  expect(first).toMatch(/^\d+ \w+ \d{4}, \d\d:\d\d:\d\d: Memory \d/);
  await page.keyboard.press('ArrowRight');
  expect(await area.getAttribute('aria-valuetext')).not.toBe(first);
  for (let n = 0; n < 5; n++) await page.keyboard.press('Shift+PageUp');
  await page.keyboard.press('Enter');
  await page.waitForURL(/from=/);
  const { from, to } = timeOf(page);
  expect((to - from) / 60_000).toBeGreaterThan(27);
  expect((to - from) / 60_000).toBeLessThan(33);
});

test('a click on a moment opens the logs around it', async () => {
  const { page } = await used.open(metricsOf(0));
  await chart(page, 'CPU').locator('.plot-area').click();
  await page.waitForURL(/\/logs\?around=\d{4}-\d\d-\d\dT\d\d/);
});

test('a time of its own is chosen by fields, kept in the address, and 30 days are one of the ranges', async () => {
  const { page } = await used.open(metricsOf(0));
  await page.getByText('Own time').click();
  await page.getByLabel('From', { exact: true }).fill('2026-01-01T10:00');
  await page.getByLabel('To', { exact: true }).fill('2026-01-01T09:00');
  await page.getByRole('button', { name: 'Show', exact: true }).click();
  await page.getByText('The end must be after the start.').waitFor();
  await page.getByLabel('To', { exact: true }).fill('2026-01-01T12:00');
  await page.getByRole('button', { name: 'Show', exact: true }).click();
  await page.waitForURL(/from=/);
  expect(timeOf(page).to - timeOf(page).from).toBe(2 * 3_600_000);
  await page.getByRole('button', { name: '30 d' }).click();
  await page.waitForURL(/range=month/);
  await chart(page, 'CPU').waitFor();
});

test('deployments that are close to each other are one mark that is large enough to press', async () => {
  const { page } = await used.open(metricsOf(0));
  const mark = chart(page, 'CPU').getByRole('link', { name: /^2 deployments around/ });
  await mark.click();
  await page.waitForURL(/\/deployments$/);
});

test('a project shows its busiest services in one stack, and the sum of the others', async () => {
  const { page } = await used.open(`/projects/${shop.slug}/metrics`);
  const requests = chart(page, 'Requests');
  await requests.getByText('2 others').waitFor();
  expect(await requests.locator('.legend a').count()).toBe(5);
  await requests.locator('.legend a').first().click();
  await page.waitForURL(/\/services\/svc_\w+\/metrics/);
});

test('a host shows its charts in its card', async () => {
  const { page } = await used.open('/operator/hosts');
  await page.getByLabel('Operator token').fill(operatorToken);
  await page.keyboard.press('Enter');
  await page.locator('.host-charts summary').click();
  await chart(page, 'CPU').waitFor();
});

test(
  'charts fulfil the contract of all pages',
  async () => {
    const { page } = await used.open('/');
    const unfold = (of: Page) => of.locator('.idle-charts summary').click();
    const rooms = [
      { name: 'metrics of a service', path: metricsOf(0), shown: '.chart', open: unfold },
      { name: 'metrics of a month', path: `${metricsOf(0)}?range=month`, shown: '.chart' },
      { name: 'metrics of a project', path: `/projects/${shop.slug}/metrics`, shown: '.chart' },
    ];
    expect(await roomTroubles(page, rooms)).toEqual([]);
  },
  contractTimeoutMs,
);
