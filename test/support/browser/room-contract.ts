/**
 * The contract of every page of the dashboard: axe finds no violation and nothing scrolls sideways, on wide and phone screens, light and dark.
 * `npm test` checks each page once, with alternating screens and colours; `npm run test:all` checks all four combinations.
 */
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { fixedPart } from '../level.ts';

export interface Room {
  name: string;
  path: string;
  /** A selector of an element that exists once the page is shown. */
  shown: string;
  /** Opens a part of the page, which must fulfil the contract too. */
  open?(page: Page): Promise<void>;
}

/** Some seconds on a quiet machine: each check by axe uses one processor for up to a second. */
export const contractTimeoutMs = 180_000;

const axePath = createRequire(import.meta.url).resolve('axe-core/axe.min.js');
const wide = { name: 'a wide screen', viewport: { width: 1440, height: 900 } };
const phone = { name: 'a phone', viewport: { width: 390, height: 844 } };
const looks = [
  { screen: wide, colorScheme: 'light' },
  { screen: phone, colorScheme: 'dark' },
  { screen: phone, colorScheme: 'light' },
  { screen: wide, colorScheme: 'dark' },
] as const;

/** A directory for pictures of all pages: `ROOM_PICTURES=<directory> npx vitest run --project processes test/dashboard`. */
const pictures = process.env.ROOM_PICTURES;

/** @param page signed in @returns a sentence for each violation */
export async function roomTroubles(page: Page, rooms: readonly Room[]): Promise<string[]> {
  const axe = await readFile(axePath, 'utf8');
  const troubles: string[] = [];
  for (const [index, { name, path, shown, open }] of rooms.entries()) {
    // The choice also depends on the name, because a file with one page would otherwise always have the same combination.
    const chosen = pictures ? looks : fixedPart(looks, looks.length, index + name.length);
    for (const { screen, colorScheme } of chosen) {
      const check = async (title: string) => {
        const look = `${title}, ${colorScheme}, ${screen.name}`;
        const file = `${look}.png`.replace(/[, ]+/g, '-');
        if (pictures) await page.screenshot({ path: join(pictures, file), fullPage: true });
        const found = await page.evaluate<string[]>(troublesOfPage);
        troubles.push(...found.map((one) => `${look}: ${one}`));
      };
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
      await page.setViewportSize(screen.viewport);
      await page.goto(path);
      await page.locator(shown).first().waitFor();
      await page.evaluate(axe);
      await check(name);
      if (!open) continue;
      await open(page);
      await check(`${name} with more open`);
    }
  }
  return troubles;
}

/** Runs in the page. */
const troublesOfPage = `(async () => {
  // axe copies a style sheet that is still loading into the page, and the policy forbids that.
  const isReadable = ({ sheet }) => { try { return Boolean(sheet?.cssRules); } catch { return false; } };
  while (![...document.querySelectorAll('link[rel=stylesheet]')].every(isReadable)) await new Promise(requestAnimationFrame);
  await new Promise((shown) => requestAnimationFrame(() => requestAnimationFrame(shown)));
  const tags = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];
  const { violations } = await axe.run(document, { runOnly: tags });
  const found = violations.map(({ id, nodes: [node] }) => [id, node.html.slice(0, 160), node.failureSummary].join(': '));
  if (document.documentElement.scrollWidth > innerWidth) found.push('scrolls sideways');
  const dialog = document.querySelector('dialog[open]');
  if (dialog && dialog.scrollWidth > dialog.clientWidth) found.push('the open dialog scrolls sideways');
  return found;
})()`;
