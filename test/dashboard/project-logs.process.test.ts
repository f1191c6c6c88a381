/** The logs of a project in a real browser: lines of several services in one order, searched by a host, live and by time. */
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
let web: { id: string };
let worker: { id: string };

beforeAll(async () => {
  shop = (await used.ask('POST', '/api/projects', { name: 'Shop' })).project;
  const source = { repoUrl: 'https://git.example/app.git', repoFullName: null };
  const made = async (name: string) =>
    (await used.ask('POST', `/api/projects/${shop.id}/services`, { ...source, name })).service;
  web = await made('web');
  worker = await made('worker');
  used.print(web.id, [
    '{"level":"info","msg":"GET /"}',
    '[error] payment refused',
    '\u001b[32mready\u001b[0m',
  ]);
  used.print(worker.id, ['{"level":"warn","msg":"retry of mail"}']);
}, 120_000);

test('lines of all services come in one order, follow, and are filtered by words, level and service', async () => {
  const { page } = await used.open(`/projects/${shop.slug}`);
  await page.getByRole('link', { name: 'Logs', exact: true }).click();
  const lines = page.getByRole('region', { name: 'Lines of the log' }).getByRole('listitem');
  await lines.filter({ hasText: 'retry of mail' }).waitFor();
  await lines.filter({ hasText: 'ready' }).locator('.ansi-2').waitFor();
  expect(await lines.count()).toBe(4);
  used.print(worker.id, ['mail sent at last']);
  await lines.filter({ hasText: 'mail sent at last' }).waitFor();
  expect(await lines.last().textContent()).toContain('mail sent at last');

  await page.getByLabel('Level').selectOption('Warning');
  await expect.poll(() => lines.count()).toBe(2);
  await page.getByLabel('Level').selectOption('All levels');
  await page.keyboard.press('/');
  await page.keyboard.type('mail');
  await expect.poll(() => lines.count()).toBe(2);
  await page.getByLabel('Search the output of services').fill('');
  await page.getByLabel('Services', { exact: true }).selectOption('web');
  await expect.poll(() => lines.count()).toBe(3);
  expect(new URL(page.url()).searchParams.get('services')).toBe(web.id);
  await page.getByRole('button', { name: 'Without web' }).click();
  await expect.poll(() => lines.count()).toBe(5);
});

test('a span of time is searched page by page, and its address shows the same again', async () => {
  used.print(
    web.id,
    Array.from({ length: 700 }, (_, n) => `line ${n} of many`),
  );
  const { page } = await used.open(`/projects/${shop.slug}/logs?span=day&text=of+many`);
  const lines = page.getByRole('region', { name: 'Lines of the log' }).getByRole('listitem');
  await expect.poll(() => lines.count()).toBe(500);
  expect(await lines.last().textContent()).toContain('line 699 of many');
  await page.getByRole('button', { name: 'Older lines' }).click();
  await expect.poll(() => lines.count()).toBe(700);
  expect(await lines.first().textContent()).toContain('line 0 of many');
  await page.reload();
  await expect.poll(() => lines.count()).toBe(500);
  expect(await page.getByLabel('Search the output of services').inputValue()).toBe('of many');
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
  expect(await page.getByLabel('Services', { exact: true }).isDisabled()).toBe(true);
  await page.getByRole('button', { name: 'Without part 1', exact: true }).click();
  await page.getByLabel('Services', { exact: true }).selectOption('part 20');
  await page.getByRole('button', { name: 'Without part 20' }).waitFor();
  expect(await page.locator('.notice').count()).toBe(0);
});

test('what services print never runs, and the room keeps the contract of rooms', {
  tags: ['slow', 'matrix'],
  timeout: contractTimeoutMs,
}, async () => {
  used.print(
    worker.id,
    scriptCorpus.map((text) => text.replace(/[\s\u2028]/g, ' ')),
  );
  const { page } = await used.open(`/projects/${shop.slug}/logs?services=${worker.id}`);
  const lines = page.getByRole('region', { name: 'Lines of the log' }).getByRole('listitem');
  await expect.poll(() => lines.count()).toBeGreaterThan(190);
  expect(await page.evaluate('window.ran')).toBeUndefined();
  used.print(web.id, ['{"level":"info","msg":"GET /"}', '[error] payment refused']);
  const room = {
    name: 'project logs',
    path: `/projects/${shop.slug}/logs?services=${web.id},${worker.id}`,
    shown: '.found-line',
  };
  expect(await roomTroubles(page, [room])).toEqual([]);
});
