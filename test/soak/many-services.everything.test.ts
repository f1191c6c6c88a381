/** The dashboard with 1,000 services, and a page that stays open through an hour of changes. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { useDashboard } from '../support/browser/use-dashboard.ts';

const used = useDashboard(async (directory) => {
  const file = join(directory, 'build.log');
  await writeFile(file, 'one line');
  return file;
});
const servicesCount = 1_000;
/** Requests at a time. */
const atOnce = 8;
/** An hour of changes, if each is shown by itself: a page asks again at most every three seconds. */
const hourOfRenewals = 1_200;
const renewals = 100;
const megabyte = 1e6;
let shop: { id: string; slug: string };
let first: { id: string };

beforeAll(async () => {
  const { tenants } = await used.operate('GET', '/api/system/tenants');
  await used.operate('PATCH', `/api/system/tenants/${tenants[0].id}`, { quotas: { services: 2_000 } });
  shop = (await used.ask('POST', '/api/projects', { name: 'Shop' })).project;
  const source = { repoUrl: 'https://git.example/app.git', repoFullName: null };
  const numbers = Array.from({ length: servicesCount }, (_, n) => n + 1);
  const make = async () => {
    for (let n = numbers.shift(); n !== undefined; n = numbers.shift()) {
      const { service } = await used.ask('POST', `/api/projects/${shop.id}/services`, {
        ...source,
        name: `service ${n}`,
      });
      if (n === 1) first = service;
    }
  };
  await Promise.all(Array.from({ length: atOnce }, make));
}, 300_000);

test('a thousand services: pages hold a bounded number of rows, and every service is found', async () => {
  const { page } = await used.open('/');
  await page.getByText('1,000 services').waitFor();
  expect(await page.locator('.service-chips li').count()).toBeLessThanOrEqual(9);
  await page.keyboard.press('Control+k');
  await page.getByRole('option').first().waitFor();
  await page.keyboard.type('service 777');
  await page.getByRole('option', { name: 'service 777' }).waitFor();
  expect(await page.getByRole('option').count()).toBeLessThanOrEqual(40);
  await page.keyboard.press('Escape');

  await page.goto(`/projects/${shop.slug}`);
  const rows = page.locator('table.services tbody tr');
  await rows.first().waitFor();
  expect(await rows.count()).toBe(100);
  await page.getByRole('button', { name: '100 of 1,000: show more' }).click();
  await expect.poll(() => rows.count()).toBe(200);
  await page.getByRole('searchbox', { name: 'Filter' }).fill('service 99');
  await expect.poll(() => rows.count()).toBe(11);
  const times = await page.evaluate<Record<string, number>>(`(async () => {
    const begin = performance.now();
    const field = document.querySelector('[data-filter]');
    field.value = '';
    field.dispatchEvent(new InputEvent('input', { bubbles: true }));
    await new Promise((shown) => requestAnimationFrame(() => requestAnimationFrame(shown)));
    const filtered = performance.now() - begin;
    let frames = 0;
    const scrollBegin = performance.now();
    while (scrollY + innerHeight < document.documentElement.scrollHeight - 1 && frames < 600) {
      scrollBy(0, 60);
      await new Promise((shown) => requestAnimationFrame(shown));
      frames += 1;
    }
    return { filtered, framesPerSecond: (frames * 1000) / (performance.now() - scrollBegin) };
  })()`);
  const { responseEnd } = await page.evaluate<{ responseEnd: number }>(
    `performance.getEntriesByType('resource').find(({ name }) => name.endsWith('/api/projects/${shop.slug}')).toJSON()`,
  );
  console.log('with 1,000 services:', { ...times, projectLoadedMs: responseEnd });
});

test('a page that is open for an hour of changes does not grow', async () => {
  const { page, context } = await used.open('/');
  // Each answer of the stream tells of a change; the page then opens the stream again.
  let told = 0;
  await page.route('**/api/changes/stream*', async (route) => {
    told += 1;
    const data = JSON.stringify({ projectIds: [shop.id], serviceIds: [first.id] });
    const body = `event: changed\nid: ${String(told).padStart(24, '0')}\ndata: ${data}\n\n`;
    await route.fulfill({ headers: { 'content-type': 'text/event-stream' }, body });
  });
  const devtools = await context.newCDPSession(page);
  const heap = async () => {
    await devtools.send('HeapProfiler.collectGarbage');
    return (await devtools.send('Runtime.getHeapUsage')).usedSize;
  };
  await page.goto(`/services/${first.id}`);
  const renewed = async (count: number) => {
    const until = told + count;
    await expect.poll(() => told, { timeout: 180_000, interval: 200 }).toBeGreaterThanOrEqual(until);
  };
  await renewed(20);
  const before = await heap();
  await renewed(renewals);
  const growth = (await heap()) - before;
  console.log(`the heap of ${before} bytes grew by ${growth} in ${renewals} renewals`);
  expect((growth / renewals) * hourOfRenewals).toBeLessThan(20 * megabyte);
});
