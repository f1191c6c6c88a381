/** The room for credentials in a real browser: git hosts, GitHub Apps, registries, encrypted backups. */
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

beforeAll(async () => {
  shop = (await used.ask('POST', '/api/projects', { name: 'Shop' })).project;
}, 120_000);

const dialog = (page: Page) => page.getByRole('dialog');

test('a private registry is added by keyboard, a refusal stands at its field, and an empty password stays', async () => {
  const { page } = await used.open('/settings');
  await page.getByRole('link', { name: 'Git hosts, GitHub Apps, registries' }).click();
  await page.getByRole('button', { name: 'Add registry' }).waitFor();
  await page.keyboard.press('Control+k');
  await page.getByRole('combobox').fill('add registry');
  await page.getByRole('option', { name: /add registry/i, selected: true }).waitFor();
  await page.keyboard.press('Enter');
  await page.keyboard.type('https://ghcr.io');
  await dialog(page).getByLabel('User name').fill('octo');
  await dialog(page).getByLabel('Password or token').fill('not-shown-again');
  await page.keyboard.press('Enter');
  await dialog(page).getByRole('alert').getByText('must be a host').waitFor();
  await dialog(page).getByLabel('Host').fill('ghcr.io');
  await page.keyboard.press('Enter');
  await page.getByText('ghcr.io saved').waitFor();
  await page.getByRole('button', { name: 'Edit ghcr.io' }).click();
  await dialog(page).getByLabel('User name').fill('robot');
  await page.keyboard.press('Enter');
  await expect
    .poll(async () => (await used.ask('GET', '/api/registries')).registries)
    .toMatchObject([{ host: 'ghcr.io', username: 'robot' }]);
  expect(await page.content()).not.toContain('not-shown-again');
  await page.getByRole('button', { name: 'Delete ghcr.io' }).click();
  await dialog(page).getByText('Running versions and rollbacks do not need it').waitFor();
  await dialog(page).getByRole('button', { name: 'Delete' }).click();
  await page.getByText('No registries yet').waitFor();
});

test('a git host is added for one project, and reports the state of deployments', async () => {
  const { page } = await used.open('/credentials');
  await page.getByRole('button', { name: 'Add git host' }).click();
  await dialog(page).getByLabel('Host').fill('git.example');
  await dialog(page).getByLabel('Access token').fill('not-shown-again');
  await dialog(page).getByLabel('Projects').selectOption({ label: 'Only Shop' });
  await dialog(page).getByLabel('State of deployments').selectOption({ label: 'As commit status of GitLab' });
  await page.keyboard.press('Enter');
  await page.getByText('git.example saved').waitFor();
  expect((await used.ask('GET', '/api/git-credentials')).gitCredentials).toMatchObject([
    { host: 'git.example', projectId: shop.id, commitStatus: 'gitlab' },
  ]);
  await page.getByText('Only Shop').waitFor();
});

test('a GitHub App and a key of backups are listed, and the app is changed and deleted', async () => {
  await used.ask('POST', '/api/github-apps', { commitStatus: false });
  const { backupKey } = await used.ask('POST', '/api/backup-keys');
  const { page } = await used.open('/credentials');
  await page.getByText('Not set up yet').waitFor();
  await page.getByText(backupKey.recipient).waitFor();
  // A session may not make a key: the server refuses it.
  expect(await page.getByRole('button', { name: /Make key/ }).count()).toBe(0);
  await page.getByRole('button', { name: 'Delete github.com' }).click();
  await dialog(page).getByRole('button', { name: 'Delete' }).click();
  await page.getByText('No GitHub Apps yet').waitFor();
});

test('a browser begins a GitHub App, and the next page leads to GitHub alone', async () => {
  const { page } = await used.open('/credentials');
  await page.getByRole('button', { name: 'Connect GitHub' }).click();
  await dialog(page).getByLabel('Organization (optional)').fill('acme');
  await dialog(page).getByRole('button', { name: 'Continue to GitHub' }).click();
  await page.getByRole('heading', { name: 'Register a GitHub App' }).waitFor();
  const form = page.locator('form');
  expect(await form.getAttribute('action')).toMatch(
    /^https:\/\/github\.com\/organizations\/acme\/settings\/apps\/new\?state=/,
  );
  await form.getByRole('button', { name: 'Register at github.com' }).waitFor();
  const { githubApps } = await used.ask('GET', '/api/github-apps');
  expect(githubApps).toMatchObject([{ registered: false, deployOnPush: true, commitStatus: true }]);
  await used.ask('DELETE', `/api/github-apps/${githubApps[0].id}`);
});

test('the room for credentials keeps the contract of rooms', {
  tags: ['slow', 'matrix'],
  timeout: contractTimeoutMs,
}, async () => {
  const login = { host: 'registry.example.com:5000', username: 'robot', password: 'a-password' };
  await used.ask('POST', '/api/registries', login);
  const { page } = await used.open('/');
  const open = () => page.getByRole('button', { name: 'Add git host' }).click();
  const rooms = [{ name: 'credentials', path: '/credentials', shown: '.lines li .actions', open }];
  expect(await roomTroubles(page, rooms)).toEqual([]);
});
