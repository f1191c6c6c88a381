// biome-ignore-all lint/suspicious/noTemplateCurlyInString: references of variables are written like that
/** References in a real browser: the picture of a project, completion while a value is typed, and what waits for a restart. */
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
  await writeFile(file, 'one line');
  return file;
});
let shop: { id: string; slug: string };
let web: { id: string };

beforeAll(async () => {
  shop = (await used.ask('POST', '/api/projects', { name: 'Shop' })).project;
  const add = async (body: object) =>
    (await used.ask('POST', `/api/projects/${shop.id}/services`, body)).service;
  const source = { repoUrl: 'https://git.example/app.git', repoFullName: null };
  await add({ name: 'db', repoUrl: 'database', repoFullName: 'database:postgres' });
  web = await add({
    ...source,
    name: 'web',
    env: [
      { key: 'DATABASE_URL', value: '${db.DATABASE_URL}' },
      { key: 'GREETING', value: 'first-secret-value' },
      { key: 'OLD', value: 'old-secret-value' },
    ],
  });
  await add({ ...source, name: 'worker', env: [{ key: 'WEB', value: '${web.INTERNAL_URL}/${db.PGHOST}' }] });
  await add({ ...source, name: 'alone' });
  await used.deploy(web.id);
}, 120_000);

/** The completions, and not the options of the scope. */
const proposals = (page: Page) => page.getByRole('listbox').getByRole('option');

test('a project is drawn with all its services and who uses what, in words for screen readers and by keyboard', async () => {
  const { page } = await used.open(`/projects/${shop.slug}`);
  const picture = page.getByRole('region', { name: 'Architecture' });
  const box = picture.getByRole('link', { name: /^web / });
  await box.waitFor();
  await expect
    .poll(() => box.getAttribute('aria-description'))
    .toBe('Refers to db (DATABASE_URL). Used by worker');
  expect(await picture.locator('.picture-box').count()).toBe(4);
  const drawn = picture.locator('.drawing-lines path[d^="M"]');
  // Three addresses of apps, and three references.
  await expect.poll(() => drawn.count()).toBe(6);
  await box.focus();
  expect(await picture.locator('.drawing-lines path.pointed').count()).toBe(3);
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { level: 1, name: /web/ }).waitFor();
});

test('a click on a service of the picture opens it beside the picture, and its name leads to its page', async () => {
  const { page } = await used.open(`/projects/${shop.slug}`);
  await page.getByRole('link', { name: /^db / }).click();
  const panel = page.getByRole('complementary', { name: 'db' });
  await panel.getByText('Used by web, worker').waitFor();
  await panel.getByRole('button', { name: 'Close db' }).click();
  await panel.waitFor({ state: 'detached' });
  await page.getByRole('link', { name: /^web / }).click();
  await page.getByRole('complementary', { name: 'web' }).getByRole('link', { name: 'Open' }).click();
  await page.getByRole('heading', { level: 1, name: /web/ }).waitFor();
});

test('on a phone the picture is a list without lines, whose services lead to their pages', async () => {
  const { page } = await used.open(`/projects/${shop.slug}`, { viewport: { width: 390, height: 844 } });
  const box = page.getByRole('link', { name: /^web / });
  await box.waitFor();
  await expect.poll(() => page.locator('.drawing-lines').count()).toBe(0);
  const boxes = await page
    .locator('.picture-box')
    .evaluateAll((all) => all.map((one) => one.getBoundingClientRect().toJSON()));
  for (const { left, right } of boxes) expect([left >= 0, right <= 390]).toEqual([true, true]);
  await box.click();
  await page.getByRole('heading', { level: 1, name: /web/ }).waitFor();
});

test('the key v changes between the picture and the table, and this browser keeps the choice', async () => {
  const { page } = await used.open(`/projects/${shop.slug}`);
  await page.getByRole('link', { name: /^web / }).waitFor();
  await page.keyboard.press('v');
  await page.getByRole('table', { name: 'Apps' }).waitFor();
  await page.reload();
  await page.getByRole('table', { name: 'Apps' }).waitFor();
  await page.getByRole('button', { name: 'Picture' }).click();
  await page.getByRole('region', { name: 'Architecture' }).waitFor();
});

test('the focus stays on a box of the picture and on a tab of a service while others change them', async () => {
  const { page } = await used.open(`/projects/${shop.slug}`);
  const box = page.getByRole('link', { name: /^web / });
  await box.waitFor();
  await page.getByRole('button', { name: 'Updates live' }).waitFor();
  await box.focus();
  await used.deploy(web.id);
  await page.locator('.picture-box:focus').getByText('just now').waitFor();
  await page.goto(`/services/${web.id}/logs`);
  const tab = page.getByRole('navigation', { name: 'web' }).getByRole('link', { name: /^Configure/ });
  await tab.waitFor();
  const before = await tab.innerText();
  await tab.focus();
  const env = `/api/services/${web.id}/env`;
  const { id } = await used.ask('POST', env, { key: 'FROM_ELSEWHERE', value: '1' });
  await expect.poll(() => tab.innerText()).not.toBe(before);
  expect(await tab.evaluate((one) => one.matches(':focus'))).toBe(true);
  await used.ask('DELETE', `${env}/${id}`);
});

test('a reference that somebody else sets is drawn by itself', async () => {
  const { service } = await used.ask('POST', `/api/projects/${shop.id}/services`, {
    name: 'late',
    repoUrl: 'https://git.example/late.git',
    repoFullName: null,
  });
  const { page } = await used.open(`/projects/${shop.slug}`);
  await page.getByRole('link', { name: /^web / }).waitFor();
  await page.getByRole('button', { name: 'Updates live' }).waitFor();
  await used.ask('POST', `/api/services/${service.id}/env`, { key: 'A', value: '${web.GREETING}' });
  const late = page.getByRole('link', { name: /^late / });
  await expect.poll(() => late.getAttribute('aria-description')).toBe('Refers to web (A)');
});

test('references are completed while a value is typed, by keyboard alone, and saved', async () => {
  const { page } = await used.open(`/services/${web.id}/variables`);
  await page.getByRole('button', { name: 'Add variable' }).click();
  await page.getByLabel(/^Key/).fill('HOST');
  const value = page.getByRole('textbox', { name: 'Value' });
  await value.focus();
  await page.keyboard.type('host=${db');
  await page.getByRole('option', { name: '${db.', exact: true, selected: true }).waitFor();
  await page.keyboard.press('Enter');
  await page.keyboard.type('data');
  await page.getByRole('option', { name: '${db.DATABASE_URL}', exact: true, selected: true }).waitFor();
  await page.keyboard.press('Tab');
  expect(await value.inputValue()).toBe('host=${db.DATABASE_URL}');
  await expect.poll(() => proposals(page).count()).toBe(0);
  // Esc closes the list, and only then the dialog.
  await page.keyboard.type(' ${');
  await proposals(page).first().waitFor();
  await page.keyboard.press('Escape');
  await expect.poll(() => proposals(page).count()).toBe(0);
  expect(await page.getByRole('dialog').count()).toBe(1);
  await value.fill('host=${db.DATABASE_URL}');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByRole('cell', { name: /HOST/ }).first().waitFor();
  const { env } = await used.ask('GET', `/api/services/${web.id}/env`);
  expect(env.find(({ key }: { key: string }) => key === 'HOST').value).toBe('host=${db.DATABASE_URL}');
});

test('what differs from the live version is listed as new, changed and deleted, without values, until a restart applies it', async () => {
  const { env } = await used.ask('GET', `/api/services/${web.id}/env`);
  const old = env.find(({ key }: { key: string }) => key === 'OLD');
  await used.ask('DELETE', `/api/services/${web.id}/env/${old.id}`);
  await used.ask('POST', `/api/services/${web.id}/env`, { key: 'GREETING', value: 'second-secret-value' });
  await used.ask('POST', `/api/services/${web.id}/env`, { key: 'HOST', value: 'db' });
  const { page } = await used.open(`/services/${web.id}/variables`);
  const list = page.getByRole('list', { name: 'What differs from the live version' });
  await list.waitFor();
  expect((await list.getByRole('listitem').allInnerTexts()).map((text) => text.split(/\s+/))).toEqual([
    ['HOST', 'New'],
    ['GREETING', 'Changed'],
    ['OLD', 'Deleted'],
  ]);
  expect(await list.innerText()).not.toContain('secret-value');
  await page.getByRole('button', { name: 'Restart to apply' }).click();
  await list.waitFor({ state: 'detached' });
});

test('the rooms with references keep the contract of rooms', {
  tags: ['slow', 'matrix'],
  timeout: contractTimeoutMs,
}, async () => {
  await used.ask('POST', `/api/services/${web.id}/env`, { key: 'MODE', value: 'quiet' });
  const { page } = await used.open('/');
  const open = async () => {
    await page.getByRole('button', { name: 'Add variable' }).click();
    await page.getByRole('textbox', { name: 'Value' }).fill('${');
    await proposals(page).first().waitFor();
  };
  const rooms = [
    { name: 'project', path: `/projects/${shop.slug}`, shown: '.picture-box' },
    { name: 'variables', path: `/services/${web.id}/variables`, shown: '.pending-changes', open },
  ];
  expect(await roomTroubles(page, rooms)).toEqual([]);
});
