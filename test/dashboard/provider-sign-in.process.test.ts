/** Signing in at an identity provider in a real browser, with a provider on the loopback interface. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { client, startIdentityProvider } from '../support/browser/identity-provider.ts';
import { contractTimeoutMs, roomTroubles } from '../support/browser/room-contract.ts';
import { operatorToken, useDashboard } from '../support/browser/use-dashboard.ts';
import type { Person } from '../support/worker/servers/identity-server.ts';

const used = useDashboard(async (directory) => {
  const file = join(directory, 'build.log');
  await writeFile(file, 'one line');
  return file;
});

let person: Person | null = { sub: 'ada', email: 'ada@example.com', email_verified: true };
const provider = await startIdentityProvider(() => person);
afterAll(() => provider.stop());

beforeAll(async () => {
  await used.operate('PATCH', '/api/system/settings', { allowPrivateSignInProviders: true });
  const { issuer } = provider;
  const own = {
    id: 'login',
    kind: 'oidc',
    name: 'Example',
    clientId: client.id,
    clientSecret: client.secret,
  };
  await used.operate('POST', '/api/system/identity-providers', { ...own, issuer });
  const invited = { email: 'ada@example.com', name: 'Ada', role: 'owner' };
  await used.operate('POST', '/api/system/tenants/default/members', invited);
}, 60_000);

test('who is invited signs in at the provider by keyboard, and comes back to the page that was asked for', {
  tags: 'slow',
}, async () => {
  const { page } = await used.open('/members', { signedIn: false, leavesTo: provider.issuer });
  const button = page.getByRole('button', { name: 'Sign in with Example' });
  await button.focus();
  await page.keyboard.press('Enter');
  await page.locator('main').getByText('ada@example.com').waitFor();
  await page.waitForURL(`${used.url}/members`);
  expect(await page.evaluate(() => sessionStorage.length)).toBe(0);
});

test('a refusal of the provider, a stranger, and an answer that this tab has not asked for say so', {
  tags: 'slow',
}, async () => {
  const { page } = await used.open('/sign-in', { signedIn: false, leavesTo: provider.issuer });
  for (const [who, words] of [
    [null, 'The provider refused: access_denied.'],
    [{ sub: 'eve', email: 'eve@evil.example', email_verified: true }, 'is not of a member here'],
  ] as const) {
    person = who;
    await page.getByRole('button', { name: 'Sign in with Example' }).click();
    await page.getByRole('alert').filter({ hasText: words }).waitFor();
    await page.getByRole('link', { name: 'Back to the sign-in' }).click();
  }
  await page.goto(`${used.url}/sign-in/callback/login?code=x&state=y`);
  await page.getByRole('alert').filter({ hasText: 'not started in this tab' }).waitFor();
  expect(new URL(page.url()).search).toBe('');
});

test('a member adds an account with another address, sees it, signs in by it, and is warned before it is removed', {
  tags: ['slow', 'matrix'],
  timeout: contractTimeoutMs,
}, async () => {
  const invited = { email: 'grace@example.com', name: 'Grace', role: 'viewer' };
  const { link } = await used.operate('POST', '/api/system/tenants/default/members', invited);
  const { page } = await used.open(link.path, { signedIn: false, leavesTo: provider.issuer });
  const press = async (name: string) => {
    await page.getByRole('button', { name, exact: true }).focus();
    await page.keyboard.press('Enter');
  };
  await press('Sign in this browser');
  await page.getByRole('heading', { name: 'Projects', level: 1 }).waitFor();
  await page.goto('/settings');
  person = null;
  await press('Add an account at Example');
  await page.getByRole('heading', { name: 'The account was not added' }).waitFor();
  await page.getByText('The provider refused: access_denied.').waitFor();
  await page.getByRole('link', { name: 'Back to the settings' }).click();
  // Ada's, who is another member.
  person = { sub: 'ada', email: 'ada@example.com', email_verified: true };
  await press('Add an account at Example');
  await page.getByText('belongs to another member here').waitFor();
  await page.getByRole('link', { name: 'Back to the settings' }).click();
  person = { sub: 'grace', email: 'private@example.net', email_verified: true };
  await press('Add an account at Example');
  const own = page.locator('#identities');
  await own.getByRole('listitem').filter({ hasText: 'Example' }).waitFor();
  const room = {
    name: 'identities',
    path: '/settings',
    shown: '#identities li',
    open: () => page.getByRole('button', { name: 'Remove Example' }).click(),
  };
  expect(await roomTroubles(page, [room])).toEqual([]);

  await page.goto('/settings');
  await page.getByText('Browsers and command lines in which you are signed in').waitFor();
  await press('Sign out');
  await press('Sign in with Example');
  await press('Remove Example');
  await page.getByText('This is your last way to sign in').waitFor();
  await page.keyboard.press('Enter');
  await own.getByText('You have added no account yet.').waitFor();
  await press('Sign out');
  await press('Sign in with Example');
  await page.getByRole('alert').filter({ hasText: 'has removed this account' }).waitFor();
});

test('the sign-in pages keep the contract of rooms', {
  tags: ['slow', 'matrix'],
  timeout: contractTimeoutMs,
}, async () => {
  const { page } = await used.open('/sign-in', { signedIn: false });
  const troubles = await roomTroubles(page, [
    { name: 'sign-in', path: '/sign-in', shown: '.sign-in-providers' },
    { name: 'callback', path: '/sign-in/callback/login?state=y', shown: '.sign-in a' },
  ]);
  expect(troubles).toEqual([]);
});

test('the operator connects a provider, tests it, changes it and removes it, in a room that keeps the contract', {
  tags: ['slow', 'matrix'],
  timeout: contractTimeoutMs,
}, async () => {
  const { page } = await used.open('/operator/providers', { signedIn: false });
  await page.getByLabel('Operator token').fill(operatorToken);
  await page.keyboard.press('Enter');
  await page.getByRole('button', { name: 'Connect a provider' }).click();
  const field = (name: string) => page.getByRole('dialog').getByLabel(name, { exact: true });
  await field('Id').fill('No Id');
  await field('Name').fill('Second');
  await field('Issuer').fill(provider.issuer);
  await field('Client id').fill(client.id);
  await field('Client secret').fill('wrong');
  await page.keyboard.press('Enter');
  await page.getByRole('alert').filter({ hasText: '"id" must be' }).waitFor();
  await field('Id').fill('second');
  await page.keyboard.press('Enter');
  const row = page.locator('.lines > li').filter({ hasText: 'Second' });
  await row.getByText(`${used.url}/sign-in/callback/second`, { exact: true }).waitFor();
  await row.getByRole('button', { name: 'Copy Redirect address to register' }).waitFor();
  await page.getByRole('button', { name: 'Test Second' }).click();
  await row.getByText('It does not work yet').waitFor();
  await row.getByText('It refuses this client: invalid_client.').waitFor();

  await page.getByRole('button', { name: 'Edit Second' }).click();
  await field('Client secret').fill(client.secret);
  await field('Domains of addresses').fill('example.com');
  await field('People without an invitation').selectOption('viewer');
  await page.getByRole('button', { name: 'Save' }).click();
  await row.getByText('Others join as viewer').waitFor();
  await page.getByRole('button', { name: 'Test Second' }).click();
  await row.getByText('It works').waitFor();

  // As one that was connected before providers had addresses of their own.
  await used.operate('PATCH', '/api/system/identity-providers/second', { ownCallback: false });
  await page.reload();
  await row.getByText(`${used.url}/sign-in/callback`, { exact: true }).waitFor();
  await page.getByRole('button', { name: 'Edit Second' }).click();
  await page.getByLabel('Use a redirect address of this provider only').check();
  await page.getByRole('button', { name: 'Save' }).click();
  await row.getByText('Other providers may use the same address').waitFor({ state: 'detached' });
  await row.getByText(`${used.url}/sign-in/callback/second`, { exact: true }).waitFor();
  await used.operate('PATCH', '/api/system/identity-providers/second', { ownCallback: false });

  const room = {
    name: 'providers',
    path: '/operator/providers',
    shown: '.lines > li',
    open: () => page.getByRole('button', { name: 'Edit Second' }).click(),
  };
  expect(await roomTroubles(page, [room])).toEqual([]);
  await page.goto('/operator/providers');
  await page.getByRole('button', { name: 'Delete Second' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
  await row.waitFor({ state: 'detached' });
});
