/**
 * Takes the pictures of the dashboard for the documentation, from a running instance: `npm run pictures -- <url> <key>`. It creates a project
 * "Bookshop" with a database and uses everything else as it is: `npm start` has the example app.
 */
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Page } from 'playwright-core';
import { createClient, type LongshoreClient } from '../../../client/client.ts';
import { startChromium } from './chromium.ts';

const directory = fileURLToPath(new URL('../../../docs/pictures', import.meta.url));
const [, , url = 'http://127.0.0.1:8787', token = ''] = process.argv;
const deployWaitSeconds = 200;

const fill = [
  'create table customers (id bigint primary key, name text, email text, active boolean, balance numeric(30,10), joined timestamptz, profile jsonb)',
  `insert into customers select n, (array['Ada','Grace','Alan','Edsger','Barbara','Donald'])[1 + n % 6] || ' ' || n, 'c' || n || '@example.com', n % 3 <> 0,
    9007199254740993.1234567891 + n, timestamptz '2026-01-01' + n * interval '7 hours', jsonb_build_object('plan', case when n % 2 = 0 then 'pro' else 'free' end)
    from generate_series(1, 230) n`,
  'create table orders (id int primary key, customer bigint, total numeric(12,2))',
  'insert into orders select n, n % 20, n * 1.5 from generate_series(1, 400) n',
];

/** @returns the id of a database with data */
async function prepare(api: LongshoreClient): Promise<string> {
  const { projects } = await api.all('GET /api/projects');
  const known = projects.find(({ name }) => name === 'Bookshop');
  const database = known?.services.find(({ name }) => name === 'orders');
  if (database) return database.id;
  const body = { name: 'Bookshop', description: 'The shop, its database and its cache' };
  const { project } = await api.call('POST /api/projects', { body });
  const { service } = await api.call('POST /api/projects/:projectId/services', {
    params: { projectId: project.id },
    body: { name: 'orders', repoUrl: 'database', repoFullName: 'database:postgres' },
  });
  const params = { serviceId: service.id };
  const { deployment } = await api.call('POST /api/services/:serviceId/deployments', { params });
  await api.call('GET /api/deployments/:deploymentId', {
    params: { deploymentId: deployment.id },
    query: { wait: deployWaitSeconds },
  });
  for (const sql of fill)
    await api.call('POST /api/services/:serviceId/database/query', { params, body: { sql } });
  return service.id;
}

const edit = async (page: Page) => {
  await page
    .getByRole('link', { name: /customers/ })
    .last()
    .click();
  await page.locator('[data-cell="1 1"]').dblclick();
  await page.getByLabel('New value of name').fill('Ada Lovelace');
  await page.keyboard.press('Enter');
};
const ask = async (page: Page) => {
  await page
    .getByLabel('SQL statement')
    .fill("select profile->>'plan' as plan, count(*), sum(balance)\nfrom customers\ngroup by 1");
  await page.keyboard.press('Control+Enter');
  await page.locator('.grid td').first().waitFor();
};

const api = createClient({ url, token });
const database = await prepare(api);
const { projects } = await api.all('GET /api/projects');
const hello = projects.flatMap(({ services }) => services).find(({ name }) => name === 'hello');
const { deployments } = await api.call('GET /api/services/:serviceId/deployments', {
  params: { serviceId: hello?.id ?? database },
});
const pictures = [
  { name: 'projects', path: '/', shown: '.projects' },
  { name: 'service', path: `/services/${hello?.id ?? database}`, shown: '.columns' },
  { name: 'deployment', path: `/deployments/${deployments.at(-1)?.id}`, shown: '.log-row' },
  { name: 'data', path: `/services/${database}/data`, shown: '.table-list li a', open: edit },
  { name: 'query', path: `/services/${database}/query`, shown: '.query-editor', open: ask },
  { name: 'metrics', path: `/services/${hello?.id ?? database}/metrics`, shown: '.chart', isDark: true },
];

const browser = await startChromium();
const page = await browser.newPage({
  baseURL: url,
  viewport: { width: 1280, height: 800 },
  reducedMotion: 'reduce',
});
await page.goto('/sign-in');
await page.getByLabel('API key').fill(token);
await page.keyboard.press('Enter');
await page.getByRole('heading', { name: 'Projects', level: 1 }).waitFor();
for (const { name, path, shown, open, isDark } of pictures) {
  await page.emulateMedia({ colorScheme: isDark ? 'dark' : 'light' });
  await page.goto(path);
  await page.locator(shown).first().waitFor();
  await open?.(page);
  // The message of the last action would cover the content.
  await page.locator('.toast').first().waitFor({ state: 'detached' });
  await page.screenshot({ path: join(directory, `${name}.png`) });
  console.log(name);
}
await browser.close();
