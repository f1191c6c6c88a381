/** What a person is told after a click, in a real browser: the tray, notifications, and errors at their field. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { beforeAll, expect, test, vi } from 'vitest';
import { useDashboard } from '../support/browser/use-dashboard.ts';

// Each takes some seconds in one browser, and several times that beside other files on a busy machine.
vi.setConfig({ testTimeout: 120_000 });

const used = useDashboard(async (directory) => {
  const file = join(directory, 'build.log');
  await writeFile(file, 'a line');
  return file;
});
let web: { id: string };

beforeAll(async () => {
  const shop = (await used.ask('POST', '/api/projects', { name: 'Shop' })).project;
  const body = { name: 'web', repoUrl: 'https://git.example/app.git', repoFullName: null };
  web = (await used.ask('POST', `/api/projects/${shop.id}/services`, body)).service;
  await used.deploy(web.id);
}, 120_000);

const tray = (page: Page) => page.locator('.toast.tray');
const press = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).click();

test('the tray follows a deployment over a change of pages until it is live, and opens it', async () => {
  const letGo = used.hold('build');
  const { page } = await used.open(`/services/${web.id}`);
  await press(page, 'Deploy');
  await tray(page)
    .getByText(/Deploying web/)
    .waitFor();
  await page.getByRole('link', { name: 'Projects', exact: true }).first().click();
  await page.waitForURL((url) => url.pathname === '/');
  await tray(page)
    .getByText(/Deploying web\s+\d+\.\d s/)
    .waitFor();
  letGo();
  await tray(page)
    .getByText(/web is live/)
    .waitFor();
  await tray(page).getByRole('link', { name: 'Open' }).click();
  await page.getByRole('heading', { level: 1 }).getByText('Live', { exact: true }).waitFor();
});

test('a failure in the tray leads to its cause, and is gone once the retry has begun', async () => {
  used.require('API_TOKEN');
  const { page } = await used.open(`/services/${web.id}`);
  await press(page, 'Deploy');
  await tray(page)
    .getByText(/Deploying web failed/)
    .waitFor();
  await tray(page).getByRole('link', { name: 'See why' }).click();
  await page.getByLabel('Set API_TOKEN').fill('x');
  await press(page, 'Save and deploy');
  await tray(page)
    .getByText(/web is live/)
    .waitFor();
  expect(await tray(page).count()).toBe(1);
});

test('a notification tells the end of a deployment to somebody who looks elsewhere, after a click that wants it', async () => {
  const { page, context } = await used.open(`/services/${web.id}`);
  await context.grantPermissions(['notifications']);
  await page.evaluate(noteNotifications);
  const letGo = used.hold('build');
  await press(page, 'Restart');
  await press(page, 'Notify me');
  await page.getByRole('button', { name: 'Notify me' }).waitFor({ state: 'detached' });
  await page.evaluate(`Object.defineProperty(document, 'visibilityState', { value: 'hidden' })`);
  letGo();
  await expect.poll(() => page.evaluate('window.noted')).toEqual(['web is live']);
});

/** Runs in the page: records what the browser would show. */
function noteNotifications(): void {
  const noted: string[] = [];
  class Noted {
    static permission = 'granted';
    static requestPermission = async () => 'granted';
    constructor(text: string) {
      noted.push(text);
    }
  }
  Object.assign(globalThis, { noted, Notification: Noted });
}

test('a host name is taken as it stands in the address bar, and a refusal stands at its field until it is mended', async () => {
  const { page } = await used.open(`/services/${web.id}`);
  await press(page, 'Add domain');
  const dialog = page.getByRole('dialog');
  const field = dialog.getByLabel('Host name');
  await field.fill('shop.example.com:8080');
  await dialog.getByRole('button', { name: 'Add domain' }).click();
  await dialog.locator('.field-failure').getByText('leave out the port').waitFor();
  expect(await page.locator('.toast').count()).toBe(0);
  await field.fill('https://Shop.Example.com/');
  await dialog.getByRole('button', { name: 'Add domain' }).click();
  await page.getByText('shop.example.com added').waitFor();
  await dialog.waitFor({ state: 'detached' });
  expect(await page.locator('.toast.failure').count()).toBe(0);
});

test('an old failure is gone once an action has succeeded', async () => {
  const { page } = await used.open(`/services/${web.id}`);
  const refuse = (route: { fulfill(answer: object): Promise<void> }) =>
    route.fulfill({ status: 409, json: { error: 'The host is busy.', code: 'conflict' } });
  await page.route('**/restart', refuse);
  await press(page, 'Restart');
  await page.locator('.toast.failure').getByText('The host is busy.').waitFor();
  await page.unroute('**/restart', refuse);
  await press(page, 'Restart');
  await tray(page).waitFor();
  expect(await page.getByText('The host is busy.').count()).toBe(0);
});

test.each([
  [1440, 900],
  [390, 844],
])('messages cover no button of the page or of a dialog at %i pixels', async (width, height) => {
  const { page } = await used.open(`/services/${web.id}`);
  await page.setViewportSize({ width, height });
  await page.route('**/restart', (route) =>
    route.fulfill({
      status: 409,
      json: { error: 'The host is busy with something long. '.repeat(3), code: 'conflict' },
    }),
  );
  await press(page, 'Restart');
  await page.locator('.toast.failure').waitFor();
  expect(await page.evaluate(coveredButtons)).toEqual([]);
  await press(page, 'Stop');
  await page.getByRole('dialog').locator('.toast.failure').waitFor();
  expect(await page.evaluate(coveredButtons)).toEqual([]);
});

/** Runs in the page: the names of buttons in sight whose middle is under a message. */
const coveredButtons = `[...document.querySelectorAll('button, a.button')].flatMap((one) => {
  const { left, top, width, height } = one.getBoundingClientRect();
  const over = document.elementFromPoint(left + width / 2, top + height / 2);
  return over?.closest('.toast') && !one.closest('.toast') ? [one.textContent] : [];
})`;
