/** The log drains of a project in a real browser: the host of the tests really sends, to a receiver that really answers. */
import { writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { contractTimeoutMs, roomTroubles } from '../support/browser/room-contract.ts';
import { useDashboard } from '../support/browser/use-dashboard.ts';
import { scriptTexts } from '../support/script-texts.ts';

// Each takes some seconds in one browser, and several times that beside other files on a busy machine.
vi.setConfig({ testTimeout: 120_000 });

const used = useDashboard(async (directory) => {
  const file = join(directory, 'build.log');
  await writeFile(file, 'one line');
  return file;
});
const nameMax = 60;
const hoursMs = 26 * 3_600_000;
let shop: { id: string; slug: string };
let web: { id: string };
/** What the receiver got, and what it answers. */
const got: { body: string; authorization: string | undefined }[] = [];
let answer = 200;
let receiver: Server;
let url = '';

beforeAll(async () => {
  receiver = createServer((request, response) => {
    let body = '';
    request.setEncoding('utf8').on('data', (text: string) => {
      body += text;
    });
    request.on('end', () => {
      if (answer === 200) got.push({ body, authorization: request.headers.authorization });
      response.writeHead(answer).end();
    });
  });
  await new Promise<void>((listening) => receiver.listen(0, '127.0.0.1', listening));
  url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/in`;
  await used.operate('PATCH', '/api/system/settings', { allowPrivateEventWebhook: true });
  shop = (await used.ask('POST', '/api/projects', { name: 'Shop' })).project;
  const source = { name: 'web', repoUrl: 'https://git.example/app.git', repoFullName: null };
  web = (await used.ask('POST', `/api/projects/${shop.id}/services`, source)).service;
  await used.deploy(web.id);
}, 120_000);
afterAll(() => receiver?.close());

const line = (page: Page, name: string) =>
  page.getByRole('listitem').filter({ has: page.locator('strong', { hasText: name }) });

test('a log drain is made with refusals at their fields, shows its secret once, sends, fails, pauses and is deleted', async () => {
  const { page } = await used.open(`/projects/${shop.slug}`);
  await page.getByRole('link', { name: 'Settings', exact: true }).click();
  await page.getByRole('link', { name: 'Log drains' }).click();
  await page.getByText('No log drains yet').waitFor();
  await page.keyboard.press('Control+k');
  await page.getByRole('combobox').fill('add log drain');
  await page.getByRole('option', { name: /^Add log drain/, selected: true }).waitFor();
  await page.keyboard.press('Enter');
  const dialog = page.getByRole('dialog', { name: 'Add log drain' });
  await dialog.getByLabel('Name').fill('vector');
  await dialog.getByLabel('Address').fill('no address');
  await dialog.getByLabel('Headers').fill('no header');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await dialog.getByRole('alert').getByText('“no header” is no header').waitFor();
  await dialog.getByLabel('Headers').fill('Authorization: Bearer secret-of-the-receiver');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await dialog.getByRole('alert').getByText('http.url').waitFor();
  await dialog.getByLabel('Address').fill(url);
  await dialog.getByRole('button', { name: 'Save' }).click();
  const once = page.getByRole('dialog', { name: 'Signing secret of vector' });
  expect(await once.locator('code').innerText()).toMatch(/^whsec_/);
  await once.getByRole('button', { name: 'Done' }).click();

  const row = line(page, 'vector');
  await row.getByText('0 lines sent').waitFor();
  used.print(web.id, ['one', 'two']);
  await expect.poll(() => got.map(({ body }) => body).join('')).toContain('"line":"two"');
  expect(got[0]?.authorization).toBe('Bearer secret-of-the-receiver');
  await row.getByRole('button', { name: /^Updated/ }).click();
  await row.getByText('2 lines sent').waitFor();
  await row.getByText('Nothing waits').waitFor();

  answer = 503;
  await page.getByRole('button', { name: 'Send test to vector' }).click();
  await row.getByText('Test refused').waitFor();
  used.print(web.id, ['three']);
  await expect
    .poll(async () => {
      await row.getByRole('button', { name: /^Updated/ }).click();
      return await row.getByText('Last failure').count();
    })
    .toBe(1);
  await row
    .getByText(/answered 503/)
    .last()
    .waitFor();
  answer = 200;
  await page.getByRole('button', { name: 'Send test to vector' }).click();
  await row.getByText('Test accepted').waitFor();

  await page.getByRole('button', { name: 'Edit vector' }).click();
  await page.getByLabel('Lines', { exact: true }).selectOption('Warning and more severe');
  await page.getByRole('button', { name: 'Save' }).click();
  await row.getByText('Warning and more severe').waitFor();
  expect(await page.content()).not.toMatch(/secret-of-the-receiver|whsec_/);
  // What stood in the row stays while it is renewed.
  await row.getByText('Test accepted').waitFor();
  await page.getByRole('button', { name: 'Pause vector' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Pause' }).click();
  await row.getByText('Paused').waitFor();
  await page.getByRole('button', { name: 'Resume vector' }).click();
  await row.getByText('Paused').waitFor({ state: 'detached' });
  await page.getByRole('button', { name: 'Delete vector' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
  await page.getByText('No log drains yet').waitFor();
});

test('lines that waited for more than a day are told as dropped', async () => {
  answer = 503;
  const body = { name: 'late', http: { url } };
  await used.ask('POST', `/api/projects/${shop.id}/log-drains`, body);
  const { page } = await used.open(`/projects/${shop.slug}/drains`);
  await line(page, 'late').getByText('0 lines sent').waitFor();
  // A service without lines yet: those of one are in the order of their time.
  const source = { name: 'job', repoUrl: 'https://git.example/app.git', repoFullName: null };
  const { service } = await used.ask('POST', `/api/projects/${shop.id}/services`, source);
  await used.deploy(service.id);
  used.print(service.id, ['old one', 'old two'], Date.now() - hoursMs);
  await expect
    .poll(async () => {
      await line(page, 'late')
        .getByRole('button', { name: /^Updated/ })
        .click();
      return await line(page, 'late').getByText('2 lines dropped').count();
    })
    .toBe(1);
  await line(page, 'late').getByText('They waited for more than a day').first().waitFor();
});

test('a syslog receiver has a host, a port and a certificate of its own', async () => {
  const { page } = await used.open(`/projects/${shop.slug}/drains`);
  await page.getByRole('button', { name: 'Add log drain' }).click();
  const dialog = page.getByRole('dialog', { name: 'Add log drain' });
  await dialog.getByLabel('Name').fill('papertrail');
  await dialog.getByLabel('Kind').selectOption('Syslog');
  await dialog.getByLabel('Host').fill('logs.example.com');
  await dialog.getByLabel('Port').fill('70000');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await dialog.getByRole('alert').getByText('1 to 65535').waitFor();
  await dialog.getByLabel('Port').fill('6514');
  await dialog.getByLabel('Certificate').fill('none');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await dialog.getByRole('alert').getByText('PEM').waitFor();
  await dialog.getByLabel('Certificate').fill('');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await line(page, 'papertrail').getByText('syslog+tls://logs.example.com:6514').waitFor();
});

test('names of log drains are shown as text, and the room keeps the contract of rooms', {
  tags: ['slow', 'matrix'],
  timeout: contractTimeoutMs,
}, async () => {
  const names = scriptTexts.filter((text) => text.length <= nameMax);
  const other = (await used.ask('POST', '/api/projects', { name: 'Other' })).project;
  // A project has at most five.
  for (const name of names.slice(0, 5))
    await used.ask('POST', `/api/projects/${other.id}/log-drains`, { name, http: { url } });
  const { page } = await used.open('/');
  const room = { name: 'log drains', path: `/projects/${shop.slug}/drains`, shown: '.drain-status' };
  const rooms = [
    { ...room, open: () => page.getByRole('button', { name: 'Add log drain' }).click() },
    { ...room, name: 'hostile log drains', path: `/projects/${other.slug}/drains` },
  ];
  expect(await roomTroubles(page, rooms)).toEqual([]);
  for (const name of names.slice(0, 5)) await page.getByText(name, { exact: true }).first().waitFor();
  expect(await page.evaluate('window.ran')).toBeUndefined();
});
