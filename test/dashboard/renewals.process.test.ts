/** Pages that are renewed while someone works in them: what has the focus keeps it, also when the page's answers were known before it opened. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, expect, test, vi } from 'vitest';
import { useDashboard } from '../support/browser/use-dashboard.ts';

vi.setConfig({ testTimeout: 120_000 });

const used = useDashboard(async (directory) => {
  const file = join(directory, 'build.log');
  await writeFile(file, Array.from({ length: 60 }, (_, n) => `line ${n}`).join('\n'));
  return file;
});
let shop: { id: string; slug: string };
let web: { id: string };
let deployment: { id: string };
let names = 0;

beforeAll(async () => {
  shop = (await used.ask('POST', '/api/projects', { name: 'Shop' })).project;
  const source = { name: 'web', repoUrl: 'https://git.example/app.git', repoFullName: null };
  web = (await used.ask('POST', `/api/projects/${shop.id}/services`, source)).service;
  deployment = await used.deploy(web.id);
});

const pages: Record<string, () => string> = {
  home: () => '/',
  project: () => `/projects/${shop.slug}`,
  'settings of a project': () => `/projects/${shop.slug}/settings`,
  'overview of a service': () => `/services/${web.id}`,
  deployments: () => `/services/${web.id}/deployments`,
  logs: () => `/services/${web.id}/logs`,
  metrics: () => `/services/${web.id}/metrics`,
  commands: () => `/services/${web.id}/commands`,
  variables: () => `/services/${web.id}/variables`,
  'settings of a service': () => `/services/${web.id}/settings`,
  deployment: () => `/deployments/${deployment.id}`,
};

test.each(Object.keys(pages))('the page %s keeps the focus while it is renewed', async (name) => {
  const path = pages[name]?.() ?? '/';
  const { page } = await used.open(path);
  const main = page.locator('main');
  const shown = main.getByText(/^(web|Shop)/).first();
  await shown.waitFor();
  // The second time the page opens with answers that it knows.
  await page.getByRole('link', { name: 'Alerts', exact: true }).first().click();
  await main.getByRole('heading', { name: 'Alerts', level: 1 }).waitFor();
  await page.goBack();
  await shown.waitFor();
  expect(await page.evaluate<boolean>(focusLast)).toBe(true);
  const next = `web-${++names}`;
  const renewed = page.waitForResponse(
    async (reply) =>
      /json/.test(reply.headers()['content-type'] ?? '') && (await reply.text()).includes(`"${next}"`),
  );
  await used.ask('PATCH', `/api/services/${web.id}`, { name: next });
  await renewed;
  await page.evaluate(twoFrames);
  expect(await page.evaluate<string>(nowFocused)).toBe('the same');
});

/** Runs in the page: focuses the last element of the page that can have the focus. @returns whether there was one */
const focusLast = `(() => {
  const can = [...document.querySelectorAll('main :is(a[href], button, input, select, textarea):not(:disabled)')];
  globalThis.focusedElement = can.filter((one) => one.checkVisibility()).at(-1);
  globalThis.focusedElement?.focus();
  return document.activeElement === globalThis.focusedElement;
})()`;
const nowFocused = `document.activeElement === focusedElement ? 'the same' : 'lost: ' + focusedElement.outerHTML`;
/** The page has drawn what the answer changed. */
const twoFrames = 'new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)))';
