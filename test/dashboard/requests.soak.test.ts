/** The request log of a service in a real browser: its switch, filters in the address, and older pages. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, expect, test, vi } from 'vitest';
import { accessLogOf } from '../../protocol/logs/kept-logs.ts';
import { contractTimeoutMs, roomTroubles } from '../support/browser/room-contract.ts';
import { useDashboard } from '../support/browser/use-dashboard.ts';

vi.setConfig({ testTimeout: 120_000 });

const used = useDashboard(async (directory) => {
  const file = join(directory, 'build.log');
  await writeFile(file, 'one line');
  return file;
});
let web: { id: string };
const path = () => `/services/${web.id}/requests`;

const request = (n: number, fields: object = {}) =>
  JSON.stringify({
    ...{ level: 'info', method: 'GET', path: `/items/${n}`, status: 200, durationMs: 3.2, bytes: 2_048 },
    ...{ client: '203.0.113.0', host: 'web.localhost', ...fields },
  });

beforeAll(async () => {
  const shop = (await used.ask('POST', '/api/projects', { name: 'Shop' })).project;
  const body = { name: 'web', repoUrl: 'https://git.example/web.git', repoFullName: null };
  web = (await used.ask('POST', `/api/projects/${shop.id}/services`, body)).service;
  await used.deploy(web.id);
}, 120_000);

test('a log that is off says what it would have, and one press switches it on', async () => {
  const { page } = await used.open(`/services/${web.id}/logs`);
  await page.getByRole('link', { name: 'Requests', exact: true }).click();
  await page.getByText('Requests are not written', { exact: true }).waitFor();
  await page.getByText(/no header, no body, no whole address/).waitFor();
  await page.getByRole('button', { name: 'Write requests', exact: true }).click();
  await page.getByText('No request was written yet').waitFor();
  const { rules } = await used.ask('GET', `/api/services/${web.id}/traffic-rules`);
  expect(rules.accessLog).toEqual({ sample: 1 });
});

test('requests are filtered by status, path and duration, in the address, and older ones come on demand', async () => {
  const lines = Array.from({ length: 150 }, (_, n) => request(n));
  lines.push(request(200, { path: '/api/pay', method: 'POST', status: 502, durationMs: 812.4 }));
  lines.push(request(201, { path: '/api/cart', status: 404 }));
  used.print(accessLogOf(web.id), lines);
  const { page } = await used.open(path());
  const rows = page.locator('tbody tr');
  await expect.poll(() => rows.count()).toBe(100);
  await page.getByRole('button', { name: 'Show older' }).click();
  await expect.poll(() => rows.count()).toBe(152);
  await page.getByRole('button', { name: '5xx' }).click();
  await expect
    .poll(() => rows.allInnerTexts())
    .toEqual([expect.stringMatching(/502\s+812 ms\s+POST \/api\/pay/)]);
  await page.getByRole('button', { name: 'All', exact: true }).click();
  await page.getByLabel('Path begins with').fill('/api/');
  await expect.poll(() => rows.count()).toBe(2);
  await page.getByLabel('Slower than, ms').fill('500');
  await expect.poll(() => rows.count()).toBe(1);
  await page.reload();
  await expect.poll(() => rows.count()).toBe(1);
  expect(new URL(page.url()).searchParams.get('slower')).toBe('500');
});

test(
  'the request log fulfils the contract of all pages',
  async () => {
    const { page } = await used.open('/');
    const rooms = [{ name: 'requests', path: path(), shown: 'tbody tr' }];
    expect(await roomTroubles(page, rooms)).toEqual([]);
  },
  contractTimeoutMs,
);
