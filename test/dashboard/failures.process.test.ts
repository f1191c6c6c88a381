/** From a failure to its cause and to a live version, in a real browser, with the clicks counted. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Locator, Page } from 'playwright-core';
import { beforeAll, expect, test, vi } from 'vitest';
import { contractTimeoutMs, roomTroubles } from '../support/browser/room-contract.ts';
import { useDashboard } from '../support/browser/use-dashboard.ts';

// Each takes some seconds in one browser, and several times that beside other files on a busy machine.
vi.setConfig({ testTimeout: 120_000 });

const buildLog = Array.from({ length: 60 }, (_, n) => `step ${n + 1} of the build`);
const used = useDashboard(async (directory) => {
  const file = join(directory, 'build.log');
  await writeFile(file, buildLog.join('\n'));
  return file;
});
let web: { id: string };
let failed: { id: string };
let live: { id: string };

beforeAll(async () => {
  const shop = (await used.ask('POST', '/api/projects', { name: 'Shop' })).project;
  const body = { name: 'web', repoUrl: 'https://git.example/app.git', repoFullName: null };
  web = (await used.ask('POST', `/api/projects/${shop.id}/services`, body)).service;
  live = await used.deploy(web.id);
  used.require('STRIPE_KEY');
  failed = await used.deploy(web.id);
}, 120_000);

const cause = 'The variable STRIPE_KEY is not set.';
const wanted = 'Error: the environment variable STRIPE_KEY is not set';
const panel = (page: Page) => page.locator('.panel.attention');

/** Counts what a person presses. */
function presses() {
  let count = 0;
  return {
    count: () => count,
    async click(what: Locator) {
      count += 1;
      await what.click();
    },
  };
}

test('the cause of a failed build is one click from the first screen, with the lines around the error and what serves', async () => {
  const { page } = await used.open('/');
  const person = presses();
  await person.click(page.getByRole('region', { name: 'Now' }).getByRole('link', { name: 'See why: web' }));
  await panel(page).getByText(cause).waitFor();
  expect(person.count()).toBe(1);
  expect(await panel(page).locator('.is-error').allInnerTexts()).toEqual([expect.stringContaining(wanted)]);
  expect(await panel(page).locator('.error-lines li').count()).toBe(10);
  await panel(page)
    .getByText(/keeps serving, since \d\d:\d\d:\d\d/)
    .waitFor();
  expect(await panel(page).locator('.serving a').getAttribute('href')).toBe(`/deployments/${live.id}`);
  // The log is open at the error.
  await page.locator('.log-row.target').getByText(wanted).waitFor();
});

test('the block of the service shows the cause of its failed deployment without a click', async () => {
  const { page } = await used.open(`/services/${web.id}`);
  await panel(page).getByText(cause).waitFor();
  await panel(page).getByRole('link', { name: 'Open log' }).click();
  await page.waitForURL(`**/deployments/${failed.id}`);
});

test('rooms with an explained failure keep the contract', { timeout: contractTimeoutMs }, async () => {
  const { page } = await used.open('/');
  const rooms = [
    { name: 'failed deployment', path: `/deployments/${failed.id}`, shown: '.error-lines' },
    { name: 'service with a failure', path: `/services/${web.id}`, shown: '.error-lines' },
  ];
  expect(await roomTroubles(page, rooms)).toEqual([]);
});

test('a variable that is refused says so at its field, and nothing is deployed', async () => {
  const { page } = await used.open(`/deployments/${failed.id}`);
  await page.route('**/env', (route) =>
    route.fulfill({
      status: 400,
      json: { error: 'The field "value" is too long.', code: 'invalid_request' },
    }),
  );
  await page.getByLabel('Set STRIPE_KEY').fill('x');
  await page.getByRole('button', { name: 'Save and deploy' }).click();
  await page.locator('.field-failure').getByText('The field "value" is too long.').waitFor();
  expect(new URL(page.url()).pathname).toBe(`/deployments/${failed.id}`);
  // What was typed stays while the page renews its data.
  const { name } = (await used.ask('GET', `/api/services/${web.id}`)).service;
  await used.ask('PATCH', `/api/services/${web.id}`, { name: `${name} 2` });
  await page.getByRole('link', { name: `${name} 2` }).waitFor();
  expect(await page.getByLabel('Set STRIPE_KEY').inputValue()).toBe('x');
  await used.ask('PATCH', `/api/services/${web.id}`, { name });
});

test('a missing variable is set and the version is live with at most three clicks on the failed page', async () => {
  const { page } = await used.open(`/deployments/${failed.id}`);
  const person = presses();
  const field = page.getByLabel('Set STRIPE_KEY');
  await person.click(field);
  await page.keyboard.type('sk_live_1');
  await person.click(page.getByRole('button', { name: 'Save and deploy' }));
  await page.waitForURL((url) => /^\/deployments\//.test(url.pathname) && !url.pathname.endsWith(failed.id));
  await page.getByRole('heading', { level: 1 }).getByText('Live', { exact: true }).waitFor();
  expect(person.count()).toBeLessThanOrEqual(3);
});

test('a key that may only read sees the cause, and no button that would be refused', async () => {
  const newKey = { name: 'reader', access: 'read', projects: 'all', expiresInDays: null };
  const { token } = await used.operate('POST', '/api/system/keys', newKey);
  const { page } = await used.open(`/deployments/${failed.id}`, { key: token });
  await panel(page).getByText(cause).waitFor();
  expect(
    await panel(page)
      .getByRole('button', { name: /Save|Deploy|Roll back|Restart/ })
      .count(),
  ).toBe(0);
});
