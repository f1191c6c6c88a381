/** The notifications of a project in a real browser: channels with their test and messages, and alert rules. */

import { writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
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
/** What a receiver got, and what it answers. */
const got: string[] = [];
let answer = 200;
let receiver: Server;
let url = '';

beforeAll(async () => {
  receiver = createServer((request, response) => {
    request.setEncoding('utf8').on('data', (text: string) => got.push(text));
    request.on('end', () => response.writeHead(answer).end(answer === 200 ? 'ok' : 'no_such_hook'));
  });
  await new Promise<void>((listening) => receiver.listen(0, '127.0.0.1', listening));
  url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/hook`;
  await used.operate('PATCH', '/api/system/settings', { allowPrivateEventWebhook: true });
  shop = (await used.ask('POST', '/api/projects', { name: 'Shop' })).project;
  const source = { name: 'web', repoUrl: 'https://git.example/app.git', repoFullName: null };
  web = (await used.ask('POST', `/api/projects/${shop.id}/services`, source)).service;
}, 120_000);
afterAll(() => receiver?.close());

const line = (page: Page, name: string) =>
  page.getByRole('listitem').filter({ has: page.locator('strong', { hasText: name }) });

test('a channel is made with a refusal at its field, tested, switched off and deleted', async () => {
  const { page } = await used.open(`/projects/${shop.slug}`);
  await page.getByRole('link', { name: 'Settings', exact: true }).click();
  await page.getByRole('link', { name: 'Notifications' }).click();
  await page.getByText('No channels yet').waitFor();
  await page.getByRole('button', { name: 'Add channel' }).click();
  const dialog = page.getByRole('dialog', { name: 'Add channel' });
  await dialog.getByLabel('Name').fill('ops');
  await dialog.getByLabel('Address').fill('no address');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await dialog.getByRole('alert').getByText('slack.url').waitFor();
  await dialog.getByLabel('Address').fill(url);
  await dialog.getByLabel('Events', { exact: true }).selectOption('Chosen ones');
  await dialog.getByLabel('Host disconnected').uncheck();
  await dialog.getByLabel('Quiet hours').check();
  await dialog.getByLabel('Time zone').fill('Nowhere/Land');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await dialog.getByRole('alert').getByText('IANA time zone').waitFor();
  await dialog.getByLabel('Time zone').fill('Europe/Berlin');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await line(page, 'ops').getByText('Quiet 22:00 to 07:00 (Europe/Berlin)').waitFor();
  const { channels } = await used.ask('GET', '/api/notification-channels');
  expect(channels).toMatchObject([{ name: 'ops', projectId: shop.id, kind: 'slack', enabled: true }]);
  expect(channels[0].events).toContain('deployment.failed');
  expect(channels[0].events).not.toContain('host.away');

  await page.getByRole('button', { name: 'Send test to ops' }).click();
  await page.getByText('Test accepted').waitFor();
  expect(got.length).toBe(1);
  answer = 404;
  await page.getByRole('button', { name: 'Send test to ops' }).click();
  await page.getByText('Test refused').waitFor();
  await line(page, 'ops').getByText('404').waitFor();
  await page.getByRole('button', { name: 'Switch off ops' }).click();
  await page.getByRole('button', { name: 'Switch on ops' }).waitFor();
  // The result of the test stays while the row is renewed.
  await page.getByText('Test refused').waitFor();
  await page.getByRole('button', { name: 'Edit ops' }).click();
  await page.getByLabel('Name').fill('operations');
  await page.getByRole('button', { name: 'Save' }).click();
  await line(page, 'operations').waitFor();
  await page.getByRole('button', { name: 'Delete operations' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
  await page.getByText('No channels yet').waitFor();
});

test('the messages of a channel tell what waits, how often it was tried, and why', async () => {
  answer = 500;
  const body = { name: 'hook', projectId: shop.id, events: ['*'], slack: { url } };
  await used.ask('POST', '/api/notification-channels', body);
  used.alert([{ rule: 'memory', serviceId: web.id, detail: 'Uses 95 % of 512 MB.' }]);
  await expect.poll(async () => (await used.ask('GET', '/api/alerts')).alerts.length).toBe(1);
  const { page } = await used.open(`/projects/${shop.slug}/notifications`);
  await page.getByRole('button', { name: 'Messages of hook' }).click();
  const messages = page.locator('.messages');
  await messages.getByText('its memory is nearly used up').waitFor();
  await messages.getByText('Waiting', { exact: true }).waitFor();
});

test('an alert rule is made, refused at its field, switched off, and default rules too', async () => {
  const { page } = await used.open(`/projects/${shop.slug}/notifications`);
  await page.getByRole('button', { name: 'Add rule' }).click();
  const dialog = page.getByRole('dialog', { name: 'Add rule' });
  await dialog.getByLabel('Name').fill('Busy web');
  await dialog.getByLabel('Watches').selectOption('web');
  await dialog.getByLabel('Threshold').fill('101');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await dialog.getByRole('alert').getByText('at most 100').waitFor();
  await dialog.getByLabel('Threshold').fill('90');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await line(page, 'Busy web').getByText('above 90 % for 5 min').waitFor();
  await page.getByRole('button', { name: 'Switch off Busy web' }).click();
  await page.getByRole('button', { name: 'Switch on Busy web' }).waitFor();
  await page.getByRole('button', { name: 'Switch off Memory nearly full' }).click();
  await page.getByText('Off in this project').waitFor();
  // The pressed button is the same one, with another name.
  expect(await page.evaluate("document.activeElement?.getAttribute('aria-label')")).toBe(
    'Switch on Memory nearly full',
  );
  const { rules, defaults } = await used.ask('GET', `/api/projects/${shop.id}/alert-rules`);
  expect(rules).toMatchObject([{ name: 'Busy web', serviceId: web.id, threshold: 90, enabled: false }]);
  expect(defaults.find(({ rule }: { rule: string }) => rule === 'memory')).toMatchObject({ enabled: false });
});

test('the notifications of a project keep the contract of rooms', {
  tags: ['slow', 'matrix'],
  timeout: contractTimeoutMs,
}, async () => {
  const { page } = await used.open('/');
  const rooms = [
    {
      name: 'notifications',
      path: `/projects/${shop.slug}/notifications`,
      shown: '.lines li',
      open: async () => {
        await page.getByRole('button', { name: 'Messages of hook' }).click();
        await page.locator('.messages li').first().waitFor();
      },
    },
    {
      name: 'new channel',
      path: `/projects/${shop.slug}/notifications`,
      shown: '.lines li',
      open: async () => {
        await page.getByRole('button', { name: 'Add channel' }).click();
        await page.getByLabel('Kind').selectOption('E-mail by a mail server');
        await page.getByLabel('Events', { exact: true }).selectOption('Chosen ones');
        await page.getByLabel('Quiet hours').check();
      },
    },
  ];
  expect(await roomTroubles(page, rooms)).toEqual([]);
});
