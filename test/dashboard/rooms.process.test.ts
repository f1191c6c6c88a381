/** The rooms around a service in a real browser: the steps to a new one, names, alerts, deletion and its undo, metrics and logs of a host that is away. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, expect, test, vi } from 'vitest';
import { contractTimeoutMs, roomTroubles } from '../support/browser/room-contract.ts';
import { useDashboard } from '../support/browser/use-dashboard.ts';
import { testCa } from '../support/issued-certificate.ts';

// Each takes some seconds in one browser, and several times that beside other files on a busy machine.
vi.setConfig({ testTimeout: 120_000 });

const used = useDashboard(async (directory) => {
  const file = join(directory, 'build.log');
  await writeFile(file, 'one line');
  return file;
});
let shop: { id: string; slug: string };
let web: { id: string };

beforeAll(async () => {
  shop = (await used.ask('POST', '/api/projects', { name: 'Shop' })).project;
  const body = { name: 'web', repoUrl: 'https://git.example/app.git', repoFullName: null };
  web = (await used.ask('POST', `/api/projects/${shop.id}/services`, body)).service;
  await used.deploy(web.id);
}, 120_000);

test('a new service comes from a repository by keyboard, with its plan, and its first deployment is followed', async () => {
  const { page } = await used.open(`/projects/${shop.slug}`);
  await page.keyboard.press('Control+k');
  await page.getByRole('combobox').fill('new service');
  await page.getByRole('option', { name: /new service/i, selected: true }).waitFor();
  await page.keyboard.press('Enter');
  await page.getByLabel('Address of the repository').fill('https://git.example/shop/checkout.git');
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Deploy checkout' }).waitFor();
  await page.getByText('Clone git.example/shop/checkout at main').waitFor();
  await page.getByRole('button', { name: 'Deploy', exact: true }).click();
  await page.waitForURL(/\/deployments\/dep_/);
  await page.getByRole('heading', { level: 1 }).getByText('Live', { exact: true }).waitFor();
  const { services } = await used.ask('GET', `/api/projects/${shop.id}/services`);
  expect(services.find(({ name }: { name: string }) => name === 'checkout')).toMatchObject({
    repoUrl: 'https://git.example/shop/checkout.git',
    status: 'active',
  });
});

test('the steps to a database need an engine and a name, and a refusal keeps what was entered', async () => {
  const { page } = await used.open(`/projects/${shop.slug}/new`);
  await page.getByRole('button', { name: 'Image', exact: true }).click();
  await page.getByRole('textbox', { name: /^Image/ }).fill('not an image');
  await page.getByRole('button', { name: 'Continue' }).click();
  await page.locator('.toast.failure').waitFor();
  expect(await page.getByRole('textbox', { name: /^Image/ }).inputValue()).toBe('not an image');
  await page.getByRole('button', { name: 'Database', exact: true }).click();
  await page.getByLabel('Redis').check();
  await page.getByLabel('Name').fill('cache');
  await page.getByRole('button', { name: 'Create and deploy' }).click();
  await page.waitForURL(/\/deployments\/dep_/);
});

test('a name is added with its exact record to copy, checked again, and removed', async () => {
  const { page, context } = await used.open(`/services/${web.id}`);
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  await page.getByRole('button', { name: 'Add domain' }).click();
  await page.getByLabel('Host name').fill('Shop.Example.com');
  await page.keyboard.press('Enter');
  await page.getByRole('link', { name: 'shop.example.com' }).waitFor();
  await page.getByRole('button', { name: 'Copy A: Name' }).click();
  await page.getByText('Copied').waitFor();
  expect(await page.evaluate('navigator.clipboard.readText()')).toBe('shop.example.com');
  await page.getByRole('button', { name: 'Check now the DNS of shop.example.com' }).click();
  await page.getByRole('button', { name: 'Remove shop.example.com' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
  await page.getByText('No custom domains').waitFor();
});

test('a domain gets a certificate of its own from one dropped file, shows what is known of it but never its key, and loses it again', async () => {
  const hostname = 'own.example.com';
  await used.ask('POST', `/api/services/${web.id}/domains`, { hostname });
  const { chain, key } = await (await testCa()).issue([hostname, 'also.example.com']);
  const other = await (await testCa()).issue(['elsewhere.example.com']);
  const { page } = await used.open(`/services/${web.id}`);
  await page.getByRole('button', { name: `Certificate of ${hostname}` }).click();
  const dialog = page.getByRole('dialog', { name: `Certificate of ${hostname}` }).first();
  await dialog.getByText('This name gets its certificate automatically.').waitFor();
  const choose = (...files: { name: string; text: string }[]) =>
    dialog
      .getByLabel('PEM files')
      .setInputFiles(
        files.map(({ name, text }) => ({ name, mimeType: 'text/plain', buffer: Buffer.from(text) })),
      );
  await choose({ name: 'notes.txt', text: 'no PEM' });
  await dialog.getByRole('alert').getByText('notes.txt is no PEM file').waitFor();
  await choose({ name: 'other.pem', text: other.chain }, { name: 'key.pem', text: key });
  await dialog.getByRole('button', { name: 'Use this certificate' }).click();
  await dialog.locator('.field-failure').getByText('elsewhere.example.com').waitFor();
  await choose({ name: 'both.pem', text: `${key}${chain}` });
  expect(await dialog.getByLabel('Certificate and chain (PEM)').inputValue()).not.toContain('PRIVATE');
  await dialog.getByRole('button', { name: 'Use this certificate' }).click();
  await dialog.getByText(`${hostname}, also.example.com`).waitFor();
  await dialog.getByText('Test CA', { exact: true }).waitFor();
  expect(await dialog.getByLabel('Private key (PEM)').inputValue()).toBe('');
  expect(await page.content()).not.toContain(key.split('\n')[1]);
  await dialog.getByRole('button', { name: 'Remove it' }).click();
  await page
    .getByRole('dialog', { name: 'Remove the certificate' })
    .getByRole('button', { name: 'Remove it' })
    .click();
  await dialog.getByText('This name gets its certificate automatically.').waitFor();
});

test('the record of a domain is set by one click, and a provider is asked for only where several have the name', async () => {
  await used.ask('POST', `/api/services/${web.id}/domains`, { hostname: 'dns.example.com' });
  const { page } = await used.open(`/services/${web.id}`);
  const set = page.getByRole('button', { name: 'Set at provider: DNS record of dns.example.com' });
  await set.click();
  await page.locator('.toast.failure').getByText('No DNS provider is connected').waitFor();
  const error =
    'The field "providerId" is missing: Cloudflare and Spaceship each have a zone for dns.example.com.';
  const several = { status: 400, json: { error, code: 'invalid_request' } };
  await page.route('**/dns-records', (route) => route.fulfill(several), { times: 1 });
  await set.click();
  const dialog = page.getByRole('dialog', { name: 'Set the DNS record of dns.example.com' });
  await dialog.getByLabel('Provider').selectOption('Spaceship');
  await dialog.getByRole('button', { name: 'Set record' }).click();
  await dialog.getByText(/Spaceship is not connected/).waitFor();
});

test('a record of somebody else is replaced only after a question that names its address, with the provider that was chosen', async () => {
  await used.ask('POST', `/api/services/${web.id}/domains`, { hostname: 'vpn.example.com' });
  const { page } = await used.open(`/services/${web.id}`);
  const sent: unknown[] = [];
  const answers = [
    { status: 400, json: { error: 'The field "providerId" is missing.', code: 'invalid_request' } },
    {
      status: 409,
      json: {
        error:
          'vpn.example.com points to 198.51.100.9, which is no host of this instance. Send "replace": true.',
        code: 'points_elsewhere',
      },
    },
    { status: 409, json: { error: 'It was asked.', code: 'conflict' } },
  ];
  await page.route('**/dns-records', (route) => {
    sent.push(route.request().postDataJSON());
    return route.fulfill(answers[sent.length - 1]);
  });
  await page.getByRole('button', { name: 'Set at provider: DNS record of vpn.example.com' }).click();
  const choice = page.getByRole('dialog', { name: 'Set the DNS record of vpn.example.com' });
  await choice.getByLabel('Provider').selectOption('Spaceship');
  await choice.getByRole('button', { name: 'Set record' }).click();
  const question = page.getByRole('dialog', { name: 'Replace the DNS record of vpn.example.com?' });
  await question
    .getByText(/points to 198\.51\.100\.9, which is no host of this instance\. Visitors of this name/)
    .waitFor();
  await question.getByRole('button', { name: 'Replace record' }).click();
  await page.locator('.toast.failure').getByText('It was asked.').waitFor();
  expect(sent).toEqual([{}, { providerId: 'spaceship' }, { providerId: 'spaceship', replace: true }]);
});

test('a service is deleted only with its name typed, undone at once, and restored from the list later', async () => {
  const body = { name: 'old', repoUrl: 'https://git.example/old.git', repoFullName: null };
  const { service } = await used.ask('POST', `/api/projects/${shop.id}/services`, body);
  const { page } = await used.open(`/services/${service.id}`);
  const remove = async () => {
    await page.getByRole('button', { name: 'Delete', exact: true }).click();
    const dialog = page.getByRole('dialog', { name: 'Delete old?' });
    await dialog.getByLabel('Type old to confirm').fill('ol');
    expect(await dialog.getByRole('button', { name: 'Delete' }).isDisabled()).toBe(true);
    await dialog.getByLabel('Type old to confirm').fill('old');
    await page.keyboard.press('Enter');
  };
  await remove();
  await page.getByRole('button', { name: 'Undo' }).click();
  await page.getByRole('heading', { level: 1, name: /old/ }).waitFor();
  await remove();
  await page.getByRole('heading', { level: 1, name: 'Projects' }).waitFor();
  await page.keyboard.press('g');
  await page.keyboard.press('d');
  await page.getByRole('button', { name: 'Restore old' }).click();
  await page.getByText('Nothing to restore').waitFor();
  expect((await used.ask('GET', `/api/services/${service.id}`)).service.name).toBe('old');
});

test('a project is renamed, and deleted with its name typed, and the deletion is undone', async () => {
  const { project } = await used.ask('POST', '/api/projects', { name: 'Attic' });
  const { page } = await used.open(`/projects/${project.slug}/settings`);
  await page.getByRole('button', { name: 'Edit Attic' }).click();
  await page.getByRole('dialog').getByLabel('Name').fill('Cellar');
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { level: 1, name: 'Cellar' }).waitFor();
  await page.getByRole('button', { name: 'Delete Cellar' }).click();
  await page.getByRole('dialog').getByLabel('Type Cellar to confirm').fill('Cellar');
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { level: 1, name: 'Projects' }).waitFor();
  await page.getByRole('button', { name: 'Undo' }).click();
  await page.getByText('Cellar restored').waitFor();
  expect((await used.ask('GET', `/api/projects/${project.id}`)).project.name).toBe('Cellar');
});

test('on a phone the bar at the bottom leads to alerts, and the account to what was deleted', async () => {
  const { page } = await used.open('/', { viewport: { width: 390, height: 844 } });
  await page.getByRole('link', { name: 'Alerts', exact: true }).click();
  await page.getByRole('heading', { name: 'Alerts', level: 1 }).waitFor();
  await page.getByRole('link', { name: 'Account' }).click();
  await page.getByRole('link', { name: 'Deleted' }).click();
  await page.getByRole('heading', { name: 'Deleted', level: 1 }).waitFor();
});

test('the first page comes although its program or style is lost on the way, and says so if they never come', async () => {
  const { page } = await used.open('/sign-in', { signedIn: false });
  const { link } = await used.ask('POST', '/api/sign-in-links');
  const button = page.getByRole('button', { name: 'Sign in this browser' });
  for (const file of ['app.js', 'style.css']) {
    await page.goto('/deleted');
    let lost = 0;
    await page.route(`**/${file}`, (route) => (lost++ < 2 ? route.abort('failed') : route.continue()));
    await page.goto(link.path);
    await expect.poll(() => lost, { timeout: 60_000 }).toBe(3);
    await button.waitFor();
    await page.unroute(`**/${file}`);
  }
  const cursor = "getComputedStyle(document.querySelector('form button')).cursor";
  await expect.poll(() => page.evaluate(cursor)).toBe('pointer');
  await page.route('**/app.js', (route) => route.abort('failed'));
  await page.goto('/deleted');
  await page.getByRole('alert').getByText('A file of this page did not arrive').waitFor();
  await page.unroute('**/app.js');
  await page.getByRole('button', { name: 'Try again' }).click();
  await page.getByLabel('API key').waitFor();
});

test('a page whose program takes long says so until it is there', async () => {
  const { page } = await used.open('/sign-in', { signedIn: false });
  await page.clock.install();
  let send = () => {};
  const held = new Promise<void>((resume) => {
    send = resume;
  });
  await page.route('**/app.js', async (route) => {
    await held;
    await route.continue();
  });
  await page.goto('/sign-in?to=/deleted', { waitUntil: 'commit' });
  await page.locator('#app').waitFor({ state: 'attached' });
  await page.clock.runFor(10_000);
  await page.getByRole('heading', { name: 'Longshore is still loading' }).waitFor();
  send();
  await page.getByLabel('API key').waitFor();
  expect(await page.getByText('still loading').count()).toBe(0);
});

test('a room opens although its file is lost on the way once', async () => {
  const { page } = await used.open('/');
  let lost = 0;
  await page.route(/chunks\/trash-/, (route) => (lost++ === 0 ? route.abort('failed') : route.continue()));
  await page.goto('/deleted');
  await page.getByRole('heading', { name: 'Deleted', level: 1 }).waitFor();
  expect(lost).toBe(2);
});

test('backups are made automatically from the room of a database on, at the times that were chosen', async () => {
  const body = { name: 'ledger', repoUrl: 'database', repoFullName: 'database:postgres' };
  const { service } = await used.ask('POST', `/api/projects/${shop.id}/services`, body);
  const { page } = await used.open(`/services/${service.id}/backups`);
  await page.getByText('Automatic: Off').waitFor();
  await page.getByRole('button', { name: 'Back up automatically' }).click();
  const dialog = page.getByRole('dialog', { name: 'Automatic backups' });
  await dialog.getByLabel('Weekly').check();
  await page.keyboard.press('Enter');
  await page.getByText(/^Automatic: .*weekly/).waitFor();
  const { settings } = await used.ask('GET', `/api/services/${service.id}/database/backups`);
  expect(settings).toMatchObject({ automaticEnabled: true, weeklyEnabled: true, storage: 'disk' });
  await page.goto(`/services/${service.id}/logs`);
  await page.getByText('Nothing is live. The output of the service appears here').waitFor();
});

test('an alert of the host is listed, acknowledged, silenced, and over when the host says so', async () => {
  used.alert([{ rule: 'memory', serviceId: web.id, detail: 'Uses 95 % of 512 MB.' }]);
  await expect.poll(async () => (await used.ask('GET', '/api/alerts')).alerts.length).toBe(1);
  const { page } = await used.open('/');
  await page.getByRole('link', { name: 'Alerts' }).click();
  await page.getByText('Uses 95 % of 512 MB.').waitFor();
  await page.getByRole('button', { name: 'Acknowledge Memory nearly full of web' }).click();
  await page.getByRole('button', { name: /Undo acknowledgement/ }).waitFor();
  await page.getByRole('button', { name: 'Silence 2 h: Memory nearly full of web' }).click();
  await page.getByText(/Silenced until/).waitFor();
  const { alerts } = await used.ask('GET', '/api/alerts');
  expect(alerts[0]).toMatchObject({
    acknowledgedAt: expect.any(String),
    silencedUntil: expect.any(String),
  });
});

test('the rooms around a service keep the contract of rooms', {
  tags: ['slow', 'matrix'],
  timeout: contractTimeoutMs,
}, async () => {
  const hostname = 'www.example.com';
  const { domain } = await used.ask('POST', `/api/services/${web.id}/domains`, { hostname });
  const { chain, key } = await (await testCa()).issue([hostname]);
  const own = { certificate: chain, privateKey: key };
  await used.ask('PUT', `/api/services/${web.id}/domains/${domain.id}/certificate`, own);
  const { page } = await used.open('/');
  const rooms = [
    {
      name: 'new service',
      path: `/projects/${shop.slug}/new`,
      shown: 'form',
      open: () => page.getByRole('button', { name: 'Database', exact: true }).click(),
    },
    {
      name: 'service with a domain',
      path: `/services/${web.id}`,
      shown: '.records',
      open: () => page.getByRole('button', { name: 'Delete', exact: true }).click(),
    },
    {
      name: 'certificate of a domain',
      path: `/services/${web.id}`,
      shown: '.records',
      async open() {
        await page.getByRole('button', { name: 'Certificate of www.example.com' }).click();
        await page.locator('.own-certificate').waitFor();
      },
    },
    { name: 'alerts', path: '/alerts', shown: '.lines' },
    { name: 'deleted', path: '/deleted', shown: '.lines' },
  ];
  expect(await roomTroubles(page, rooms)).toEqual([]);
});

test('while the host is away, its rooms say so, and the rest stays readable', async () => {
  await used.killHost();
  const { page } = await used.open(`/services/${web.id}/metrics`);
  await page
    .getByText(/not connected|offline/i)
    .first()
    .waitFor();
  await page.getByRole('navigation', { name: 'web' }).getByRole('link', { name: 'Logs' }).click();
  await page
    .getByText(/not connected|offline/i)
    .first()
    .waitFor();
  await page.getByRole('navigation', { name: 'web' }).getByRole('link', { name: 'Overview' }).click();
  await page.getByText('Live now').waitFor();
});
