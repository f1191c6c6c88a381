/** Texts of tenants in the rooms of a real browser: commit messages, header values, names of channels and rules. None of them runs. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, expect, test, vi } from 'vitest';
import { useDashboard } from '../support/browser/use-dashboard.ts';
import { scriptCorpus, scriptTexts } from '../support/script-texts.ts';

// Each takes some seconds in one browser, and several times that beside other files on a busy machine.
vi.setConfig({ testTimeout: 120_000 });

const used = useDashboard(async (directory) => {
  const file = join(directory, 'build.log');
  await writeFile(file, 'one line');
  return file;
});
/** Of a commit message; the platform shortens what is longer. */
const messageMax = 300;
const headersOfDirection = 10;
const nameMax = 60;
let shop: { id: string; slug: string };
let web: { id: string };

beforeAll(async () => {
  shop = (await used.ask('POST', '/api/projects', { name: 'Shop' })).project;
  const source = { name: scriptTexts[0], repoUrl: 'https://git.example/app.git', repoFullName: null };
  web = (await used.ask('POST', `/api/projects/${shop.id}/services`, source)).service;
}, 120_000);

/** The texts, as few as possible, each at most so long. */
function joined(texts: readonly string[], most: number): string[] {
  const all: string[] = [];
  for (const text of texts) {
    const last = all.at(-1);
    if (last !== undefined && last.length + text.length < most) all[all.length - 1] = `${last} ${text}`;
    else all.push(text);
  }
  return all;
}

test('commit messages and authors are shown as text', { tags: 'slow', timeout: 120_000 }, async () => {
  const messages = joined(scriptTexts, messageMax);
  const { page } = await used.open('/');
  for (const message of messages) {
    used.commit(message);
    const deployment = await used.deploy(web.id);
    expect(deployment.commitMessage).toBe(message);
    await page.goto(`/deployments/${deployment.id}`);
    await page.getByRole('heading', { level: 1 }).getByText(message).waitFor();
  }
  for (const room of ['', '/deployments']) {
    await page.goto(`/services/${web.id}${room}`);
    await page
      .getByText(messages.at(-1) ?? '')
      .first()
      .waitFor();
  }
  expect(await page.evaluate('window.ran')).toBeUndefined();
});

test('header values of traffic rules stay values of fields', { tags: 'slow', timeout: 120_000 }, async () => {
  const values = scriptCorpus.filter((text) => /^[\x20-\x7e]*$/.test(text) && text.trim() !== '');
  const { page } = await used.open('/');
  for (let at = 0; at < values.length; at += 2 * headersOfDirection) {
    const rules = (from: number) =>
      values
        .slice(from, from + headersOfDirection)
        .map((content, n) => ({ change: 'set', header: `X-Text-${n}`, content }));
    const body = { requestHeaders: rules(at), responseHeaders: rules(at + headersOfDirection) };
    await used.ask('PUT', `/api/services/${web.id}/traffic-rules`, body);
    await page.goto(`/services/${web.id}/settings`);
    await page.getByRole('listitem', { name: 'Header for the app 1', exact: true }).waitFor();
    expect(await page.getByLabel('Value', { exact: true }).first().inputValue()).toBe(values[at]);
  }
  expect(await page.evaluate('window.ran')).toBeUndefined();
});

test('names of channels and alert rules, and messages that name a service, are shown as text', {
  tags: 'slow',
  timeout: 120_000,
}, async () => {
  const names = scriptTexts.filter((text) => text.length <= nameMax);
  for (const name of names) {
    const slack = { url: 'https://hooks.example.com/a' };
    await used.ask('POST', '/api/notification-channels', { name, projectId: shop.id, events: ['*'], slack });
    const rule = { name, metric: 'cpuPercent', threshold: 80 };
    await used.ask('POST', `/api/projects/${shop.id}/alert-rules`, rule);
  }
  used.alert([{ rule: 'memory', serviceId: web.id, detail: scriptTexts[2] ?? '' }]);
  await expect.poll(async () => (await used.ask('GET', '/api/alerts')).alerts.length).toBe(1);
  const { page } = await used.open(`/projects/${shop.slug}/notifications`);
  await page
    .getByText(names.at(-1) ?? '', { exact: true })
    .first()
    .waitFor();
  await page.getByRole('button', { name: 'Messages', exact: false }).first().click();
  await page.locator('.messages li').first().waitFor();
  await page.goto('/alerts');
  await page.getByText(scriptTexts[2] ?? '').waitFor();
  expect(await page.evaluate('window.ran')).toBeUndefined();
});
