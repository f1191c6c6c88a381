/** The trust policies of a project in a real browser: an owner creates, changes and deletes them, others look at them. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, expect, test, vi } from 'vitest';
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
let shop: { id: string; slug: string };

beforeAll(async () => {
  shop = (await used.ask('POST', '/api/projects', { name: 'Shop' })).project;
  const source = { name: 'web', repoUrl: 'https://git.example/app.git', repoFullName: null };
  await used.ask('POST', `/api/projects/${shop.id}/services`, source);
}, 60_000);

/** A browser in which a new member is signed in, on the page. */
async function openAs(role: string, path: string) {
  const body = { email: `${role}${Math.random()}@example.com`, name: 'Ada', role };
  const { link } = await used.operate('POST', '/api/system/tenants/default/members', body);
  const { page } = await used.open(link.path, { signedIn: false });
  await page.getByRole('button', { name: 'Sign in this browser' }).click();
  await page.getByRole('heading', { name: 'Projects', level: 1 }).waitFor();
  await page.goto(path);
  return page;
}

test('an owner trusts a repository with refusals at their fields, copies its files, changes its rules and deletes it', {
  tags: 'slow',
}, async () => {
  const page = await openAs('owner', `/projects/${shop.slug}`);
  await page.getByRole('link', { name: 'Settings', exact: true }).click();
  await page.getByRole('link', { name: 'CI', exact: true }).click();
  await page.getByText('No CI job is trusted').waitFor();
  await page.getByRole('button', { name: 'Trust a repository' }).click();
  const dialog = page.getByRole('dialog', { name: 'Trust a repository' });
  await dialog.getByLabel('Repository', { exact: true }).fill('octo-org/shop');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await dialog.getByRole('alert').getByText('name branches, tags or an environment').waitFor();
  expect(await dialog.getByLabel('Branches').getAttribute('aria-invalid')).toBe('true');
  await dialog.getByLabel('Branches').fill('main, release/*');
  await dialog.getByLabel('Minutes until a key expires').fill('3');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await dialog.getByRole('alert').getByText('from 5 to 60').waitFor();
  await dialog.getByLabel('Minutes until a key expires').fill('15');
  await dialog.getByRole('button', { name: 'Save' }).click();

  const files = page.getByRole('dialog', { name: 'Deploy from octo-org/shop' });
  const workflow = files.getByRole('region', { name: '.github/workflows/deploy.yml' });
  expect(await workflow.innerText()).toContain(`sh deploy.sh shop/web "$GITHUB_SHA"`);
  expect(await workflow.innerText()).toContain(`LONGSHORE_URL: ${used.url}`);
  await files.getByRole('region', { name: 'deploy.sh' }).getByText('longshore keys exchange').waitFor();
  await files.getByRole('button', { name: 'Done' }).click();

  const row = page.getByRole('listitem').filter({ hasText: 'octo-org/shop' });
  for (const text of [
    'GitHub',
    'Branch main, release/*',
    'Deploy, for 15 minutes',
    'Not used yet',
    'Created by Ada',
  ])
    await row.getByText(text).waitFor();
  await page.getByRole('button', { name: 'Edit octo-org/shop' }).click();
  const rules = page.getByRole('dialog', { name: 'Edit the rules for octo-org/shop' });
  await rules.getByLabel('Branches').fill('');
  await rules.getByLabel('Environment').fill('production');
  await rules.getByLabel('What the keys may do').selectOption('read');
  await rules.getByRole('button', { name: 'Save' }).click();
  for (const text of ['No rule: any branch', 'Environment production', 'Read, for 15 minutes'])
    await row.getByText(text).waitFor();
  await page.getByRole('button', { name: 'Delete octo-org/shop' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
  await page.getByText('No CI job is trusted').waitFor();
});

test('a viewer and a browser of a key see the policies without buttons that would be refused, a developer deletes them', {
  tags: 'slow',
}, async () => {
  const path = `/api/projects/${shop.id}/trust-policies`;
  const body = { provider: 'github', repository: 'octo-org/seen', branches: ['**'] };
  await used.ask('POST', path, body);
  const buttons = async (page: Awaited<ReturnType<typeof openAs>>) => {
    const row = page.getByRole('listitem').filter({ hasText: 'octo-org/seen' });
    await row.getByText('Every branch').waitFor();
    await page.getByText('Owners add and change these rules').waitFor();
    expect(await page.getByRole('button', { name: 'Trust a repository' }).count()).toBe(0);
    return await row
      .getByRole('button')
      .evaluateAll((all) => all.map((one) => one.getAttribute('aria-label')));
  };
  const files = 'Files for CI of octo-org/seen';
  expect(await buttons(await openAs('viewer', `/projects/${shop.slug}/ci`))).toEqual([files]);
  const developer = await openAs('developer', `/projects/${shop.slug}/ci`);
  expect(await buttons(developer)).toEqual([files, 'Delete octo-org/seen']);
  const { page: ofKey } = await used.open(`/projects/${shop.slug}/ci`);
  expect(await buttons(ofKey)).toEqual([files, 'Delete octo-org/seen']);
});

test('the page keeps the contract of rooms, also with hostile names', {
  tags: ['slow', 'matrix'],
  timeout: contractTimeoutMs,
}, async () => {
  const [hostile = ''] = scriptTexts.map((text) => text.replaceAll(/\s/g, ''));
  const { project } = await used.ask('POST', '/api/projects', { name: 'Long' });
  const body = {
    ...{ provider: 'github', repository: `octo-org/${'long'.repeat(20)}`, branches: [hostile] },
    environment: 'e'.repeat(255),
  };
  await used.ask('POST', `/api/projects/${project.id}/trust-policies`, body);
  const page = await openAs('owner', '/');
  const room = { path: `/projects/${project.slug}/ci`, shown: '.lines li' };
  const rooms = [
    { ...room, name: 'trust policies', open: () => page.getByRole('button', { name: 'Files for' }).click() },
    {
      ...room,
      name: 'new trust policy',
      open: () => page.getByRole('button', { name: 'Trust a repository' }).click(),
    },
  ];
  expect(await roomTroubles(page, rooms)).toEqual([]);
  expect(await page.evaluate('window.ran')).toBeUndefined();
});
