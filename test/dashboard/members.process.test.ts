/** Members in a real browser: the operator invites an owner, the owner invites others, changes and removes them. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { beforeAll, expect, test, vi } from 'vitest';
import { contractTimeoutMs, roomTroubles } from '../support/browser/room-contract.ts';
import { operatorToken, useDashboard } from '../support/browser/use-dashboard.ts';
import { scriptTexts } from '../support/script-texts.ts';

// Each takes some seconds in one browser, and several times that beside other files on a busy machine.
vi.setConfig({ testTimeout: 120_000 });

const used = useDashboard(async (directory) => {
  const file = join(directory, 'build.log');
  await writeFile(file, 'one line');
  return file;
});

beforeAll(async () => {
  await used.ask('POST', '/api/projects', { name: 'Shop' });
}, 60_000);

const invitedByOperator = async (fields: object): Promise<string> => {
  const path = '/api/system/tenants/default/members';
  return (await used.operate('POST', path, { role: 'owner', ...fields })).link.path;
};

/** A browser in which the member has opened the link. */
async function openAs(link: string) {
  const opened = await used.open(link, { signedIn: false });
  await opened.page.getByRole('button', { name: 'Sign in this browser' }).click();
  await opened.page.getByRole('heading', { name: 'Projects', level: 1 }).waitFor();
  return opened;
}

/** The link of the dialog, below the address of the instance. */
async function shownLink(page: Page): Promise<string> {
  const address = await page.getByRole('dialog').locator('code').innerText();
  await page.getByRole('button', { name: 'Done' }).click();
  expect(address).toMatch(/\/sign-in#lsk_\w+$/);
  expect(address.startsWith(used.url)).toBe(true);
  return address.slice(used.url.length);
}

test('the operator invites the first owner, who invites a developer of one project, changes and removes them', {
  tags: 'slow',
}, async () => {
  const { page: operator } = await used.open('/operator/members', { signedIn: false });
  await operator.getByLabel('Operator token').fill(operatorToken);
  await operator.keyboard.press('Enter');
  await operator.getByRole('button', { name: 'Invite' }).first().click();
  await operator.getByLabel('E-mail address').fill('ada@example.com');
  await operator.getByRole('textbox', { name: 'Name' }).fill('Ada');
  await operator.getByLabel('Role').selectOption('owner');
  await operator.getByRole('button', { name: 'Create the link' }).click();
  const ofAda = await shownLink(operator);
  await operator.getByText('Invited', { exact: true }).waitFor();

  const { page: ada } = await openAs(ofAda);
  await ada.goto('/settings');
  await ada.getByRole('link', { name: /People with access/ }).click();
  await ada.getByText('You', { exact: true }).waitFor();
  await ada.getByRole('button', { name: 'Invite' }).first().click();
  await ada.getByLabel('E-mail address').fill('grace@example.com');
  await ada.getByRole('textbox', { name: 'Name' }).fill('Grace');
  await ada.getByRole('combobox', { name: 'Projects', exact: true }).selectOption('chosen');
  await ada.getByRole('checkbox', { name: 'Shop' }).check();
  await ada.keyboard.press('Enter');
  const ofGrace = await shownLink(ada);
  await ada.goto('/settings');
  await ada.getByRole('link', { name: /Who changed what/ }).click();
  const entries = ada.locator('.lines > li');
  const invitation = entries.filter({ hasText: 'POST /api/members' }).first();
  await invitation.getByRole('button', { name: 'Only entries of Ada' }).click();
  await expect.poll(() => ada.getByRole('combobox', { name: 'Who' }).inputValue()).toMatch(/^mem_/);
  await entries.filter({ hasText: 'through key_' }).first().waitFor();
  await ada.goto('/members');

  const { page: grace } = await openAs(ofGrace);
  await grace.getByText('Shop').first().waitFor();
  await grace.goto('/settings');
  await grace.getByText('1 project').waitFor();
  expect(await grace.getByRole('link', { name: /People with access/ }).count()).toBe(0);
  await grace.goto('/members');
  await grace.getByRole('heading', { name: 'Only owners see members' }).waitFor();
  expect(await grace.getByRole('button', { name: 'Invite' }).count()).toBe(0);
  await grace.goto('/audit');
  await grace.getByText('this needs the role "owner"').waitFor();

  await ada.getByRole('button', { name: 'Change Grace' }).click();
  await ada.getByLabel('Role').selectOption('viewer');
  await ada.getByRole('button', { name: 'Save' }).click();
  await ada.getByText('Viewer', { exact: true }).waitFor();
  await grace.goto('/settings');
  await grace.getByText(/^Read/).first().waitFor();
  await grace.goto('/projects/shop/new');
  await grace.getByText('You may not create services here').waitFor();

  await ada.getByRole('button', { name: 'Remove Grace' }).click();
  await ada.getByLabel('Type Grace to confirm').fill('Grace');
  await ada.keyboard.press('Enter');
  await ada.getByRole('button', { name: 'Remove Grace' }).waitFor({ state: 'detached' });
  await grace.goto('/');
  await grace.getByRole('heading', { name: 'Sign in to Longshore' }).waitFor();
});

test('a second owner signs in on another browser by a new link, and the last owner is kept', {
  tags: 'slow',
}, async () => {
  const { page } = await openAs(await invitedByOperator({ email: 'edsger@example.com', name: 'Edsger' }));
  await page.goto('/members');
  await page.getByRole('button', { name: 'New link for Edsger' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'New link' }).click();
  const { page: other } = await openAs(await shownLink(page));
  await other.goto('/members');
  const ada = other.getByRole('button', { name: 'Remove Ada' });
  await other.getByRole('button', { name: 'Remove Edsger' }).waitFor();
  if (await ada.isVisible()) {
    await ada.click();
    await other.getByLabel('Type Ada to confirm').fill('Ada');
    await other.keyboard.press('Enter');
    await ada.waitFor({ state: 'detached' });
  }
  await other.getByRole('button', { name: 'Remove Edsger' }).click();
  await other.getByLabel('Type Edsger to confirm').fill('Edsger');
  await other.keyboard.press('Enter');
  await other.locator('.toast.failure').getByText('last owner').waitFor();
});

test('a member whose only project was deleted gets no other one by a change of the role, and another one leaves', {
  tags: 'slow',
}, async () => {
  const { project } = await used.ask('POST', '/api/projects', { name: 'Gone' });
  const { page } = await openAs(await invitedByOperator({ email: 'tony@example.com', name: 'Tony' }));
  await page.goto('/members');
  await page.getByRole('button', { name: 'Invite' }).first().click();
  await page.getByLabel('E-mail address').fill('robin@example.com');
  await page.getByRole('textbox', { name: 'Name' }).fill('Robin');
  await page.getByRole('combobox', { name: 'Projects', exact: true }).selectOption('chosen');
  await page.getByRole('button', { name: 'Create the link' }).click();
  await page.locator('.toast.failure').getByText('projects').waitFor();
  await page.getByRole('checkbox', { name: 'Gone' }).check();
  await page.getByRole('button', { name: 'Create the link' }).click();
  await shownLink(page);
  await used.ask('DELETE', `/api/projects/${project.id}`);
  await page.reload();
  await page.getByRole('button', { name: 'Change Robin' }).click();
  await page.getByLabel('Role').selectOption('viewer');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Robin changed').waitFor();
  const { members } = await used.operate('GET', '/api/system/tenants/default/members');
  expect(members.find(({ name }: { name: string }) => name === 'Robin')).toMatchObject({
    ...{ role: 'viewer', projects: [] },
  });
  const leo = { email: 'leo@example.com', name: 'Leo', role: 'viewer' };
  const { page: ofLeo } = await openAs(await invitedByOperator(leo));
  await ofLeo.goto('/settings');
  await ofLeo.getByRole('button', { name: 'Leave…' }).click();
  await ofLeo.getByLabel('Type leo@example.com to confirm').fill(leo.email);
  await ofLeo.keyboard.press('Enter');
  await ofLeo.getByText('an owner can invite you').waitFor();
  await ofLeo.getByRole('heading', { name: 'Sign in to Longshore' }).waitFor();
  const after = await used.operate('GET', '/api/system/tenants/default/members');
  expect(after.members.some(({ name }: { name: string }) => name === 'Leo')).toBe(false);
});

test('a member makes a key for a program in the browser, sees it once, and revokes it; a viewer makes none', {
  tags: 'slow',
}, async () => {
  const { page } = await openAs(
    await invitedByOperator({ email: 'keys@example.com', name: 'Kay', role: 'developer' }),
  );
  await page.goto('/settings');
  const panel = page.locator('#keys');
  await panel.getByText('You have no keys.').waitFor();
  await panel.getByRole('button', { name: 'New key' }).click();
  const dialog = page.getByRole('dialog', { name: 'New key' });
  await dialog.getByLabel('Name').fill('ci');
  const levels = await dialog.getByLabel('Level').getByRole('option').allInnerTexts();
  expect(levels.map((text) => text.split(':')[0])).toEqual(['Read', 'Deploy', 'Write']);
  await dialog.getByRole('checkbox', { name: 'Shop' }).check();
  await dialog.getByLabel('Expires in').fill('91');
  await dialog.getByRole('button', { name: 'Create key' }).click();
  await dialog.getByRole('alert').getByText('from 1 to 90').waitFor();
  await dialog.getByLabel('Unit').selectOption('Minutes');
  await dialog.getByRole('button', { name: 'Create key' }).click();
  const once = page.getByRole('dialog', { name: 'Key ci' });
  const token = await once.locator('code').innerText();
  await once.getByRole('button', { name: 'Done' }).click();
  for (const text of ['Deploy', '1 project', 'Last used never']) await panel.getByText(text).waitFor();
  const statusOf = async () =>
    (await fetch(`${used.url}/api/key`, { headers: { authorization: `Bearer ${token}` } })).status;
  expect(await statusOf()).toBe(200);
  expect(await page.content()).not.toContain(token);
  expect(
    await roomTroubles(page, [{ name: 'keys of a member', path: '/settings', shown: '#keys li' }]),
  ).toEqual([]);
  const { page: operator } = await used.open('/operator/keys', { signedIn: false });
  await operator.getByLabel('Operator token').fill(operatorToken);
  await operator.keyboard.press('Enter');
  await operator.getByText('created by Kay').waitFor();
  await panel.getByRole('button', { name: 'Revoke ci' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click();
  await panel.getByText('You have no keys.').waitFor();
  expect(await statusOf()).toBe(401);

  const { page: viewer } = await openAs(
    await invitedByOperator({ email: 'looks@example.com', name: 'Vic', role: 'viewer' }),
  );
  await viewer.goto('/settings');
  await viewer.locator('#keys').getByText('Your role makes no keys.').waitFor();
  expect(await viewer.getByRole('button', { name: 'New key' }).count()).toBe(0);
});

test('names of members never run, and the room keeps the contract of rooms', {
  tags: ['slow', 'matrix'],
  timeout: contractTimeoutMs,
}, async () => {
  const link = await invitedByOperator({ email: 'barbara@example.com', name: 'Barbara' });
  const hostile = scriptTexts.filter((text) => text.length <= 100).slice(0, 40);
  for (const [n, name] of hostile.entries())
    await invitedByOperator({ email: `hostile${n}@example.com`, name, role: 'viewer' });
  const { page } = await openAs(link);
  const rooms = [
    {
      name: 'members',
      path: '/members',
      shown: '.lines',
      open: () => page.getByRole('button', { name: 'Invite', exact: true }).click(),
    },
    { name: 'audit log', path: '/audit', shown: '.lines' },
  ];
  expect(await roomTroubles(page, rooms)).toEqual([]);
  expect(await page.evaluate('window.ran')).toBeUndefined();
});

test('the page of members says to a key who may see them, and where to go', async () => {
  const { page } = await used.open('/members');
  await page.getByRole('heading', { name: 'Only owners see members' }).waitFor();
  expect(await page.getByRole('button', { name: 'Try again' }).count()).toBe(0);
  await page.getByRole('link', { name: 'Members of all tenants, for the operator' }).click();
  await page.getByLabel('Operator token').waitFor();
});
