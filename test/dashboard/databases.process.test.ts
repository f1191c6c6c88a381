/** The rooms for the data of a service in a real browser, with a simulated host: imports from servers, deletion of backups, upgrades. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, expect, test, vi } from 'vitest';
import { dialogTroubles } from '../support/browser/keyboard-walk.ts';
import { contractTimeoutMs, roomTroubles } from '../support/browser/room-contract.ts';
import { useDashboard } from '../support/browser/use-dashboard.ts';

// Each takes some seconds in one browser, and several times that beside other files on a busy machine.
vi.setConfig({ testTimeout: 120_000 });

const used = useDashboard(async (directory) => {
  const file = join(directory, 'build.log');
  await writeFile(file, 'one line');
  return file;
});
// biome-ignore lint/suspicious/noExplicitAny: answers of an API under test
type Json = any;

let ledger: { id: string };
const databases: { id: string; engine: string }[] = [];
const password = 'shown-to-nobody';

beforeAll(async () => {
  const shop = (await used.ask('POST', '/api/projects', { name: 'Shop' })).project;
  for (const engine of ['postgres', 'mysql', 'redis', 'mongodb', 'clickhouse']) {
    const body = { name: `${engine}-db`, repoUrl: 'database', repoFullName: `database:${engine}` };
    const { service } = await used.ask('POST', `/api/projects/${shop.id}/services`, body);
    databases.push({ id: service.id, engine });
    await used.deploy(service.id);
  }
  ledger = databases[0] as { id: string };
}, 120_000);

test('an import from a server says what it reads and replaces, refuses at the field, and never shows the password again', async () => {
  const { page } = await used.open(`/services/${ledger.id}/backups`);
  await page.keyboard.press('Control+k');
  await page.getByRole('combobox').fill('import from');
  await page.getByRole('option', { name: /import from a server/i, selected: true }).waitFor();
  await page.keyboard.press('Enter');
  const dialog = page.getByRole('dialog', { name: 'Import into postgres-db' });
  const address = dialog.getByLabel('Address of the other server');
  expect(await address.getAttribute('type')).toBe('password');
  await page.keyboard.type(`postgres://app:${password}@db.example.com/shop?ssl=maybe`);
  await dialog.getByText('Reads “shop” of db.example.com as app.').waitFor();
  await page.keyboard.press('Enter');
  await dialog.getByRole('alert').getByText('The URL\'s parameter "ssl" is not supported').waitFor();
  await address.fill(`postgres://app:${password}@db.example.com/shop`);
  await dialog.getByLabel(/^Replace the present data/).check();
  await dialog.getByText('All tables of this database are replaced.').waitFor();
  expect(await dialog.getByRole('button', { name: 'Import', exact: true }).isDisabled()).toBe(true);
  await dialog.getByLabel('Type postgres-db to confirm').fill('postgres-db');
  await page.keyboard.press('Enter');
  await page.locator('.imports li').getByText('db.example.com/shop').waitFor();
  // The simulated host can't import: what it says is shown, with what became of the data.
  await page.locator('.imports .state-failed').waitFor();
  await page.getByText('The live data is unchanged.').waitFor();
  const everything = [
    await page.content(),
    await page.evaluate('JSON.stringify({ ...localStorage, ...sessionStorage })'),
  ];
  expect(everything.join()).not.toContain(password);
  await page.getByRole('button', { name: 'Import from a server' }).click();
  expect(await address.inputValue()).toBe('');
});

test('a backup is deleted after the page said what is lost with it, and comes back by the way back', async () => {
  const path = `/api/services/${ledger.id}/database/backups`;
  const listed = async () => (await used.ask('GET', path)).backups as Json[];
  const done = async () => (await listed()).filter(({ status }) => status === 'succeeded');
  for (const n of [1, 2]) {
    await used.ask('POST', path, { storage: 'disk' });
    await expect.poll(async () => (await done()).length, { timeout: 30_000 }).toBe(n);
  }
  const { page } = await used.open(`/services/${ledger.id}/backups`);
  const dialog = page.getByRole('dialog', { name: /^Delete the backup of/ });
  const remove = () => page.locator(`#${lastId} [aria-label^="Delete the backup"]`).click();
  const [newest, older] = await done();
  let lastId = newest.id;
  await remove();
  await dialog.getByText('This is the newest backup. The previous backup is of').waitFor();
  await page.keyboard.press('Escape');
  lastId = older.id;
  await remove();
  await dialog.getByText('Its file on the host is deleted.').waitFor();
  expect(await dialog.locator('.warning').count()).toBe(0);
  await dialog.getByRole('button', { name: 'Delete' }).click();
  await expect.poll(async () => (await done()).map(({ id }) => id)).toEqual([newest.id]);
  await page.locator(`#${older.id}`).waitFor({ state: 'detached' });
  lastId = newest.id;
  await remove();
  await dialog.getByText('This is the only backup of this database.').waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'Undo' }).click();
  await page.locator(`#${older.id}`).waitFor();
  expect((await done()).map(({ id }) => id)).toEqual([newest.id, older.id]);
});

test('an upgrade is tried on a copy first, by keyboard, and a refusal stands at the image', async () => {
  const { page } = await used.open(`/services/${ledger.id}/settings`);
  await page.getByText('No upgrades yet').waitFor();
  await page.keyboard.press('Control+k');
  await page.getByRole('combobox').fill('upgrade');
  await page.getByRole('option', { name: /upgrade/i, selected: true }).waitFor();
  await page.keyboard.press('Enter');
  const dialog = page.getByRole('dialog', { name: 'Upgrade postgres-db' });
  const image = dialog.getByLabel('Image of the new version');
  expect(await image.inputValue()).toBe('postgres:18');
  await image.fill('postgres:16');
  await page.keyboard.press('Enter');
  await dialog.getByRole('alert').getByText('names an earlier version').waitFor();
  await image.fill('postgres:18');
  await page.keyboard.press('Enter');
  const line = page.locator('.upgrades li').first();
  await line.getByText('to postgres:18').waitFor();
  // The simulated host has no such job.
  await line.getByText('Failed', { exact: true }).waitFor();
  await line.getByText('The old version keeps running.').waitFor();
  const { upgrades } = await used.ask('GET', `/api/services/${ledger.id}/database/upgrades`);
  expect(upgrades).toMatchObject([{ action: 'dry-run', toImage: 'postgres:18', status: 'failed' }]);
});

test('the rooms for data keep the contract of rooms, and the keyboard reaches what is in their dialogs', {
  tags: ['slow', 'matrix'],
  timeout: contractTimeoutMs,
}, async () => {
  const { page } = await used.open('/');
  const path = `/services/${ledger.id}/backups`;
  await page.goto(path);
  expect(await dialogTroubles(page, 'Import from a server')).toEqual([]);
  const rooms = [
    {
      name: 'import from a server',
      path,
      shown: '.imports li',
      async open() {
        await page.getByRole('button', { name: 'Import from a server' }).click();
        await page.getByLabel('Address of the other server').fill('postgres://app@db.example.com/shop');
        await page.getByLabel(/^Replace the present data/).check();
      },
    },
    {
      name: 'deletion of a backup',
      path,
      shown: '.timeline',
      open: () =>
        page
          .getByRole('button', { name: /^Delete the backup/ })
          .first()
          .click(),
    },
    {
      name: 'upgrades of a database',
      path: `/services/${ledger.id}/settings`,
      shown: '.upgrades li',
      open: () => page.getByRole('button', { name: 'Upgrade', exact: true }).click(),
    },
  ];
  expect(await roomTroubles(page, rooms)).toEqual([]);
});

test('each engine is asked by its own route, and a host that is away is told in the open dialog, which keeps the address', async () => {
  await used.killHost();
  const { page } = await used.open('/');
  const addresses = {
    postgres: 'postgres://app@db.example.com/shop',
    mysql: 'mysql://root@db.example.com/shop',
    redis: 'redis://db.example.com',
    mongodb: 'mongodb://db.example.com/shop',
    clickhouse: 'https://app@db.example.com:8443/shop',
  };
  const asked: string[] = [];
  page.on('request', (request) => {
    if (request.url().includes('/database/import/')) asked.push(new URL(request.url()).pathname);
  });
  for (const { id, engine } of databases) {
    await page.goto(`/services/${id}/backups`);
    await page.getByRole('button', { name: 'Import from a server' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Address of the other server').fill(addresses[engine as keyof typeof addresses]);
    await page.keyboard.press('Enter');
    await dialog.locator('.toast.failure').waitFor();
    await dialog.getByRole('button', { name: 'Close' }).last().click();
    expect(await dialog.getByLabel('Address of the other server').inputValue()).not.toBe('');
  }
  expect(asked).toEqual(
    databases.map(({ id, engine }) => `/api/services/${id}/database/import/${engine}-url`),
  );
});
