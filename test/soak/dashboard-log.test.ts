/** The dashboard with much in it: a log of 100,000 lines, and a page that is used for long. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { useDashboard } from '../support/browser/use-dashboard.ts';

const logLines = 100_000;
/** Each visits four rooms: some hours of use. */
const rounds = 40;
const growthMaxBytes = 20e6;
/** Half of the goal of 50: other work may have the processors. */
const framesPerSecondMin = 25;

const used = useDashboard(async (directory) => {
  const file = join(directory, 'build.log');
  const lines = Array.from(
    { length: logLines },
    (_, n) => `step ${n + 1} of the build \u001b[32mok\u001b[0m`,
  );
  lines[70_000] = 'the needle is here';
  await writeFile(file, lines.join('\n'));
  return file;
});
let service: { id: string };
let deployment: { id: string };

beforeAll(async () => {
  const { project } = await used.ask('POST', '/api/projects', { name: 'Shop' });
  const body = { name: 'web', repoUrl: 'https://git.example/app.git', repoFullName: null };
  service = (await used.ask('POST', `/api/projects/${project.id}/services`, body)).service;
  deployment = await used.deploy(service.id);
}, 300_000);

test('100,000 lines scroll smoothly with few elements, and are searched', async () => {
  const { page } = await used.open(`/deployments/${deployment.id}`);
  await page.getByText(/^100,0\d\d lines$/).waitFor({ timeout: 120_000 });
  const frameMs = await page.evaluate<number>(scrolling);
  console.log(`${(1000 / frameMs).toFixed(0)} frames a second`);
  expect(1000 / frameMs).toBeGreaterThan(framesPerSecondMin);
  expect(await page.locator('.log-row').count()).toBeLessThan(200);
  await page.getByRole('button', { name: 'To the end' }).waitFor();
  await page.keyboard.press('/');
  await page.keyboard.type('needle');
  await page.getByText('1 of 1').waitFor();
  await page.locator('.log-row.current mark').getByText('needle').waitFor();
});

test('a page that is used for hours does not grow', async () => {
  const { page, context } = await used.open('/');
  const cdp = await context.newCDPSession(page);
  const heap = async () => {
    await cdp.send('HeapProfiler.collectGarbage');
    return (await cdp.send('Runtime.getHeapUsage')).usedSize;
  };
  const round = async () => {
    await page.getByRole('link', { name: 'Shop' }).click();
    await page.getByRole('link', { name: /^web / }).click();
    const panel = page.getByRole('complementary', { name: 'web' });
    await panel.getByRole('link', { name: 'Variables' }).click();
    await page.getByRole('heading', { name: 'No variables yet' }).waitFor();
    await page.getByRole('link', { name: 'Alerts' }).click();
    await page.getByRole('heading', { name: 'Alerts', level: 1 }).waitFor();
    await page.getByRole('link', { name: 'Projects', exact: true }).first().click();
  };
  await round();
  const before = await heap();
  for (let n = 0; n < rounds; n++) await round();
  const grown = (await heap()) - before;
  console.log(`grown by ${(grown / 1e6).toFixed(1)} MB`);
  expect(grown).toBeLessThan(growthMaxBytes);
});

/** Runs in the page: 20 lines a frame. @returns milliseconds of a frame */
const scrolling = `(async () => {
  const element = document.querySelector('.log-scroller');
  const frame = () => new Promise((shown) => requestAnimationFrame(shown));
  element.scrollTop = 0;
  const from = await frame();
  let last = from;
  for (let n = 0; n < 200; n++) {
    element.scrollTop += 400;
    last = await frame();
  }
  return (last - from) / 200;
})()`;
