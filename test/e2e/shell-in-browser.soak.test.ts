/** A shell in a real container, in a real browser, with the policy of the pages, which allows no style of the page itself. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import Docker from 'dockerode';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { startChromium } from '../support/browser/chromium.ts';
import { openPage } from '../support/browser/open-page.ts';
import { contractTimeoutMs, roomTroubles } from '../support/browser/room-contract.ts';
import { buildImage, removeImages } from '../support/instance/image.ts';
import type { Json } from '../support/instance/longshore.ts';
import { webApp } from '../support/instance/repository.ts';
import { useInstance } from '../support/instance/use-instance.ts';

vi.setConfig({ testTimeout: 120_000 });

const image = 'longshore-e2e-browser-shell:1';
const longshore = useInstance();
let browser: Browser | undefined;
let session: { url: string; key: string };
let web: Json;

beforeAll(async () => {
  const local = JSON.parse(await readFile(join(longshore.dataDirectory, 'local.json'), 'utf8'));
  session = { url: local.url, key: local.apiKey };
  await buildImage(image, webApp('hosted'));
  const project = await longshore.newProject('Shop');
  const ofImage = { repoUrl: 'container-image', imageRef: image, internalPort: 3000 };
  [browser, web] = await Promise.all([
    startChromium(),
    longshore.newService(project, { name: 'web', ...ofImage }),
  ]);
  await longshore.deploy(web.id);
}, 240_000);
afterAll(async () => {
  await browser?.close();
  await removeImages(image);
});

const path = () => `/services/${web.id}/commands/shell`;
const open = async () => {
  if (!browser) throw new Error('The browser has not started.');
  return await openPage(session, browser, path(), {});
};
const screen = (page: Page) => page.locator('.xterm-rows');
const isOpen = (page: Page) => page.getByRole('status').getByText('Open', { exact: true }).waitFor();
/** Types a line, and waits for what it prints. */
async function run(page: Page, line: string, printed: string | RegExp) {
  await page.keyboard.type(`${line}\n`);
  await expect.poll(() => screen(page).innerText(), { timeout: 20_000 }).toMatch(printed);
}

test('commands run in the live container, in colour, with the size of the window, and the shell ends with its code', async () => {
  const { page } = await open();
  await isOpen(page);
  await run(page, 'echo $((40+2))-done', '42-done');
  await run(page, String.raw`printf '\033[31mred\033[0m \033[38;2;1;200;3mtrue\033[0m\n'`, 'red true');
  const colours = await page.evaluate<string[]>(`[...document.querySelectorAll('.xterm-rows span')]
    .filter(({ textContent }) => textContent === 'red' || textContent === 'true')
    .map((one) => getComputedStyle(one).color)`);
  expect(new Set(colours).size).toBe(2);
  expect(colours).toContain('rgb(1, 200, 3)');
  await run(page, 'stty size', /\d+ \d+/);
  const before = /(\d+) (\d+)\s/.exec((await screen(page).innerText()).split('stty size').at(-1) ?? '');
  await page.setViewportSize({ width: 700, height: 500 });
  await page.keyboard.type('clear\n');
  await run(page, 'echo size $(stty size)', /size \d+ \d+\s/);
  const after = /size (\d+) (\d+)\s/.exec(await screen(page).innerText());
  expect(Number(after?.[2])).toBeLessThan(Number(before?.[2]));
  await page.keyboard.type('exit 7\n');
  await page.getByText('The shell ended with exit code 7.').waitFor();
  await page.getByRole('button', { name: 'Open another shell' }).click();
  await isOpen(page);
  await run(page, 'echo ag"ain"', 'again');
});

test('a page opens one shell, also when it is loaded again, and keeps it when the service changes', async () => {
  const { page } = await open();
  await isOpen(page);
  let opened = 0;
  page.on('request', (request) => {
    if (request.method() === 'POST' && request.url().endsWith('/shells')) opened += 1;
  });
  for (const times of [1, 2, 3]) {
    await page.reload();
    await isOpen(page);
    expect(opened).toBe(times);
  }
  await run(page, 'echo kept=$((20+1))', 'kept=21');
  await longshore.ask('PATCH', `/api/services/${web.id}`, { memoryLimitMb: 300 });
  await run(page, 'echo still=$((20+2))', /kept=21[\s\S]*still=22/);
  expect(opened).toBe(3);
});

test('what is selected is copied and what was copied is pasted, and a key leaves the terminal', async () => {
  const { page, context } = await open();
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  await isOpen(page);
  await run(page, 'echo copy"me"', 'copyme');
  const row = page.locator('.xterm-rows > div', { hasText: /^copyme/ });
  const box = await row.boundingBox();
  await page.mouse.dblclick((box?.x ?? 0) + 20, (box?.y ?? 0) + 6);
  await page.keyboard.press('Control+Shift+C');
  await expect.poll(() => page.evaluate('navigator.clipboard.readText()')).toBe('copyme');
  await page.evaluate("navigator.clipboard.writeText('echo past$((1+1))ed')");
  await page.keyboard.press('Control+Shift+V');
  await page.keyboard.press('Enter');
  await expect.poll(() => screen(page).innerText()).toMatch('past2ed');
  await page.keyboard.press('Control+Shift+Space');
  expect(await page.evaluate('document.activeElement.textContent')).toBe('End the shell');
  await page.keyboard.press('Enter');
  await page.getByRole('button', { name: 'Open another shell' }).waitFor();
});

test('megabytes of output are drawn, and leaving the page ends what ran', async () => {
  const { page } = await open();
  await isOpen(page);
  await run(page, "seq 1 300000 | tail -c 2000000; echo e''nd", /300000\s+end/);
  await page.keyboard.type('sleep 4321\n');
  const processes = async () => {
    const container = new Docker().getContainer(`longshore-${web.id}-stable`);
    return JSON.stringify((await container.top({ ps_args: '-eo pid,args' })).Processes);
  };
  await expect.poll(processes, { timeout: 15_000 }).toContain('sleep 4321');
  await page.getByRole('link', { name: 'Metrics' }).first().click();
  await expect.poll(processes, { timeout: 30_000 }).not.toContain('sleep 4321');
});

test('the fifth shell of a service is refused in words, and another attempt works when one has ended', async () => {
  const pages = await Promise.all([open(), open(), open(), open()]);
  for (const { page } of pages) await isOpen(page);
  const { page } = await open();
  await page.getByRole('alert').waitFor();
  expect(await page.getByRole('alert').innerText()).toMatch(/4|four/);
  await pages[0]?.page.keyboard.type('exit\n');
  await pages[0]?.page.getByText('The shell ended with exit code 0.').waitFor();
  await page.getByRole('button', { name: 'Open another shell' }).click();
  await isOpen(page);
});

test(
  'the shell fulfils the contract of all pages',
  async () => {
    const { page } = await open();
    expect(await roomTroubles(page, [{ name: 'shell', path: path(), shown: '.xterm-rows' }])).toEqual([]);
  },
  contractTimeoutMs,
);
