/** From a source to a deployment in a real browser. The host reads real repositories; its deployments are simulated. */
import { once } from 'node:events';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { contractTimeoutMs, roomTroubles } from '../support/browser/room-contract.ts';
import { useDashboard } from '../support/browser/use-dashboard.ts';
import { commitRepository } from '../support/runner/repository.ts';
import { type GitServer, serveGit } from '../support/servers/git-server.ts';

// Each takes some seconds in one browser, and several times that beside other files on a busy machine.
vi.setConfig({ testTimeout: 120_000 });

const used = useDashboard(async (directory) => {
  const file = join(directory, 'build.log');
  await writeFile(file, 'one line');
  return file;
});

let root: string;
let server: GitServer;
let privateServer: GitServer;
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'longshore-sources-'));
  const git = join(root, 'git');
  commitRepository(git, 'shop', {
    'package.json': JSON.stringify({
      scripts: { start: 'node server.js' },
      dependencies: { next: '15', pg: '8', ioredis: '5' },
    }),
    'package-lock.json': '{"lockfileVersion":3,"packages":{}}',
    '.env.example':
      '# Where orders are kept\nDATABASE_URL=postgres://localhost/shop\n# Of the payment provider\nSTRIPE_KEY=\nLOG_LEVEL=info\n',
    'server.js': 'const cache = process.env.REDIS_URL;\napp.listen(3000);\n',
  });
  commitRepository(git, 'site', { 'index.html': '<h1>hello</h1>' });
  commitRepository(git, 'jobs', {
    'package.json': JSON.stringify({ scripts: { start: 'node work.js' } }),
    Procfile: 'worker: node work.js',
    'work.js': 'setInterval(() => {}, 1e6)',
  });
  commitRepository(git, 'tool', {
    Dockerfile: 'FROM debian\nARG API_URL\nEXPOSE 4000\nVOLUME /var/lib/tool\nUSER app',
  });
  const app = (name: string) => JSON.stringify({ name, scripts: { start: 'node .' } });
  commitRepository(git, 'mono', {
    'package.json': JSON.stringify({ private: true, workspaces: ['apps/*'] }),
    'package-lock.json': '{"lockfileVersion":3,"packages":{}}',
    'apps/api/package.json': app('api'),
    'apps/api/index.js': 'app.listen(4100); process.env.API_TOKEN',
    'apps/web/package.json': app('web'),
    'apps/web/index.js': 'app.listen(4200)',
  });
  server = await serveGit(git);
  privateServer = await serveGit(git, { password: 'canary-token' });
});
afterAll(async () => {
  await server.close();
  await privateServer.close();
  await rm(root, { recursive: true, force: true });
});

let project: { id: string; slug: string };
beforeEach(async () => {
  project = (await used.ask('POST', '/api/projects', { name: `p${crypto.randomUUID().slice(0, 8)}` }))
    .project;
});

const newPage = () => `/projects/${project.slug}/new`;
const services = async () => (await used.ask('GET', `/api/projects/${project.id}/services`)).services;

/** Opens the page and gives it this source. */
async function reading(source: string): Promise<Page> {
  const { page } = await used.open(newPage());
  await page.getByLabel('Repository or image').fill(source);
  await page.keyboard.press('Enter');
  return page;
}

async function deployed(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Deploy', exact: true }).click();
  await page.waitForURL(/\/deployments\/dep_/, { timeout: 60_000 });
}

test('a repository is read first, offers its own variables and databases, and is deployed with them', async () => {
  const page = await reading(`${server.url}/shop`);
  await page.getByRole('heading', { name: 'Built as Next.js' }).waitFor();
  const rows = page.locator('.variable-row');
  expect(await rows.locator('code').allTextContents()).toEqual([
    'DATABASE_URL',
    'STRIPE_KEY',
    'LOG_LEVEL',
    'REDIS_URL',
  ]);
  expect(await page.getByLabel('LOG_LEVEL').inputValue()).toBe('info');
  expect(await page.getByLabel('Port').inputValue()).toBe('3000');
  await page.getByLabel('STRIPE_KEY').fill('key');
  await page
    .getByRole('group', { name: /It wants PostgreSQL/ })
    .getByRole('button', { name: 'Create postgres' })
    .click();
  expect(await page.getByLabel('DATABASE_URL').inputValue()).toBe(`\${postgres.DATABASE_URL}`);
  await deployed(page);
  const [postgres, shop] = await services();
  expect([postgres.slug, postgres.framework]).toEqual(['postgres', 'postgres']);
  expect(shop).toMatchObject({
    name: 'shop',
    internalPort: 3000,
    branch: 'main',
    repoUrl: `${server.url}/shop`,
  });
  const { env } = await used.ask('GET', `/api/services/${shop.id}/env`);
  expect(env.map(({ key }: { key: string }) => key).sort()).toEqual([
    'DATABASE_URL',
    'LOG_LEVEL',
    'STRIPE_KEY',
  ]);
});

test('a static site needs neither port nor kind', async () => {
  const page = await reading(`${server.url}/site`);
  await page.getByRole('heading', { name: /Built as plain files/ }).waitFor();
  expect(await page.getByLabel('Port').count()).toBe(0);
  await page.getByText('The source names no variables.').waitFor();
  await deployed(page);
});

test('a worker is created as one', async () => {
  const page = await reading(`${server.url}/jobs`);
  await page.getByText('The Procfile has a process "worker" and none named "web".').waitFor();
  await deployed(page);
  expect(await services()).toMatchObject([{ name: 'jobs', runtimeMode: 'worker' }]);
});

test('a Dockerfile gives port, arguments and a volume for its data', async () => {
  const page = await reading(`${server.url}/tool`);
  await page.getByRole('heading', { name: 'Built by its Dockerfile' }).waitFor();
  expect(await page.getByLabel('Port').inputValue()).toBe('4000');
  await page.getByLabel('API_URL').fill('https://api.test');
  expect(await page.getByLabel('Keep /var/lib/tool in a volume').isChecked()).toBe(true);
  await deployed(page);
  const [tool] = await services();
  const { volumes } = await used.ask('GET', `/api/services/${tool.id}/volumes`);
  expect(volumes).toMatchObject([{ name: 'tool', mountPath: '/var/lib/tool' }]);
});

test('a monorepo becomes two services, one folder after the other, and going back finds the source again', async () => {
  const page = await reading(`${server.url}/mono`);
  await page.getByRole('button', { name: /apps\/api/ }).click();
  await page.getByRole('button', { name: /apps\/api/, pressed: true }).waitFor();
  await page.getByLabel('API_TOKEN').waitFor();
  expect([await page.getByLabel('Port').inputValue(), await page.getByLabel('Name').inputValue()]).toEqual([
    '4100',
    'api',
  ]);
  await deployed(page);
  await page.goBack();
  await page.getByRole('button', { name: /apps\/web/ }).click();
  await expect.poll(() => page.getByLabel('Name').inputValue()).toBe('web');
  await deployed(page);
  expect((await services()).map(({ rootDir }: { rootDir: string }) => rootDir)).toEqual([
    'apps/api',
    'apps/web',
  ]);
});

test('a plan keeps what is typed while the project changes, and reads its source once', async () => {
  const letGo = used.hold('start');
  onTestFinished(letGo);
  const page = await reading('redis');
  await page.waitForURL(/\/deployments\/dep_/);
  await page.goBack();
  let readings = 0;
  page.on('request', (request) => {
    if (request.url().endsWith('/source-plans')) readings += 1;
  });
  await page.getByLabel('Repository or image').fill(`${server.url}/shop`);
  await page.keyboard.press('Enter');
  await page.getByLabel('STRIPE_KEY').fill('typed');
  const renewed = page.waitForResponse((reply) => reply.url().endsWith(`/api/projects/${project.slug}`));
  letGo();
  await (await renewed).finished();
  await page.getByLabel('LOG_LEVEL').fill('debug');
  await deployed(page);
  expect(readings).toBe(1);
  const { id } = (await services()).find(({ slug }: { slug: string }) => slug === 'shop');
  const { env } = await used.ask('GET', `/api/services/${id}/env`);
  expect(env.find(({ key }: { key: string }) => key === 'STRIPE_KEY')).toMatchObject({ value: 'typed' });
});

test('a source waits its turn while the host reads others', async () => {
  const slow = createServer();
  onTestFinished(() => void slow.closeAllConnections());
  await new Promise<void>((resolve) => slow.listen(0, '127.0.0.1', resolve));
  const held = `http://127.0.0.1:${(slow.address() as AddressInfo).port}/held`;
  const others = [1, 2].map(async () => {
    const asked = once(slow, 'request');
    const answer = used.ask('POST', `/api/projects/${project.id}/source-plans`, { source: held });
    await asked;
    return { answer };
  });
  const [first, second] = await Promise.all(others);
  const page = await reading(`${server.url}/site`);
  await page.getByText('The host is reading other sources; this one is next.').waitFor();
  slow.closeAllConnections();
  slow.close();
  await page.getByRole('heading', { name: /Built as plain files/ }).waitFor();
  expect(await Promise.all([first?.answer, second?.answer])).toMatchObject([{ plan: null }, { plan: null }]);
});

test('a private repository asks for a token on the same page', async () => {
  const page = await reading(`${privateServer.url}/shop`);
  await page.getByRole('alert').getByText('It is private or does not exist').waitFor();
  await page.getByLabel('Access token').fill('wrong');
  await page.getByRole('button', { name: 'Read again' }).click();
  await page.getByRole('alert').getByText('refused this token').waitFor();
  await page.getByLabel('Access token').fill('canary-token');
  await page.getByRole('button', { name: 'Read again' }).click();
  await page.getByRole('heading', { name: 'Built as Next.js' }).waitFor();
  expect(page.url()).not.toContain('canary');
  await page.getByRole('button', { name: 'Create without deploying' }).click();
  await page.waitForURL(/\/services\//);
  expect(await services()).toMatchObject([{ hasGitHostToken: true }]);
});

test('a chosen folder is planned from its files, and sent without what is ignored', async () => {
  const folder = join(root, 'app');
  const deep = `${'d'.repeat(60)}/${'e'.repeat(60)}`;
  for (const [path, text] of Object.entries({
    'package.json': JSON.stringify({ scripts: { start: 'node server.js' } }),
    'server.js': 'app.listen(3000); process.env.GREETING',
    '.gitignore': 'secret.txt\n',
    'secret.txt': 'canary',
    '.env': 'KEY=canary',
    'node_modules/a/index.js': 'canary',
    [`${deep}/long.txt`]: 'long',
  })) {
    await mkdir(join(folder, path, '..'), { recursive: true });
    await writeFile(join(folder, path), text);
  }
  const { page } = await used.open(newPage());
  await page.locator('input[type=file]').setInputFiles(folder);
  await page.getByRole('heading', { name: 'Built as Node.js' }).waitFor();
  await page.getByText('4 files').waitFor();
  await page.getByLabel('GREETING').fill('hello');
  await deployed(page);
  const [app] = await services();
  expect(app).toMatchObject({ name: 'app', repoUrl: 'upload', internalPort: 3000 });
  const { uploads } = await used.ask('GET', `/api/services/${app.id}/uploads`);
  expect(uploads).toHaveLength(1);
});

test('a database is created by its tile or its name', async () => {
  const page = await reading('redis');
  await page.waitForURL(/\/deployments\/dep_/);
  expect(await services()).toMatchObject([{ name: 'db', repoFullName: 'database:redis' }]);
});

test('the pages for a new service fulfil the contract', { timeout: contractTimeoutMs * 2 }, async () => {
  const { page } = await used.open('/');
  const of = (name: string) => `${newPage()}?source=${encodeURIComponent(`${server.url}/${name}`)}`;
  const troubles = await roomTroubles(page, [
    { name: 'new service', path: newPage(), shown: '.engines' },
    { name: 'plan of a repository', path: of('shop'), shown: '.planned' },
    { name: 'plan of a monorepo', path: of('mono'), shown: '.planned' },
    { name: 'no plan', path: of('missing'), shown: '.no-plan' },
    { name: 'empty project', path: `/projects/${project.slug}`, shown: 'h1' },
  ]);
  expect(troubles).toEqual([]);
});
