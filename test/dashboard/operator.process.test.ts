/** The operator's rooms in a real browser: sign-in and its end, hosts, keys, audit, usage. */
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
  const hostile = scriptTexts.filter((text) => text.length <= 100);
  for (const name of hostile)
    await used.operate('POST', '/api/system/keys', { name, access: 'read', projects: 'all' });
  const { project } = await used.ask('POST', '/api/projects', { name: hostile[0] });
  await used.ask('DELETE', `/api/projects/${project.id}`);
  // They are counted a little later.
  await fetch(`${used.url}/api/key`, { headers: { authorization: 'Bearer lsk_wrong' } });
  const counted = async () =>
    (await used.operate('GET', '/api/system/failed-sign-ins')).failedSignIns.length > 0;
  await vi.waitUntil(counted, { timeout: 60_000, interval: 200 });
}, 120_000);

const signIn = async (page: Page) => {
  await page.getByLabel('Operator token').fill(operatorToken);
  await page.getByLabel('Operator token').press('Enter');
  await page.getByRole('navigation', { name: 'Instance' }).waitFor();
};

/** A page that is signed in as the operator only. */
const openAsOperator = async (path: string) => {
  const opened = await used.open(path, { signedIn: false });
  await signIn(opened.page);
  return opened;
};

test('rooms of the operator are shown to the operator only, and a session of them ends by the server and by hand', async () => {
  const { page, context } = await used.open('/');
  expect(await page.getByRole('link', { name: 'Instance' }).count()).toBe(0);
  await page.goto('/operator/hosts');
  await page.getByLabel('Operator token').fill('wrong');
  await page.keyboard.press('Enter');
  await page.getByRole('alert').getByText('not valid').waitFor();
  await signIn(page);
  await page.getByRole('link', { name: 'Instance', exact: true }).waitFor();
  expect(await page.evaluate('document.cookie')).toBe('');
  expect((await context.cookies()).every(({ httpOnly, sameSite }) => httpOnly && sameSite === 'Strict')).toBe(
    true,
  );
  expect(await page.evaluate('fetch("/api/system/keys").then(({ status }) => status)')).toBe(401);
  // A room that asks only when it is opened: that of hosts would meet the end before the click.
  await page.getByRole('link', { name: 'People' }).click();
  await page.getByRole('link', { name: 'Browsers' }).click();
  await page.getByText('This browser').waitFor();
  const { sessions } = await used.operate('GET', '/api/system/sessions');
  await used.operate('DELETE', `/api/system/sessions/${sessions.at(-1).id}`);
  await page.getByRole('link', { name: 'Activity' }).click();
  await page.getByLabel('Operator token').waitFor();
  await signIn(page);
  await page.getByRole('link', { name: 'People' }).click();
  await page.getByRole('link', { name: 'Browsers' }).click();
  await page.getByRole('button', { name: 'Sign out as operator' }).click();
  await page.getByRole('heading', { name: 'Projects', level: 1 }).waitFor();
  expect((await used.operate('GET', '/api/system/sessions')).sessions).toEqual([]);
});

test('the link of a local start signs in with the key and as the operator, each code once', async () => {
  const [own, ofOperator] = [
    (await used.ask('POST', '/api/sign-in-links')).link.path,
    (await used.operate('POST', '/api/system/sign-in-links')).link.path,
  ];
  const both = `${own},${ofOperator.split('#')[1]}`;
  const { page } = await used.open(both, { signedIn: false });
  await page.getByRole('button', { name: 'Sign in this browser' }).click();
  await page.getByRole('link', { name: 'Instance', exact: true }).click();
  await page.getByRole('heading', { name: 'Hosts', level: 1 }).waitFor();
  const { page: late } = await used.open(ofOperator, { signedIn: false });
  await late.getByRole('button', { name: 'Sign in as operator' }).click();
  await late.getByRole('alert').getByText('already been used').waitFor();
});

test('a host is drained and used again, the window of updates is set, and a new host gets one command', async () => {
  const { page } = await openAsOperator('/operator/hosts');
  const [host] = (await used.operate('GET', '/api/system/runners')).runners;
  await page.getByRole('button', { name: `Drain ${host.name}` }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Drain' }).click();
  await page.getByRole('button', { name: `Use ${host.name} again` }).waitFor();
  expect((await used.operate('GET', '/api/system/runners')).runners[0].drained).toBe(true);
  await page.getByRole('button', { name: `Use ${host.name} again` }).click();
  await page.getByRole('button', { name: `Drain ${host.name}` }).waitFor();
  await page.getByRole('button', { name: 'Change window' }).click();
  await page.getByLabel('From').fill('03:30');
  await page.getByLabel('Time zone').fill('Europe/Berlin');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('03:30 to 05:00 (Europe/Berlin), every day').waitFor();
  await page.keyboard.press('Control+k');
  await page.getByRole('combobox').fill('add host');
  await page.getByRole('option', { name: /^add/i, selected: true }).waitFor();
  await page.keyboard.press('Enter');
  await page.getByLabel('Name (optional)').fill('second');
  await page.keyboard.press('Enter');
  await page.getByText(/curl -fsSL .*LONGSHORE_TOKEN=lse_/).waitFor();
});

test('an alert about a host is taken on and silenced, a rule about it is made, and default rules are switched off for all', async () => {
  const [host] = (await used.operate('GET', '/api/system/runners')).runners;
  used.alert([{ rule: 'hostDisk', serviceId: null, detail: '95 % of the disk are used.' }]);
  const { page } = await openAsOperator('/operator/alerts');
  await page.getByText('95 % of the disk are used.').waitFor();
  const about = `Disk of the host nearly full of ${host.name}`;
  await page.getByRole('button', { name: `Acknowledge ${about}` }).click();
  await page.getByRole('button', { name: `Undo acknowledgement: ${about}` }).waitFor();
  await page.getByRole('button', { name: `Silence 2 h: ${about}` }).click();
  await page.getByRole('button', { name: `End silence of ${about}` }).click();
  await page.getByRole('button', { name: `Silence 2 h: ${about}` }).waitFor();
  expect((await used.operate('GET', '/api/system/alerts')).alerts).toMatchObject([
    { runnerId: host.id, acknowledgedBy: 'operator', silencedUntil: null },
  ]);
  await page.keyboard.press('Control+k');
  await page.getByRole('combobox').fill('add rule');
  await page.getByRole('option', { name: /^add rule/i, selected: true }).waitFor();
  await page.keyboard.press('Enter');
  const dialog = page.getByRole('dialog', { name: 'Add rule' });
  await dialog.getByLabel('Name').fill('Full disk');
  await dialog.getByLabel('Watches').selectOption(host.name);
  await dialog.getByLabel('Value').selectOption('Disk in %');
  await dialog.getByLabel('Threshold').fill('101');
  await page.keyboard.press('Enter');
  await dialog.getByRole('alert').getByText('at most 100').waitFor();
  await dialog.getByLabel('Threshold').fill('70');
  await page.keyboard.press('Enter');
  const made = page.locator('.lines > li', { hasText: 'Full disk' });
  await made.getByText('Disk in % above 70 % for 5 min').waitFor();
  await made.getByText(host.name).waitFor();
  await page.getByRole('button', { name: 'Switch off Full disk' }).click();
  await page.getByRole('button', { name: 'Switch on Full disk' }).waitFor();
  await page.getByRole('button', { name: 'Switch off Memory nearly full' }).click();
  await page.getByText('Off for the instance').waitFor();
  const { rules, defaults } = await used.operate('GET', '/api/system/alert-rules');
  expect(rules).toMatchObject([
    { name: 'Full disk', metric: 'diskPercent', runnerId: host.id, enabled: false },
  ]);
  expect(defaults).toContainEqual(expect.objectContaining({ rule: 'memory', offBy: 'instance' }));
  await page.getByRole('button', { name: 'Delete Full disk' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
  await made.waitFor({ state: 'detached' });
});

test('an open palette gets the commands of the room that opens behind it', async () => {
  const { page } = await openAsOperator('/operator/browsers');
  const late = Promise.withResolvers<void>();
  await page.route(/chunks\/keys-/, async (route) => {
    await late.promise;
    await route.continue();
  });
  await page.getByRole('link', { name: 'Keys' }).click();
  await page.keyboard.press('Control+k');
  await page.getByRole('combobox').fill('new key');
  await page.getByText('No command matches.').waitFor();
  late.resolve();
  await page.getByRole('option', { name: /^new key/i }).waitFor();
});

test('a key is made for one project, shown once, rotated and revoked', async () => {
  const { page } = await used.open('/operator/keys');
  await signIn(page);
  await page.getByRole('button', { name: 'New key' }).click();
  await page.getByRole('textbox', { name: 'Name' }).fill('ci');
  await page.getByRole('checkbox', { name: 'Shop' }).check();
  await page.getByRole('button', { name: 'Create key' }).click();
  const token = await page.getByRole('dialog').locator('code').innerText();
  await page.getByRole('button', { name: 'Done' }).click();
  await page.getByRole('button', { name: 'Rotate ci' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Rotate' }).click();
  await page.getByText('It is shown once').waitFor();
  const next = await page.getByRole('dialog').locator('code').innerText();
  await page.getByRole('button', { name: 'Done' }).click();
  expect([token, next].map((one) => /^lsk_\w+$/.test(one))).toEqual([true, true]);
  expect(next).not.toBe(token);
  const statusOf = async (key: string) =>
    (await fetch(`${used.url}/api/key`, { headers: { authorization: `Bearer ${key}` } })).status;
  expect(await statusOf(next)).toBe(200);
  await page.getByRole('button', { name: 'Revoke ci' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click();
  await page.getByRole('button', { name: 'Revoke ci' }).waitFor({ state: 'detached' });
  expect([await statusOf(token), await statusOf(next)]).toEqual([401, 401]);
});

test('browsers of a key are listed and ended by the operator, and so are failed sign-ins and the encryption key listed', async () => {
  const body = { name: 'phones', access: 'read', projects: 'all' };
  const { key, token } = await used.operate('POST', '/api/system/keys', body);
  const signInWith = (credential: string) =>
    fetch(`${used.url}/api/sessions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${credential}` },
      body: JSON.stringify({ name: 'A phone' }),
    });
  expect((await signInWith(token)).status).toBe(200);
  const { page } = await openAsOperator('/operator/keys');
  await page.getByRole('button', { name: 'Browsers of phones' }).click();
  const dialog = page.getByRole('dialog', { name: 'Browsers of phones' });
  await dialog.getByRole('button', { name: 'Sign out A phone' }).click();
  await dialog.getByText('No browser is signed in').waitFor();
  expect((await used.operate('GET', `/api/system/keys/${key.id}/sessions`)).sessions).toEqual([]);
  await page.goto('/operator/audit');
  await page.getByRole('button', { name: 'Failed sign-ins' }).click();
  await page
    .getByText(/^\d+ failed sign-ins? in a minute$/)
    .first()
    .waitFor();
  const { encryption } = await used.operate('GET', '/api/system/encryption');
  await page.goto('/operator/usage');
  await page
    .locator('section.panel', { hasText: 'Encryption key of the instance' })
    .getByText(encryption.key)
    .waitFor();
});

test('what was deleted is removed permanently with its name typed, and the operator ends the protection of a service', async () => {
  const { project } = await used.ask('POST', '/api/projects', { name: 'Attic' });
  const source = { name: 'safe', repoUrl: 'https://git.example/app.git', repoFullName: null };
  const { service } = await used.ask('POST', `/api/projects/${project.id}/services`, source);
  await used.ask('PATCH', `/api/services/${service.id}`, { protected: true });
  const { page } = await used.open('/operator/hosts');
  await signIn(page);
  await page.goto(`/services/${service.id}`);
  await page.getByRole('button', { name: 'End protection as the operator' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('button', { name: 'End protection' }).click();
  await page.getByRole('button', { name: 'Delete', exact: true }).waitFor();
  await used.ask('DELETE', `/api/projects/${project.id}`);
  await page.goto('/operator/deleted');
  await page.getByRole('button', { name: 'Remove now: project Attic' }).click();
  await dialog.getByLabel('Type Attic to confirm').fill('Atti');
  expect(await dialog.getByRole('button', { name: 'Remove permanently' }).isDisabled()).toBe(true);
  await dialog.getByLabel('Type Attic to confirm').fill('Attic');
  await page.keyboard.press('Enter');
  await page.getByRole('button', { name: 'Remove now: project Attic' }).waitFor({ state: 'detached' });
  const { deleted } = await used.ask('GET', '/api/deleted');
  expect(deleted.map(({ name }: { name: string }) => name)).not.toContain('Attic');
});

test('the audit log comes page by page, and shows only what its filters ask for', async () => {
  for (let n = 0; n < 60; n++)
    await used.operate('PATCH', '/api/system/settings', { auditDays: 300 + (n % 2) });
  await fetch(`${used.url}/api/system/keys`, { headers: { authorization: `Bearer ${used.key}` } });
  const { page } = await openAsOperator('/operator/audit');
  const lines = page.locator('.lines > li');
  await expect.poll(() => lines.count()).toBe(50);
  await page.getByRole('button', { name: 'Show more' }).click();
  await expect.poll(() => lines.count()).toBeGreaterThan(50);
  await page.getByLabel('Answers').selectOption('refused');
  await expect.poll(() => lines.count()).toBe(1);
  await page.getByRole('button', { name: 'Only entries of tests' }).click();
  await page.getByLabel('Answers').selectOption('all');
  await page.getByText('POST /api/projects', { exact: true }).first().waitFor();
  expect(await page.getByText('PATCH /api/system/settings').count()).toBe(0);
  await page.getByRole('button', { name: 'Reset filters' }).click();
  await expect.poll(() => lines.count()).toBeGreaterThanOrEqual(50);
});

test('settings of the instance are saved by group, a refusal stands at its field, and the webhook shows its secret once', async () => {
  const { page } = await openAsOperator('/operator/settings');
  const keeping = page
    .locator('section.panel')
    .filter({ has: page.getByRole('heading', { name: 'What is kept' }) });
  await keeping.getByLabel('Days of deployment logs').fill('3');
  await keeping.getByRole('button', { name: 'Save' }).click();
  await keeping.getByRole('alert').getByText('from 7').waitFor();
  await keeping.getByLabel('Days of deployment logs').fill('20');
  await keeping.getByLabel('Days of archived logs').fill('90');
  await keeping.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Settings saved.').waitFor();
  const access = page.locator('section.panel').filter({ has: page.getByRole('heading', { name: 'Access' }) });
  await access.getByLabel('Web origins').fill('https://app.example.com\nno origin');
  await access.getByLabel('Private receivers').check();
  await access.getByRole('button', { name: 'Save' }).click();
  await access.getByRole('alert').getByText('must be an https origin').waitFor();
  await access.getByLabel('Web origins').fill('https://app.example.com');
  await page.getByRole('link', { name: 'People' }).click();
  await page.getByRole('link', { name: 'Browsers' }).click();
  await page.getByText('This browser').waitFor();
  await page.getByRole('link', { name: 'Settings' }).and(page.locator('main a')).click();
  expect(await access.getByLabel('Web origins').inputValue()).toBe('https://app.example.com');
  await access.getByRole('button', { name: 'Save' }).click();
  await expect
    .poll(async () => (await used.operate('GET', '/api/system/settings')).settings)
    .toMatchObject({
      ...{ logDays: 20, logArchiveDays: 90, corsOrigins: ['https://app.example.com'] },
      allowPrivateEventWebhook: true,
    });

  const webhook = page
    .locator('section.panel')
    .filter({ has: page.getByRole('heading', { name: 'Event webhook' }) });
  await webhook.getByLabel('Address').fill(`${used.url}/healthz`);
  await webhook.getByRole('button', { name: 'Save' }).click();
  const once = page.getByRole('dialog', { name: 'Signing secret of the event webhook' });
  expect(await once.locator('code').innerText()).toMatch(/^whsec_/);
  await once.getByRole('button', { name: 'Done' }).click();
  await webhook.getByRole('button', { name: 'Send test event' }).click();
  await webhook.getByText(/^Test (taken|refused)$/).waitFor();
  expect(await page.content()).not.toContain('whsec_');
});

test('usage tells what the instance costs, what is included, what is not counted, and how that is counted', async () => {
  const { page } = await openAsOperator('/operator/usage');
  await page.getByText('About $5.00 a month').waitFor();
  await page.getByText(/not counted here: requests to the Worker/).waitFor();
  await page.getByText('npx wrangler secret put CLOUDFLARE_ANALYTICS_TOKEN').waitFor();
  const prices = page.getByRole('link', { name: 'Prices of 2026-11-22' });
  expect(await prices.getAttribute('href')).toMatch(/^https:\/\/developers\.cloudflare\.com\//);

  // As the control plane answers where Cloudflare measures, which it can't do here.
  await page.route('**/api/system/costs', async (route) => {
    const answer = await route.fetch();
    const { costs } = await answer.json();
    costs.items.push({
      ...{ name: 'objectSeconds', source: 'cloudflare', used: 480_000, included: 400_000, dollars: 1 },
    });
    costs.analytics = { isSet: true, problem: `Cloudflare refused: ${scriptTexts[0]}` };
    await route.fulfill({ response: answer, json: { costs } });
  });
  await page.reload();
  await page.getByText('480,000 GB-s').waitFor();
  await page.getByText(`Numbers of Cloudflare are missing. Cloudflare refused: ${scriptTexts[0]}`).waitFor();
  expect(await page.getByText('wrangler secret put').count()).toBe(0);
  expect(await page.evaluate('window.ran')).toBeUndefined();
});

test('events are listed with what became of them at the webhook, and their texts never run', async () => {
  const name = scriptTexts[0];
  const { project } = await used.ask('POST', '/api/projects', { name });
  await used.ask('DELETE', `/api/projects/${project.id}`);
  const { page } = await openAsOperator('/operator/events');
  const line = page.locator('.lines > li').filter({ hasText: 'Project deleted' });
  await line.first().waitFor();
  expect(await line.first().innerText()).toContain(name);
  await line
    .first()
    .getByText(/Waiting|Sent|Given up/)
    .waitFor();
  expect(await page.evaluate('window.ran')).toBeUndefined();
});

test('a tenant is created with quotas, changed and deleted', async () => {
  const { page } = await openAsOperator('/operator/usage');
  await page.getByRole('button', { name: 'New tenant' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Name').fill('Acme');
  await dialog.getByLabel('Services', { exact: true }).fill('20');
  await dialog.getByLabel('Backups, in GB').fill('1.5');
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Acme' }).waitFor();
  const acme = async () =>
    (await used.operate('GET', '/api/system/tenants')).tenants.find(
      ({ name }: { name: string }) => name === 'Acme',
    );
  expect((await acme()).quotas).toMatchObject({ services: 20, backupBytes: 1_500_000_000, projects: null });
  await page.getByRole('button', { name: 'Change quotas of Acme' }).click();
  await dialog.getByLabel('Services', { exact: true }).fill('');
  await dialog.getByLabel('Projects', { exact: true }).fill('-1');
  await page.keyboard.press('Enter');
  await dialog.getByRole('alert').getByText('whole number from 0').waitFor();
  await dialog.getByLabel('Projects', { exact: true }).fill('3');
  await page.keyboard.press('Enter');
  await expect.poll(async () => (await acme()).quotas).toMatchObject({ services: null, projects: 3 });
  await page.getByRole('button', { name: 'Delete Acme' }).click();
  await dialog.getByRole('button', { name: 'Delete' }).click();
  await expect.poll(acme).toBeUndefined();
});

test('a language model is connected, asked for explanations and deleted, and retention is changed', async () => {
  const { page } = await openAsOperator('/operator/connections');
  await page.getByRole('button', { name: 'Add model' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Kind').selectOption('anthropic');
  await dialog.getByLabel('Id').fill('claude');
  await dialog.getByLabel('API key').fill('not-shown-again');
  await dialog.getByLabel('Model').fill('a-model');
  await page.keyboard.press('Enter');
  await page.getByRole('button', { name: 'Use claude' }).click();
  await page.getByText('In use').waitFor();
  const settings = async () => (await used.operate('GET', '/api/system/settings')).settings;
  expect((await settings()).defaultAiProviderId).toBe('claude');
  await page.getByRole('button', { name: 'Stop using claude' }).click();
  await page.getByRole('button', { name: 'Use claude' }).waitFor();
  await page.getByRole('button', { name: 'Delete claude' }).click();
  await dialog.getByRole('button', { name: 'Delete' }).click();
  await page.getByText('No language models').waitFor();
  await page.goto('/operator/settings');
  await page.getByLabel('Days of ended deployments').fill('0');
  const kept = page
    .locator('section.panel')
    .filter({ has: page.getByRole('heading', { name: 'What is kept' }) });
  await kept.getByRole('button', { name: 'Save' }).click();
  await kept.getByRole('alert').waitFor();
  await page.getByLabel('Days of ended deployments').fill('60');
  await kept.getByRole('button', { name: 'Save' }).click();
  await expect.poll(async () => (await settings()).retention.deploymentDays).toBe(60);
});

test('texts never run in the rooms of the operator, and each room keeps the contract of rooms', {
  tags: ['slow', 'matrix'],
  timeout: contractTimeoutMs,
}, async () => {
  const { page } = await openAsOperator('/operator/hosts');
  const rooms = [
    {
      name: 'hosts',
      path: '/operator/hosts',
      shown: '.host',
      open: () => page.getByRole('button', { name: 'Change window' }).click(),
    },
    {
      name: 'operator alerts',
      path: '/operator/alerts',
      shown: '.one-line',
      open: () => page.getByRole('button', { name: 'Add rule' }).click(),
    },
    {
      name: 'keys',
      path: '/operator/keys',
      shown: '.lines',
      open: () => page.getByRole('button', { name: 'New key' }).click(),
    },
    {
      name: 'browsers of a key',
      path: '/operator/keys',
      shown: '.lines',
      open: async () => {
        await page.getByRole('button', { name: 'Browsers of tests' }).click();
        await page.locator('dialog .lines').waitFor();
      },
    },
    {
      name: 'audit',
      path: '/operator/audit',
      shown: '.lines',
      open: async () => {
        await page.getByRole('button', { name: 'Failed sign-ins' }).click();
        await page.getByText('in a minute').first().waitFor();
      },
    },
    {
      name: 'operator deleted',
      path: '/operator/deleted',
      shown: '.lines li .button',
      open: () => page.getByRole('button', { name: 'Remove now' }).first().click(),
    },
    { name: 'events', path: '/operator/events', shown: '.lines' },
    { name: 'instance settings', path: '/operator/settings', shown: '.panel' },
    {
      name: 'usage',
      path: '/operator/usage',
      shown: '.costs',
      open: () => page.getByRole('button', { name: 'New tenant' }).click(),
    },
    {
      name: 'connections',
      path: '/operator/connections',
      shown: '.lines li .actions',
      open: () => page.getByRole('button', { name: 'Add model' }).click(),
    },
    { name: 'browsers', path: '/operator/browsers', shown: '.lines' },
  ];
  expect(await roomTroubles(page, rooms)).toEqual([]);
  expect(await page.evaluate('window.ran')).toBeUndefined();
});

test('a host that vanished keeps its facts, with the time since when it is away', async () => {
  await used.killHost();
  const { page } = await openAsOperator('/operator/hosts');
  await page.getByText(/Has not answered for/).waitFor();
  await page.getByText('Not measured: it does not answer.').waitFor();
});

test('what is open in a row stays when the list is renewed with other data: a question, and a key that is shown once', async () => {
  const { page } = await openAsOperator('/operator/keys');
  const made = await used.operate('POST', '/api/system/keys', {
    name: 'used',
    access: 'read',
    projects: 'all',
  });
  const use = async () => {
    const reply = await fetch(`${used.url}/api/key`, { headers: { authorization: `Bearer ${made.token}` } });
    expect(reply.status).toBe(200);
  };
  await page.reload();
  await page.getByRole('button', { name: 'Rotate used' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Rotate' }).click();
  const shown = page.getByRole('dialog').locator('code');
  const token = await shown.innerText();
  // The list tells the last use, so its row is another one now. A return to the tab asks for it again.
  await use();
  const renewed = page.waitForResponse((reply) => reply.url().includes('/api/system/keys'));
  await page.evaluate(returnToTab);
  await renewed;
  await page.locator('.lines li', { hasText: 'used' }).getByText(/ago/).first().waitFor();
  expect(await shown.innerText()).toBe(token);
});

/** Runs in the page: what the browser tells it when somebody returns, once what it shows is old enough to be asked for again. */
const returnToTab = `(() => {
  Date.now = ((now) => () => now() + 60_000)(Date.now);
  document.dispatchEvent(new Event('visibilitychange', { bubbles: true }));
})()`;
