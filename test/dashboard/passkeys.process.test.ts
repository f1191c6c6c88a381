/** Passkeys in a real browser: a member adds one, signs out, signs in with it, and removes it. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { beforeAll, expect, test, vi } from 'vitest';
import { contractTimeoutMs, roomTroubles } from '../support/browser/room-contract.ts';
import { useDashboard } from '../support/browser/use-dashboard.ts';
import { addAuthenticator, type VirtualAuthenticator } from '../support/browser/virtual-authenticator.ts';

// Each takes some seconds in one browser, and several times that beside other files on a busy machine.
vi.setConfig({ testTimeout: 120_000 });

const used = useDashboard(async (directory) => {
  const file = join(directory, 'build.log');
  await writeFile(file, 'one line');
  return file;
});

let address = '';
beforeAll(() => {
  address = used.url;
  // Browsers have passkeys at names only.
  used.url = address.replace('127.0.0.1', 'localhost');
});

/** Keeps the signal of each offer in the field that a page makes. */
const keepOffers = `
  globalThis.offers = [];
  const get = navigator.credentials.get.bind(navigator.credentials);
  navigator.credentials.get = (asked) => {
    if (asked.mediation === 'conditional') offers.push(asked.signal);
    return get(asked);
  };
`;

/** Waits until the page has made so many offers, of which only the last one stands. */
async function offered(page: Page, count = 1) {
  await page.waitForFunction((wanted) => {
    const { offers } = globalThis as unknown as { offers: AbortSignal[] };
    return offers.length === wanted && offers.every(({ aborted }, at) => aborted === at < wanted - 1);
  }, count);
}

let count = 0;
/** A browser in which a new member is signed in. */
async function openAsMember(role = 'owner') {
  count += 1;
  const body = { email: `ada${count}@example.com`, name: 'Ada', role };
  const { link } = await used.operate('POST', '/api/system/tenants/default/members', body);
  const { page } = await used.open(link.path, { signedIn: false });
  await page.addInitScript(keepOffers);
  await page.getByRole('button', { name: 'Sign in this browser' }).click();
  await page.getByRole('heading', { name: 'Projects', level: 1 }).waitFor();
  return page;
}

async function press(page: Page, name: string) {
  await page.getByRole('button', { name, exact: true }).focus();
  await page.keyboard.press('Enter');
}

/** The sign-in page offers passkeys at once, so nobody touches the device before a button is pressed. A device answers what is requested later. */
async function signOut(page: Page, device?: VirtualAuthenticator) {
  await device?.answers(false);
  await page.goto('/settings');
  await press(page, 'Sign out');
  await page.getByRole('heading', { name: 'Sign in to Longshore' }).waitFor();
}

async function pressTouched(page: Page, device: VirtualAuthenticator) {
  await offered(page);
  await device.answers(true);
  await press(page, 'Sign in with a passkey');
}

test('a member adds a passkey, signs in with it by keyboard, renames and removes it, and it no longer works', {
  tags: 'slow',
}, async () => {
  const page = await openAsMember('viewer');
  const device = await addAuthenticator(page);
  await page.goto('/settings');
  await page.getByText('You have no passkeys yet.').waitFor();
  await press(page, 'Add a passkey');
  await page.getByText(/^Added .* Not used yet/).waitFor();
  expect(await device.count()).toBe(1);
  await press(page, 'Add a passkey');
  await page.locator('.toast.failure').getByText('already has one of your passkeys').waitFor();

  await signOut(page, device);
  await page.goto('/sign-in?to=/settings');
  await pressTouched(page, device);
  await page.getByText(/^Added .* Last used/).waitFor();

  await press(page, 'Rename Chrome on Linux');
  await page.getByRole('dialog').getByLabel('Name').fill('Laptop');
  await page.keyboard.press('Enter');
  // While it is open, nothing else takes the focus.
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  await press(page, 'Remove Laptop');
  await page
    .getByText(/your last way to sign in.* only (another member who is an owner|the operator)/)
    .waitFor();
  await page.keyboard.press('Enter');
  await page.getByText('You have no passkeys yet.').waitFor();
});

test('a passkey that was removed in another browser signs nobody in', {
  tags: 'slow',
}, async () => {
  const page = await openAsMember();
  const device = await addAuthenticator(page);
  await page.goto('/settings');
  await press(page, 'Add a passkey');
  await page.getByText('Not used yet').waitFor();
  // As another browser does it: this device is not told, and offers it still.
  await page.evaluate(async () => {
    const { proof } = JSON.parse(localStorage.getItem('longshore-session') ?? '{}');
    const headers = { 'x-longshore-session': proof };
    const reply = await fetch('/api/passkeys', { headers });
    const { passkeys } = (await reply.json()) as { passkeys: { id: string }[] };
    for (const { id } of passkeys) await fetch(`/api/passkeys/${id}`, { method: 'DELETE', headers });
  });
  // Of another member, so that the page still has its button.
  const other = await openAsMember();
  await addAuthenticator(other);
  await other.goto('/settings');
  await press(other, 'Add a passkey');
  await other.getByText('Not used yet').waitFor();
  await signOut(page, device);
  expect(await device.count()).toBe(1);
  await pressTouched(page, device);
  await page.getByRole('alert').filter({ hasText: 'not known here any more' }).waitFor();
});

test('at an IP address both pages say where passkeys work, and have no button', {
  tags: 'slow',
}, async () => {
  const page = await openAsMember();
  await addAuthenticator(page);
  await page.goto('/settings');
  await press(page, 'Add a passkey');
  await page.getByText('Not used yet').waitFor();
  const named = used.url;
  used.url = address;
  try {
    const local = await openAsMember();
    await local.goto('/settings');
    const link = local.locator('#passkeys').getByRole('link', { name: new URL(named).host });
    expect(await link.getAttribute('href')).toBe(`${named}/settings`);
    expect(await local.getByRole('button', { name: 'Add a passkey' }).count()).toBe(0);
    await signOut(local);
    await local.getByText('Passkeys do not work at this address').waitFor();
    expect(await local.getByRole('button', { name: 'Sign in with a passkey' }).count()).toBe(0);
  } finally {
    used.url = named;
  }
});

test('a passkey that is chosen in the field signs in, and the offer ends when another way is started', {
  tags: 'slow',
}, async () => {
  const page = await openAsMember();
  const device = await addAuthenticator(page);
  await page.goto('/settings');
  await press(page, 'Add a passkey');
  await page.getByText('Not used yet').waitFor();
  // One that does not answer.
  await used.operate('PATCH', '/api/system/settings', { allowPrivateSignInProviders: true });
  const provider = {
    id: 'silent',
    kind: 'oidc',
    name: 'Silent',
    issuer: 'http://127.0.0.1:1',
    clientId: 'x',
  };
  await used.operate('POST', '/api/system/identity-providers', provider);
  try {
    await signOut(page, device);
    await page.goto('/sign-in?to=/settings');
    await offered(page, 1);
    const ways = await page
      .locator('.sign-in button, .sign-in input')
      .evaluateAll((all) => all.map((one) => one.textContent || one.getAttribute('name')));
    expect(ways).toEqual(['Sign in with Silent', 'Sign in with a passkey', 'key', 'Sign in']);
    await page.getByLabel('API key').fill('lsk_wrong');
    await page.keyboard.press('Enter');
    await page.getByRole('alert').filter({ hasText: 'not valid' }).waitFor();
    await offered(page, 2);
    await press(page, 'Sign in with Silent');
    await page.getByRole('alert').filter({ hasText: 'could not be reached' }).waitFor();
    await offered(page, 3);
    await device.answers(true);
    await page.reload();
    await page.getByText(/^Added .* Last used/).waitFor();
  } finally {
    await used.operate('DELETE', '/api/system/identity-providers/silent');
  }
});

test('the pages keep the contract of rooms', {
  tags: ['slow', 'matrix'],
  timeout: contractTimeoutMs,
}, async () => {
  const page = await openAsMember();
  const device = await addAuthenticator(page);
  await page.goto('/settings');
  await press(page, 'Add a passkey');
  await page.getByText('Not used yet').waitFor();
  const settings = {
    name: 'passkeys',
    path: '/settings',
    shown: '#passkeys li',
    open: () => page.getByRole('button', { name: /^Remove Chrome/ }).click(),
  };
  const troubles = await roomTroubles(page, [settings]);
  await page.goto('/settings');
  await signOut(page, device);
  const signIn = { name: 'passkey-sign-in', path: '/sign-in', shown: '.sign-in-providers button' };
  expect([...troubles, ...(await roomTroubles(page, [signIn]))]).toEqual([]);
});

test('a proposed passkey and the button at the same time open the page once, and its content stays', {
  tags: 'slow',
}, async () => {
  const page = await openAsMember('viewer');
  const device = await addAuthenticator(page);
  await page.goto('/settings');
  await press(page, 'Add a passkey');
  await page.getByText(/^Added .* Not used yet/).waitFor();
  await signOut(page, device);
  await offered(page);
  const [both, first] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  let finishes = 0;
  await page.route('**/api/sign-in/passkey/finish', async (route) => {
    finishes += 1;
    if (finishes === 2) both.resolve();
    await (finishes === 1 ? both.promise : first.promise);
    await route.continue();
  });
  const proposed = page.waitForRequest('**/api/sign-in/passkey/finish');
  await device.answers(true);
  await page.goto('/sign-in?to=/settings');
  await proposed;
  await press(page, 'Sign in with a passkey');
  await page.getByText(/^Added .* Last used/).waitFor();
  const opened = page.waitForResponse(
    (response) => response.url().endsWith('/api/sessions') && response.request().method() === 'POST',
  );
  first.resolve();
  await (await opened).finished();
  // What the page does with the second session is drawn by then.
  await page.evaluate('new Promise((done) => requestAnimationFrame(() => setTimeout(done)))');
  await page.getByText(/^Added .* Last used/).waitFor();
  await press(page, 'Rename Chrome on Linux');
  await page.getByRole('dialog').getByLabel('Name').waitFor();
});
