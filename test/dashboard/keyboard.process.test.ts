/** Each room with the keyboard alone: every element is reached and shows its focus, dialogs give it back, and the keys of the list work. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { beforeAll, expect, test, vi } from 'vitest';
import { tabTo } from '../support/browser/by-keyboard.ts';
import { dialogTroubles, keyboardTroubles } from '../support/browser/keyboard-walk.ts';
import { operatorToken, useDashboard } from '../support/browser/use-dashboard.ts';

// Each takes some seconds in one browser, and several times that beside other files on a busy machine.
vi.setConfig({ testTimeout: 180_000 });

const used = useDashboard(async (directory) => {
  const file = join(directory, 'build.log');
  await writeFile(file, Array.from({ length: 60 }, (_, n) => `line ${n}`).join('\n'));
  return file;
});
let shop: { id: string; slug: string };
let web: { id: string };
let ledger: { id: string };
let deployment: { id: string };

interface Room {
  path: string;
  /** A selector of what is there once the room is shown. */
  shown: string;
  /** Buttons that open a dialog. */
  opens?: readonly string[];
}

beforeAll(async () => {
  shop = (await used.ask('POST', '/api/projects', { name: 'Shop' })).project;
  const services = `/api/projects/${shop.id}/services`;
  const env = [{ key: 'GREETING', value: 'hello' }];
  const source = { name: 'web', repoUrl: 'https://git.example/app.git', repoFullName: null, env };
  web = (await used.ask('POST', services, source)).service;
  deployment = await used.deploy(web.id);
  const database = { name: 'ledger', repoUrl: 'database', repoFullName: 'database:postgres' };
  ledger = (await used.ask('POST', services, database)).service;
  await used.ask('POST', `/api/services/${web.id}/domains`, { hostname: 'www.example.com' });
  await used.ask('POST', `/api/services/${web.id}/env`, { key: 'GREETING', value: 'changed' });
  const nightly = { name: 'nightly', cron: '0 3 * * *', command: 'npm run report' };
  await used.ask('POST', `/api/services/${web.id}/schedules`, nightly);
  const slack = { url: 'https://hooks.example.com/a' };
  const channel = { name: 'team', projectId: shop.id, events: ['*'], slack };
  await used.ask('POST', '/api/notification-channels', channel);
  const gone = { ...source, name: 'gone' };
  await used.ask('DELETE', `/api/services/${(await used.ask('POST', services, gone)).service.id}`);
  used.alert([{ rule: 'memory', serviceId: web.id, detail: 'Uses 95 % of 512 MB.' }]);
  await vi.waitUntil(async () => (await used.ask('GET', '/api/alerts')).alerts.length === 1, {
    timeout: 30_000,
  });
}, 120_000);

async function troublesOf(page: Page, rooms: readonly Room[]): Promise<string[]> {
  const troubles: string[] = [];
  for (const { path, shown, opens = [] } of rooms) {
    await page.goto(path);
    await page.locator(shown).first().waitFor();
    const found = await keyboardTroubles(page);
    for (const button of opens) found.push(...(await dialogTroubles(page, button)));
    troubles.push(...found.map((one) => `${path}: ${one}`));
  }
  return troubles;
}

test('each room of a project and its services is used with the keyboard alone', {
  tags: 'slow',
}, async () => {
  const { page } = await used.open('/');
  const rooms: Room[] = [
    { path: '/', shown: '.projects', opens: ['New project'] },
    { path: `/projects/${shop.slug}`, shown: '.picture-box' },
    { path: `/projects/${shop.slug}/settings`, shown: '.panel', opens: ['Edit Shop', 'Delete Shop'] },
    { path: `/projects/${shop.slug}/logs`, shown: '.log-lines, .log' },
    { path: `/projects/${shop.slug}/drains`, shown: '.lines', opens: ['Add log drain'] },
    { path: `/projects/${shop.slug}/notifications`, shown: '.lines', opens: ['Add channel', 'Add rule'] },
    { path: `/projects/${shop.slug}/new`, shown: 'form' },
    { path: `/services/${web.id}`, shown: '.records', opens: ['Stop', 'Add domain', 'Delete'] },
    { path: `/services/${web.id}/logs`, shown: '.log' },
    { path: `/services/${web.id}/metrics`, shown: '.segmented' },
    { path: `/services/${web.id}/deployments`, shown: '.deployments' },
    {
      path: `/services/${web.id}/commands`,
      shown: '.schedules strong',
      opens: ['Add schedule', 'Run a command', 'Edit nightly'],
    },
    { path: `/services/${web.id}/variables`, shown: '.rows', opens: ['Add variable', 'Paste .env'] },
    { path: `/services/${web.id}/settings`, shown: '.imports, form', opens: ['Add file', 'Add volume'] },
    { path: `/services/${ledger.id}/query`, shown: '.query-editor' },
    { path: `/services/${ledger.id}/schema`, shown: '.placeholder, .empty, .drawing' },
    { path: `/services/${ledger.id}/backups`, shown: '.imports', opens: ['Back up automatically'] },
    { path: `/deployments/${deployment.id}`, shown: '.log-row' },
    { path: '/alerts', shown: '.lines li' },
    { path: '/deleted', shown: '.lines li' },
    { path: '/settings', shown: '.panel' },
    { path: '/projects/nowhere', shown: '.empty' },
  ];
  expect(await troublesOf(page, rooms)).toEqual([]);
});

test('each room of the operator is used with the keyboard alone', { tags: 'slow' }, async () => {
  const { page } = await used.open('/operator/hosts');
  await page.getByLabel('Operator token').fill(operatorToken);
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Hosts', level: 1 }).waitFor();
  const rooms: Room[] = [
    { path: '/operator/hosts', shown: '.host', opens: ['Add host', 'Change window'] },
    { path: '/operator/keys', shown: '.lines', opens: ['New key'] },
    { path: '/operator/members', shown: 'h1' },
    { path: '/operator/audit', shown: '.lines, .rows' },
    { path: '/operator/events', shown: '.lines, .rows' },
    { path: '/operator/usage', shown: '.panel' },
    { path: '/operator/settings', shown: 'form' },
    { path: '/operator/browsers', shown: '.lines, .panel' },
  ];
  expect(await troublesOf(page, rooms)).toEqual([]);
});

test('the list of keys opens with a key, and each key of it does what it says', {
  tags: 'slow',
}, async () => {
  const { page } = await used.open('/');
  const leadsTo = (path: RegExp | string) => () => page.waitForURL(path);
  const works: Record<string, () => Promise<unknown>> = {
    'Ctrl K': async () => {
      await page.keyboard.press('ArrowDown');
      await page.locator('[role=option][aria-selected=true]').waitFor();
    },
    '/': () => page.locator('[data-filter]:focus').waitFor(),
    'g p': leadsTo('/'),
    'g a': leadsTo('/alerts'),
    'g d': leadsTo('/deleted'),
    'g s': leadsTo('/settings'),
    'g o': leadsTo('/operator/hosts'),
    'g u': leadsTo(`/projects/${shop.slug}`),
    // Only the page of a project has it.
    v: async () => {
      await page.goto(`/projects/${shop.slug}`);
      await page.locator('.picture-box').first().waitFor();
      await page.keyboard.press('v');
      await page.getByRole('table', { name: 'Apps' }).waitFor();
    },
    '?': () => page.getByRole('dialog', { name: 'Keyboard' }).waitFor(),
    Esc: async () => expect(await page.locator('dialog[open]').count()).toBe(0),
  };
  await page.keyboard.press('?');
  const list = page.getByRole('dialog', { name: 'Keyboard' });
  const listed = await list.locator('dt').evaluateAll((all) =>
    // biome-ignore lint/suspicious/noExplicitAny: elements of the page, whose types are not those of tests
    all.map((one: any) => [...one.children].map(({ textContent }: any) => textContent).join(' ')),
  );
  expect(listed.toSorted()).toEqual(Object.keys(works).toSorted());
  for (const [keys, isDone] of Object.entries(works)) {
    // Each leads elsewhere than where it is pressed.
    await page.goto(`/services/${web.id}/variables`);
    await page.locator('.rows').waitFor();
    const pressed = keys === 'Ctrl K' ? ['Control+k'] : keys === 'Esc' ? ['?', 'Escape'] : keys.split(' ');
    for (const key of pressed) await page.keyboard.press(key);
    await isDone();
  }
});

test('the link to a line of a log is copied with the keyboard alone: the search leads to it', async () => {
  const { page, context } = await used.open(`/deployments/${deployment.id}`);
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  await page.locator('.log-row').first().waitFor();
  await page.keyboard.press('/');
  await page.keyboard.type('line 42');
  await page.locator('.log-row.current').waitFor();
  await tabTo(page, page.locator('.log-number[tabindex="0"]'));
  await page.keyboard.press('Enter');
  await page.getByText(/Link to line \d+ copied/).waitFor();
});

test('a deployment that was aborted is tried again with the keyboard alone', { tags: 'slow' }, async () => {
  const { deployment: queued } = await used.ask('POST', `/api/services/${web.id}/deployments`);
  await used.ask('POST', `/api/deployments/${queued.id}/abort`);
  const { page } = await used.open(`/deployments/${queued.id}`);
  const again = page.getByRole('button', { name: 'Deploy again' });
  await again.focus();
  await page.keyboard.press('Space');
  await page.waitForURL(
    (url) => url.pathname.startsWith('/deployments/') && !url.pathname.endsWith(queued.id),
  );
  await page.getByRole('heading', { level: 1 }).getByText('Live', { exact: true }).waitFor();
});
