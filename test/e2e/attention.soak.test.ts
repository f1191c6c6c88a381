/** Somebody is woken at night: a version crashes after it went live, and the first screen brings the version before back. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { startChromium } from '../support/browser/chromium.ts';
import { openPage } from '../support/browser/open-page.ts';
import { buildImage, removeImages } from '../support/instance/image.ts';
import type { Json } from '../support/instance/longshore.ts';
import { useInstance } from '../support/instance/use-instance.ts';

const server = (text: string, then = '') =>
  `require('http').createServer((_, reply) => reply.end('${text}')).listen(3000);${then}`;
/** It passes its health check and goes live before it exits. */
const crashes = `setTimeout(() => { console.error('Error: the pool is empty'); process.exit(1); }, 6_000)`;
const images = ['longshore-e2e-attention:1', 'longshore-e2e-attention:2'] as const;
const longshore = useInstance();
const { ask } = longshore;
let service: Json;

beforeAll(async () => {
  const Dockerfile = 'FROM node:24-slim\nCOPY server.js /server.js\nCMD ["node", "/server.js"]\n';
  await buildImage(images[0], { 'server.js': server('before'), Dockerfile });
  await buildImage(images[1], { 'server.js': server('after', crashes), Dockerfile });
  const project = await longshore.newProject('Shop');
  const ofImage = { repoUrl: 'container-image', imageRef: images[0], internalPort: 3000 };
  service = await longshore.newService(project, { name: 'web', ...ofImage });
  await longshore.deploy(service.id);
});
afterAll(() => removeImages(...images));

const attention = async (): Promise<Json[]> => (await ask('GET', '/api/attention')).attention;
const text = () =>
  fetch(service.localUrl).then(
    (reply) => reply.text(),
    () => 'no answer',
  );

test('a version that crashes is rolled back from the first screen', async () => {
  await ask('PATCH', `/api/services/${service.id}`, { imageRef: images[1] });
  await longshore.deploy(service.id);
  await expect.poll(attention, { timeout: 60_000 }).toMatchObject([
    {
      kind: 'service',
      severity: 'down',
      name: 'web',
      action: 'rollback',
      effect: 'Visitors get no answer.',
    },
  ]);
  const local = JSON.parse(await readFile(join(longshore.dataDirectory, 'local.json'), 'utf8'));
  const browser = await startChromium();
  onTestFinished(() => browser.close());
  const { page } = await openPage({ url: local.url, key: local.apiKey }, browser, '/', {});
  await page.getByRole('button', { name: 'Roll back web to the version before' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Roll back' }).click();
  await page.waitForURL(/\/deployments\/dep_/);
  await expect.poll(text, { timeout: 60_000 }).toBe('before');
  await expect.poll(attention, { timeout: 30_000 }).toEqual([]);
  await page.goto('/');
  await page.getByText('Nothing is wrong').waitFor();
});
