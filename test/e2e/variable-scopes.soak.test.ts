/** The scope of a variable from the browser to the host: what a build and a container get of variables that are set on the page. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startChromium } from '../support/browser/chromium.ts';
import { openPage } from '../support/browser/open-page.ts';
import type { Json } from '../support/instance/longshore.ts';
import { useInstance, useRepositories } from '../support/instance/use-instance.ts';

const repositories = useRepositories();
const longshore = useInstance();
let browser: Browser | undefined;
let web: Json;

const names = ['FOR_BUILD', 'FOR_RUN', 'FOR_BOTH'];
/** Answers with what its build and its container got. */
const app = {
  Dockerfile: [
    'FROM node:24-slim',
    'WORKDIR /app',
    ...names.map((name) => `ARG ${name}`),
    `RUN node -e "require('fs').writeFileSync('built.json', JSON.stringify(process.env))"`,
    'COPY server.js .',
    'USER node',
    'CMD ["node", "server.js"]',
  ].join('\n'),
  'server.js': `
    const pick = (env) => ${JSON.stringify(names)}.map((name) => env[name] ?? null);
    const built = JSON.parse(require('node:fs').readFileSync('built.json', 'utf8'));
    const answer = JSON.stringify({ build: pick(built), run: pick(process.env) });
    const server = require('node:http').createServer((_, response) => response.end(answer));
    server.listen(process.env.PORT);
    process.on('SIGTERM', () => server.close());
  `,
};

beforeAll(async () => {
  await repositories.add('scopes', app);
  const project = await longshore.newProject('Scopes');
  const source = { repoUrl: `${repositories.url}/scopes`, repoFullName: null, branch: 'main' };
  web = await longshore.newService(project, { name: 'web', ...source });
  browser = await startChromium();
}, 240_000);
afterAll(() => browser?.close());

const got = async () => (await fetch(`http://127.0.0.1:${web.hostPort}`)).json();

test('variables that are set in the browser reach the build, the container, or both, and a changed scope applies to the next version', async () => {
  const local = JSON.parse(await readFile(join(longshore.dataDirectory, 'local.json'), 'utf8'));
  if (!browser) throw new Error('The browser has not started.');
  const session = { url: local.url, key: local.apiKey };
  const { page } = await openPage(session, browser, `/services/${web.id}/variables`, {});
  const dialog = page.getByRole('dialog');
  const scopes = { FOR_BUILD: 'Builds only', FOR_RUN: 'Containers only', FOR_BOTH: 'Builds and containers' };
  for (const [name, scope] of Object.entries(scopes)) {
    await page.getByRole('button', { name: 'Add variable' }).click();
    await dialog.getByLabel(/^Key/).fill(name);
    await dialog.getByRole('textbox', { name: 'Value' }).fill(`value of ${name}`);
    await dialog.getByLabel(/^Applies to/).selectOption(scope);
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog.waitFor({ state: 'detached' });
  }
  expect((await longshore.deploy(web.id)).status).toBe('running');
  expect(await got()).toEqual({
    build: ['value of FOR_BUILD', null, 'value of FOR_BOTH'],
    run: [null, 'value of FOR_RUN', 'value of FOR_BOTH'],
  });
  await page.getByRole('button', { name: 'Edit FOR_BOTH' }).click();
  await dialog.getByLabel(/^Applies to/).selectOption('Builds only');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await dialog.waitFor({ state: 'detached' });
  expect((await longshore.deploy(web.id)).status).toBe('running');
  expect(await got()).toEqual({
    build: ['value of FOR_BUILD', null, 'value of FOR_BOTH'],
    run: [null, 'value of FOR_RUN', null],
  });
});
