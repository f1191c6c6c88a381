/** Opens a page of the dashboard in a new browser profile. */
import { availableParallelism, loadavg } from 'node:os';
import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core';
import { expect, onTestFinished } from 'vitest';

export interface Opened {
  page: Page;
  context: BrowserContext;
}

/** A page that shows nothing within this time is broken, unless it waits for a processor. */
const quietTimeoutMs = 12_000;
/** Other programs that wait for processors make a page slower, up to this factor. */
const busiestFactor = 5;

/** The same limit on a quiet and on a busy machine, in the processor time that the page gets: a slow page still fails. */
export function pageTimeoutMs(load = loadavg()[0] ?? 0, processors = availableParallelism()): number {
  return quietTimeoutMs * Math.min(busiestFactor, Math.max(1, load / processors));
}

export interface OpenOptions extends BrowserContextOptions {
  /** Signed in with a session that is opened through the API. The sign-in form has its own tests. */
  signedIn?: boolean;
  /** Signed in with this key instead of the one of the test. */
  key?: string;
  /** The only other origin to which the page may navigate. */
  leavesTo?: string;
}

/** Opens a page in a new browser profile. The test fails if the page reports an error or leaves its origin. */
export async function openPage(
  { url, key }: { url: string; key: string },
  browser: Browser,
  path: string,
  { signedIn = true, leavesTo, key: ownKey = key, ...options }: OpenOptions,
): Promise<Opened> {
  const context = await browser.newContext({ baseURL: url, ...options });
  onTestFinished(() => context.close());
  context.setDefaultTimeout(pageTimeoutMs());
  const page = await context.newPage();
  if (signedIn) await keepSession(page, url, ownKey);
  const troubles: string[] = [];
  page.on('pageerror', (error) => troubles.push(String(error)));
  page.on('dialog', (dialog) => troubles.push(`dialog: ${dialog.message()}`));
  page.on('console', (line) => {
    // The browser itself logs refusals and lost connections, which are part of some tests.
    if (line.type() === 'error' && !/Failed to load resource/.test(line.text())) troubles.push(line.text());
  });
  page.on('request', (request) => {
    if (!/^(data|blob):/.test(request.url()) && ![url, leavesTo].includes(new URL(request.url()).origin))
      troubles.push(`left the origin: ${request.url()}`);
  });
  onTestFinished(() => expect(troubles).toEqual([]));
  await page.goto(path);
  if (signedIn && path === '/') await page.getByRole('heading', { name: 'Projects', level: 1 }).waitFor();
  return { page, context };
}

/** Gives the page the session that a browser has after the form: the cookie, and the proof in the storage (dashboard/api/session.ts). */
async function keepSession(page: Page, url: string, key: string): Promise<void> {
  const headers = { authorization: `Bearer ${key}` };
  const body = JSON.stringify({ name: 'Chromium of a test' });
  const reply = await fetch(`${url}/api/sessions`, { method: 'POST', headers, body });
  const text = await reply.text();
  expect(reply.status, text).toBe(200);
  const { session, proof } = JSON.parse(text);
  const [, name = '', value = ''] = /^([^=]+)=([^;]+)/.exec(reply.headers.get('set-cookie') ?? '') ?? [];
  await page.context().addCookies([{ name, value, url, httpOnly: true, sameSite: 'Strict' }]);
  // Only once per tab: a page that has signed out must not get the session back when it reloads.
  const stored = JSON.stringify(JSON.stringify({ id: session.id, proof }));
  await page.addInitScript(`if (!sessionStorage.getItem('signed in')) {
    sessionStorage.setItem('signed in', 'yes');
    localStorage.setItem('longshore-session', ${stored});
  }`);
}
