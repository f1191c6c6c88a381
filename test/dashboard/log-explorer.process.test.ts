/** The log explorer of services and projects in a real browser: search, time, histogram, details of a line, and floods. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, expect, test, vi } from 'vitest';
import { contractTimeoutMs, roomTroubles } from '../support/browser/room-contract.ts';
import { useDashboard } from '../support/browser/use-dashboard.ts';
import { scriptCorpus } from '../support/script-texts.ts';

// Each takes some seconds in one browser, and several times that beside other files on a busy machine.
vi.setConfig({ testTimeout: 120_000 });

const used = useDashboard(async (directory) => {
  const file = join(directory, 'build.log');
  await writeFile(file, 'one line');
  return file;
});
let shop: { id: string; slug: string };
let web: { id: string; slug: string };
let worker: { id: string; slug: string };
const minuteMs = 60_000;

beforeAll(async () => {
  shop = (await used.ask('POST', '/api/projects', { name: 'Shop' })).project;
  const source = { repoUrl: 'https://git.example/app.git', repoFullName: null };
  const made = async (name: string) =>
    (await used.ask('POST', `/api/projects/${shop.id}/services`, { ...source, name })).service;
  web = await made('web');
  worker = await made('worker');
  used.print(
    web.id,
    [
      '{"level":"error","msg":"card refused","status":503,"user":{"id":7}}',
      'TypeError: no card',
      '    at charge (/app/pay.js:12:3)',
      '    at serve (/app/server.js:3:9)',
      '[error] payment refused',
    ],
    Date.now() - 10 * minuteMs,
  );
  used.print(
    web.id,
    Array.from({ length: 1_500 }, (_, n) => `request ${n} served`),
    Date.now() - 5 * minuteMs,
  );
  used.print(worker.id, ['{"level":"warn","msg":"retry of mail"}', '\u001b[32mready\u001b[0m']);
}, 120_000);

const rowsOf = (page: Awaited<ReturnType<typeof used.open>>['page']) => page.locator('.explorer-row');

test('a line that is 1,500 lines back is found in the log of its service, and the page says what was searched', async () => {
  const { page } = await used.open(`/services/${web.id}`);
  await page
    .getByRole('navigation', { name: 'web' })
    .getByRole('link', { name: 'Logs', exact: true })
    .click();
  await page.getByRole('button', { name: '15 min' }).click();
  await page.keyboard.press('/');
  await page.keyboard.type('card refused');
  await expect.poll(() => rowsOf(page).count()).toBe(1);
  expect(await rowsOf(page).first().textContent()).toContain('card refused  status=503 user.id=7');
  await page.getByText(/1 line, searched all 1,5\d\d lines/).waitFor();
  expect(new URL(page.url()).search).toBe('?span=15m&query=card+refused');
});

test('a stack trace is one row, and a click shows its fields, the lines around it and searches from it', async () => {
  const { page } = await used.open(`/services/${web.id}/logs?span=15m&query=level:error`);
  const trace = rowsOf(page).filter({ hasText: 'TypeError: no card' });
  await trace.waitFor();
  await page.goto(`${used.url}/services/${web.id}/logs?span=15m&query=card OR charge OR "at serve"`);
  await rowsOf(page).filter({ hasText: 'TypeError: no card' }).getByText('+2 lines').waitFor();
  await rowsOf(page).filter({ hasText: 'card refused' }).click();
  const details = page.getByRole('complementary', { name: 'Line' });
  await details.getByRole('button', { name: 'Lines around it' }).click();
  await details.getByRole('list', { name: 'Lines around it' }).getByText('request 3 served').waitFor();
  await details.getByRole('button', { name: 'Only lines with this user.id' }).click();
  await expect.poll(() => new URL(page.url()).searchParams.get('query')).toContain('user.id:7');
});

test('a link to a minute shows the lines around it, and a wrong search names the place and the way out', async () => {
  const around = new Date(Date.now() - 10 * minuteMs).toISOString();
  const { page } = await used.open(`/projects/${shop.slug}/logs?around=${around}&service=${web.slug}`);
  await rowsOf(page).filter({ hasText: 'payment refused' }).waitFor();
  expect(await page.getByLabel('Search logs').inputValue()).toBe('service:web');
  await page.getByLabel('Search logs').fill('card level:loud');
  await page.getByText('At character 6: "level:loud" is not known. Use trace').waitFor();
});

test('a histogram shows the levels, and is zoomed by a drag and by keys', async () => {
  const { page } = await used.open(`/services/${web.id}/logs?span=15m`);
  const bars = page.getByRole('slider');
  await page.locator('.band-bad[style*="height: 1"], .band-bad[style*="height: 2"]').first().waitFor();
  await bars.focus();
  for (const key of ['ArrowRight', 'ArrowRight', 'Shift+ArrowRight', 'Shift+ArrowRight', 'Enter'])
    await page.keyboard.press(key);
  await expect.poll(() => new URL(page.url()).searchParams.get('from')).not.toBeNull();
  const { from, to } = Object.fromEntries(new URL(page.url()).searchParams);
  expect(Date.parse(to ?? '') - Date.parse(from ?? '')).toBe(45_000);
  await page.goto(`${used.url}/services/${web.id}/logs?span=15m`);
  await page.locator('.band-bad[style*="height: 1"], .band-bad[style*="height: 2"]').first().waitFor();
  const box = await bars.boundingBox();
  if (!box) throw new Error('The histogram has no place.');
  await page.mouse.move(box.x + box.width * 0.2, box.y + 20);
  await page.mouse.down();
  await page.mouse.move(box.x + box.width * 0.4, box.y + 20, { steps: 4 });
  await page.mouse.up();
  await expect.poll(() => new URL(page.url()).searchParams.get('from')).not.toBeNull();
});

test('live lines of all services come in one order, and are filtered on the way', async () => {
  const { page } = await used.open(`/projects/${shop.slug}/logs`);
  await rowsOf(page).filter({ hasText: 'ready' }).locator('.ansi-2').waitFor();
  used.print(worker.id, ['mail sent at last']);
  await rowsOf(page).filter({ hasText: 'mail sent at last' }).waitFor();
  await page.getByText('Live', { exact: true }).last().waitFor();
  await page.getByLabel('Search logs').fill('mail -retry');
  await expect.poll(() => rowsOf(page).count()).toBe(1);
  used.print(worker.id, ['mail sent again', 'something else']);
  await expect.poll(() => rowsOf(page).count()).toBe(2);
});

test('a flood is shown as its newest lines with the number of those left out, without a long task or a shift', async () => {
  const { page } = await used.open(`/services/${worker.id}/logs`);
  await page.evaluate(`{
    window.longest = 0; window.shift = 0;
    new PerformanceObserver((list) => { for (const one of list.getEntries()) window.longest = Math.max(window.longest, one.duration); }).observe({ type: 'longtask' });
    new PerformanceObserver((list) => { for (const one of list.getEntries()) if (!one.hadRecentInput) window.shift += one.value; }).observe({ type: 'layout-shift', buffered: true });
  }`);
  for (let second = 0; second < 5; second++) {
    used.print(
      worker.id,
      Array.from({ length: 20_000 }, (_, n) => `flood ${second} ${n} of a line of usual length`),
    );
  }
  await rowsOf(page).filter({ hasText: 'flood 4 19999' }).waitFor({ timeout: 60_000 });
  await page.getByText(/^Skipped [\d,]{5,} lines$/).waitFor();
  const { longest, shift } = (await page.evaluate(
    '({ longest: window.longest, shift: window.shift })',
  )) as Record<string, number>;
  expect(shift).toBeLessThan(0.05);
  // Ten times what it is on a quiet machine: one run among others must not fail.
  expect(longest).toBeLessThan(1_000);
});

test('a project with more services than a search may have asks for a choice instead of failing', async () => {
  const { project } = await used.ask('POST', '/api/projects', { name: 'Wide' });
  const source = { repoUrl: 'https://git.example/app.git', repoFullName: null };
  const made: { id: string; name: string }[] = [];
  for (let n = 0; n < 21; n += 1) {
    const body = { ...source, name: `part ${n}` };
    made.push((await used.ask('POST', `/api/projects/${project.id}/services`, body)).service);
  }
  used.print(made[0]?.id ?? '', ['a line of the first part']);
  const { page } = await used.open(`/projects/${project.slug}/logs`);
  await page.getByText('at most 20 services, and this project has 21').waitFor();
  await page.getByRole('button', { name: 'Take the first 20' }).click();
  await page.getByText('a line of the first part').waitFor();
});

test('what services print never runs, and the room keeps the contract of rooms', {
  tags: ['slow', 'matrix'],
  timeout: contractTimeoutMs,
}, async () => {
  used.print(
    worker.id,
    scriptCorpus.map((text) => text.replace(/[\s\u2028]/g, ' ')),
  );
  const { page } = await used.open(`/services/${worker.id}/logs`);
  await rowsOf(page).last().waitFor();
  expect(await page.evaluate('window.ran')).toBeUndefined();
  const room = {
    name: 'logs',
    path: `/projects/${shop.slug}/logs?span=15m&query=service:web`,
    shown: '.explorer-row',
  };
  expect(await roomTroubles(page, [room])).toEqual([]);
});
