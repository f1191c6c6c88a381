/** The settings of a service in a real browser: values by group, refusals at their field, traffic rules, files, volumes. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { beforeAll, expect, test, vi } from 'vitest';
import { contractTimeoutMs, roomTroubles } from '../support/browser/room-contract.ts';
import { route } from '../support/browser/text-guard.ts';
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
let image: { id: string };

beforeAll(async () => {
  shop = (await used.ask('POST', '/api/projects', { name: 'Shop' })).project;
  const source = { name: 'web', repoUrl: 'https://git.example/app.git', repoFullName: null };
  web = (await used.ask('POST', `/api/projects/${shop.id}/services`, source)).service;
  const proxy = { name: 'proxy', repoUrl: 'container-image', repoFullName: null, imageRef: 'nginx:1.29' };
  image = (await used.ask('POST', `/api/projects/${shop.id}/services`, proxy)).service;
  await used.deploy(web.id);
}, 120_000);

/** Name of the control that has the focus. */
const focused = (page: Page) =>
  page.evaluate<string | null>("document.activeElement?.getAttribute('aria-label') ?? null");

const panel = (page: Page, title: string) =>
  page
    .locator('section.panel')
    .filter({ has: page.getByRole('heading', { name: title, exact: true, level: 2 }) });

test('settings are saved by group, a refusal stands at its field, and what waits is applied by a restart', async () => {
  const { page } = await used.open(`/services/${web.id}/settings`);
  const running = panel(page, 'Running');
  await running.getByLabel('Replicas').fill('99');
  await running.getByRole('button', { name: 'Save' }).click();
  await running.getByRole('alert').getByText('must be at most 10').waitFor();
  expect(await running.getByLabel('Replicas').getAttribute('aria-invalid')).toBe('true');
  // What was typed stays while the page renews itself.
  await used.ask('PATCH', `/api/services/${web.id}`, { cpuLimit: 0.5 });
  await expect.poll(() => running.getByLabel('Processor limit').inputValue()).toBe('0.5');
  expect(await running.getByLabel('Replicas').inputValue()).toBe('99');
  await running.getByLabel('Replicas').fill('2');
  await running.getByLabel('Sleep after').fill('30');
  await running.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Saved settings wait for the live version').waitFor();
  expect((await used.ask('GET', `/api/services/${web.id}`)).service).toMatchObject({
    replicas: 2,
    sleepAfterMinutes: 30,
    cpuLimit: 0.5,
    memoryLimitMb: null,
  });
  // Another browser tells the same, and what waits.
  const { page: other } = await used.open(`/services/${web.id}`);
  await other.getByText('3 settings wait for a restart').waitFor();
  await other.getByRole('link', { name: /^Configure/ }).click();
  await other.getByRole('navigation', { name: 'Configure' }).getByRole('link', { name: 'Settings' }).click();
  await other.getByText(/Replicas: 1 →\s*becomes 2/).waitFor();
  await page.getByRole('button', { name: 'Restart to apply' }).click();
  await page.getByText('Saved settings wait for the live version').waitFor({ state: 'detached' });
});

test('what was typed for one service is neither shown nor saved for another', async () => {
  const { page } = await used.open(`/services/${web.id}/settings`);
  const replicas = panel(page, 'Running').getByLabel('Replicas');
  const shows = (name: string) =>
    page.getByRole('heading', { name: new RegExp(`^${name}`), level: 1 }).waitFor();
  await replicas.waitFor();
  await route(page, `/services/${image.id}/settings`);
  await shows('proxy');
  await panel(page, 'Running').getByLabel('Replicas').fill('7');
  await route(page, `/services/${web.id}/settings`);
  await shows('web');
  const { service } = await used.ask('GET', `/api/services/${web.id}`);
  expect(await replicas.inputValue()).toBe(String(service.replicas));
  expect(await panel(page, 'Running').getByRole('button', { name: 'Discard' }).count()).toBe(0);
  await route(page, `/services/${image.id}/settings`);
  await shows('proxy');
  expect(await replicas.inputValue()).toBe('7');
});

test('on a phone the row of tabs is scrolled to the one that is shown', async () => {
  const { page } = await used.open(`/services/${web.id}/settings`, { viewport: { width: 390, height: 844 } });
  const tab = page.getByRole('link', { name: /^Configure/ });
  await tab.waitFor();
  const isInSight = async () => {
    const box = await tab.boundingBox();
    return box !== null && box.x >= 0 && box.x + box.width <= 390;
  };
  await expect.poll(isInSight).toBe(true);
});

test('a setting that was emptied is cleared, and words are sent as a list', async () => {
  await used.ask('PATCH', `/api/services/${image.id}`, { user: 'node' });
  const { page } = await used.open(`/services/${image.id}/settings`);
  const container = panel(page, 'Container');
  await container.getByLabel('Command').fill('nginx\n-g\ndaemon off;');
  await container.getByLabel('User').fill('');
  await container.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Saved.').waitFor();
  expect((await used.ask('GET', `/api/services/${image.id}`)).service).toMatchObject({
    command: ['nginx', '-g', 'daemon off;'],
    user: null,
  });
});

test('traffic rules are set together, with a refusal at the rule that it names, and passwords stay hidden', async () => {
  const { page } = await used.open(`/services/${web.id}/settings`);
  const traffic = panel(page, 'Traffic rules');
  await traffic.getByRole('button', { name: 'Add redirect' }).click();
  const redirect = traffic.getByRole('listitem', { name: 'Redirect 1' });
  await redirect.getByLabel('From path').fill('/old');
  await redirect.getByLabel('To', { exact: true }).fill('ftp://elsewhere');
  await traffic.getByRole('button', { name: 'Add for visitors' }).click();
  const header = traffic.getByRole('listitem', { name: 'Header for visitors 1' });
  await header.getByLabel('Header', { exact: true }).fill('X-Frame-Options');
  await header.getByLabel('Value').fill('DENY');
  await traffic.getByLabel('Ask visitors for a password').check();
  await traffic.getByLabel('User', { exact: true }).fill('team');
  await traffic.getByLabel('Password', { exact: true }).fill('correct horse battery');
  await traffic.getByLabel('Largest body of a request').selectOption('10 MB');
  await traffic.getByLabel('Idle timeout').selectOption('60 s');
  await traffic.getByLabel('Log requests').check();
  await traffic.getByLabel('Requests that are logged').fill('7');
  await traffic.getByRole('button', { name: 'Save' }).click();
  await redirect.getByRole('alert').getByText('must be a URL').waitFor();
  await redirect.getByLabel('To', { exact: true }).fill('/new');
  await traffic.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Traffic rules saved.').waitFor();
  const { rules } = await used.ask('GET', `/api/services/${web.id}/traffic-rules`);
  expect(rules).toMatchObject({
    redirects: [{ fromPath: '/old', to: '/new', permanent: false, keepPath: true }],
    basicAuth: { users: [{ user: 'team' }] },
    responseHeaders: [{ change: 'set', header: 'X-Frame-Options', content: 'DENY' }],
    maxBodyMegabytes: 10,
    idleTimeoutSeconds: 60,
    accessLog: { sample: 0.07 },
  });
  // Somebody else's rules are shown, and the focus stays.
  await traffic.getByLabel('Requests that are logged').focus();
  await used.ask('PUT', `/api/services/${web.id}/traffic-rules`, { ...rules, accessLog: { sample: 0.5 } });
  await expect.poll(() => traffic.getByLabel('Requests that are logged').inputValue()).toBe('50');
  expect(await page.evaluate("document.activeElement?.getAttribute('type')")).toBe('number');
  await traffic.getByLabel('Requests that are logged').fill('500');
  await traffic.getByRole('button', { name: 'Save' }).click();
  await traffic.getByRole('alert').getByText('accessLog.sample').waitFor();
  await page.reload();
  expect(await traffic.getByLabel('Password', { exact: true }).inputValue()).toBe('');
  await traffic.getByLabel('Maintenance page').check();
  await traffic.getByRole('button', { name: 'Remove redirect 1' }).click();
  await traffic.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Traffic rules saved.').waitFor();
  expect((await used.ask('GET', `/api/services/${web.id}/traffic-rules`)).rules).toMatchObject({
    redirects: [],
    maintenance: {},
    basicAuth: { users: [{ user: 'team' }] },
  });
});

test('files and volumes are added, changed and removed, and say with what they apply', async () => {
  await used.ask('PATCH', `/api/services/${web.id}`, { replicas: 1, sleepAfterMinutes: null });
  const { page } = await used.open(`/services/${web.id}/settings`);
  await page.getByRole('button', { name: 'Add file' }).click();
  const dialog = page.getByRole('dialog', { name: 'Add file' });
  await dialog.getByLabel('Path in the container').fill('etc/app.conf');
  await dialog.getByLabel('Content').fill('a = 1\n');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await dialog.getByRole('alert').getByText('absolute path').waitFor();
  await dialog.getByLabel('Path in the container').fill('/etc/app.conf');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await panel(page, 'Files').getByText('Waits for a restart').waitFor();
  expect((await used.ask('GET', `/api/services/${web.id}/files`)).files).toMatchObject([
    { path: '/etc/app.conf', content: 'a = 1\n', secret: true },
  ]);
  // A row keeps its focus while somebody else changes what it shows.
  await page.getByRole('button', { name: 'Edit /etc/app.conf' }).focus();
  const body = { path: '/etc/app.conf', content: 'a = 1 and more\n' };
  await used.ask('PUT', `/api/services/${web.id}/files`, body);
  await panel(page, 'Files').getByText('15 B').waitFor();
  expect(await focused(page)).toBe('Edit /etc/app.conf');
  await page.getByRole('button', { name: 'Delete /etc/app.conf' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
  await panel(page, 'Files').getByText('/etc/app.conf').waitFor({ state: 'detached' });

  await page.getByRole('button', { name: 'Add volume' }).click();
  const volume = page.getByRole('dialog', { name: 'Add volume' });
  await volume.getByLabel('Name').fill('uploads');
  await volume.getByLabel('Path in the container').fill('/data');
  await volume.getByLabel('Size limit').fill('512');
  await volume.getByRole('button', { name: 'Save' }).click();
  await panel(page, 'Volumes').getByText('/data').waitFor();
  await panel(page, 'Volumes').getByText('stops the old version').waitFor();
  await page.getByRole('button', { name: 'Edit uploads' }).focus();
  const { volumes } = await used.ask('GET', `/api/services/${web.id}/volumes`);
  await used.ask('PATCH', `/api/services/${web.id}/volumes/${volumes[0].id}`, { sizeMb: 256 });
  await panel(page, 'Volumes').getByText('256').waitFor();
  expect(await focused(page)).toBe('Edit uploads');
  await page.getByRole('button', { name: 'Delete uploads' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
  await panel(page, 'Volumes').getByText('/data').waitFor({ state: 'detached' });
});

test('a push deploys by a webhook whose secret is shown once, and a deploy key is made and deleted', async () => {
  const { page } = await used.open(`/services/${web.id}/settings`);
  const push = panel(page, 'Deploy on push');
  await push.getByRole('button', { name: 'Create webhook' }).click();
  await page.getByRole('dialog', { name: 'Secret of the webhook' }).locator('code').waitFor();
  await page.getByRole('button', { name: 'Done' }).click();
  await push.getByText(`/api/hooks/git/${web.id}`).waitFor();
  await push.getByRole('button', { name: 'Delete webhook' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
  await push.getByRole('button', { name: 'Create webhook' }).waitFor();
  const access = panel(page, 'Access to the repository');
  await access.getByRole('button', { name: 'Create deploy key' }).click();
  await access.getByText(/^ssh-ed25519 /).waitFor();
  await access.getByRole('button', { name: 'Set token' }).click();
  await page.getByRole('dialog').getByLabel('Access token or ssh key').fill('not-shown-again');
  await page.keyboard.press('Enter');
  await access.getByText('A token is stored').waitFor();
  await access.getByRole('button', { name: 'Delete Access to the repository' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
  await access.getByText('There is no token or deploy key yet').waitFor();
  expect((await used.ask('GET', `/api/services/${web.id}`)).service.hasGitHostToken).toBe(false);
});

test('a service gets another source, a refused one is said at its field, and what ends is said', async () => {
  const source = { name: 'moved', repoUrl: 'https://git.example/moved.git', repoFullName: null };
  const moved = (await used.ask('POST', `/api/projects/${shop.id}/services`, source)).service;
  const { page } = await used.open(`/services/${moved.id}/settings`);
  await panel(page, 'Source').getByRole('button', { name: 'Change the source' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Where it comes from').selectOption('image');
  await dialog.getByLabel('Image', { exact: true }).fill('not an image');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await dialog.getByRole('alert').waitFor();
  await dialog.getByLabel('Image', { exact: true }).fill('nginx:1.29');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Pushes to https://git.example/moved.git deploy this service no longer').waitFor();
  await panel(page, 'Source').getByText('nginx:1.29').waitFor();
  await panel(page, 'Source').getByRole('button', { name: 'Change the source' }).click();
  await dialog.getByLabel('Where it comes from').selectOption('folder');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await panel(page, 'Source').getByText('Sent by longshore up').waitFor();
  expect((await used.ask('GET', `/api/services/${moved.id}`)).service).toMatchObject({
    ...{ id: moved.id, repoUrl: 'upload', imageRef: null },
  });
});

test('a database is opened to the outside and closed again, and a service changes its port and project', async () => {
  const source = { name: 'ledger', repoUrl: 'database', repoFullName: 'database:postgres' };
  const { service } = await used.ask('POST', `/api/projects/${shop.id}/services`, source);
  const { page } = await used.open(`/services/${service.id}/settings`);
  const network = panel(page, 'Connections');
  await network.getByLabel('Reachable from outside').check();
  await network.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Saved.').waitFor();
  const saved = async () => (await used.ask('GET', `/api/services/${service.id}`)).service;
  expect((await saved()).databasePublicEnabled).toBe(true);
  const place = panel(page, 'Host and project');
  await place.getByText('To move a database, restore a backup').waitFor();
  const before = (await saved()).hostPort;
  await place.getByRole('button', { name: 'Change port' }).click();
  await page.keyboard.press('Enter');
  await expect.poll(async () => (await saved()).hostPort).not.toBe(before);
  const { project } = await used.ask('POST', '/api/projects', { name: 'Archive' });
  await page.reload();
  await place.getByRole('button', { name: 'Move to another project' }).click();
  await page.getByRole('dialog').getByLabel('Project').selectOption({ label: 'Archive' });
  await page.getByRole('dialog').getByRole('button', { name: 'Move' }).click();
  await expect.poll(async () => (await saved()).projectId).toBe(project.id);
});

test('the rooms of settings keep the contract of rooms', {
  tags: ['slow', 'matrix'],
  timeout: contractTimeoutMs,
}, async () => {
  const rules = {
    redirects: [{ fromPath: '/old', to: 'https://example.com/new', permanent: true }],
    maintenance: { retryAfterSeconds: 600, allowedAddresses: ['203.0.113.7'] },
    basicAuth: { users: [{ user: 'team', password: 'correct horse battery' }] },
    requestHeaders: [{ change: 'set', header: 'X-Environment', content: 'staging' }],
    responseHeaders: [{ change: 'remove', header: 'X-Powered-By' }],
  };
  await used.ask('PUT', `/api/services/${web.id}/traffic-rules`, rules);
  await used.ask('PATCH', `/api/services/${web.id}`, { replicas: 1, sleepAfterMinutes: null });
  await used.ask('PUT', `/api/services/${web.id}/files`, { path: '/etc/app.conf', content: 'a = 1' });
  await used.ask('POST', `/api/services/${web.id}/volumes`, {
    name: 'uploads',
    mountPath: '/data',
    sizeMb: 512,
  });
  const { page } = await used.open('/');
  const rooms = [
    {
      name: 'settings of an app',
      path: `/services/${web.id}/settings`,
      shown: '.rule',
      open: () => page.getByRole('button', { name: 'Add file' }).click(),
    },
    {
      name: 'settings of an image',
      path: `/services/${image.id}/settings`,
      shown: '.settings-room',
      open: () => page.getByRole('button', { name: 'Add volume' }).click(),
    },
  ];
  expect(await roomTroubles(page, rooms)).toEqual([]);
});
