/**
 * What every room of the dashboard keeps: no violation that axe finds and nothing that scrolls sideways, wide and on a phone, light and dark.
 * Each run looks at each screen and at each colour scheme; the commit decides which go together, and the next commit has the other pairs.
 */
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { commitShare } from '../commit-share.ts';

export interface Room {
  name: string;
  path: string;
  /** A selector of what is there once the room is shown. */
  shown: string;
  /** Opens something in the room, which keeps the contract too. */
  open?(page: Page): Promise<void>;
}

/** Some seconds on a quiet machine: each look of axe takes one processor for up to a second. */
export const contractTimeoutMs = 180_000;

const axePath = createRequire(import.meta.url).resolve('axe-core/axe.min.js');
const screens = [
  { name: 'a wide screen', viewport: { width: 1440, height: 900 } },
  { name: 'a phone', viewport: { width: 390, height: 844 } },
];

/** A directory for pictures of all rooms, to look at: `ROOM_PICTURES=<directory> npx vitest run --project processes test/dashboard`. */
const pictures = process.env.ROOM_PICTURES;

/** @param page signed in @returns a sentence for each violation */
export async function roomTroubles(page: Page, rooms: readonly Room[]): Promise<string[]> {
  const axe = await readFile(axePath, 'utf8');
  const troubles: string[] = [];
  const check = async (name: string, place: number) => {
    // Pictures are taken of everything.
    for (const screen of pictures ? screens : commitShare(screens, 2, place)) {
      await page.setViewportSize(screen.viewport);
      const file = `${name}, ${screen.name}.png`.replace(/[, ]+/g, '-');
      if (pictures) await page.screenshot({ path: join(pictures, file), fullPage: true });
      const found = await page.evaluate<string[]>(troublesOfPage);
      troubles.push(...found.map((one) => `${name}, ${screen.name}: ${one}`));
    }
  };
  for (const [place, colorScheme] of (['light', 'dark'] as const).entries()) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    for (const { name, path, shown, open } of rooms) {
      await page.goto(path);
      await page.locator(shown).first().waitFor();
      await page.evaluate(axe);
      await check(`${name}, ${colorScheme}`, place);
      if (!open) continue;
      await open(page);
      await check(`${name} with more open, ${colorScheme}`, place);
    }
  }
  return troubles;
}

/** Runs in the page. */
const troublesOfPage = `(async () => {
  await new Promise((shown) => requestAnimationFrame(() => requestAnimationFrame(shown)));
  const tags = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];
  const { violations } = await axe.run(document, { runOnly: tags });
  const found = violations.map(({ id, nodes: [node] }) => [id, node.html.slice(0, 160), node.failureSummary].join(': '));
  if (document.documentElement.scrollWidth > innerWidth) found.push('scrolls sideways');
  const dialog = document.querySelector('dialog[open]');
  if (dialog && dialog.scrollWidth > dialog.clientWidth) found.push('the open dialog scrolls sideways');
  return found;
})()`;
