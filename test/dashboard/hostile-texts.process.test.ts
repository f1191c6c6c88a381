/**
 * Texts of hostile people in the rooms of a real browser: names, commit messages, logs, variables, headers, files, commands, events. Each
 * room shows them as they are, and none of them runs. Rows, keys and documents: test/e2e/dashboard-databases.soak.test.ts.
 */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { expect, test, vi } from 'vitest';
import { seedTexts, type TextRoom } from '../support/browser/hostile-rooms.ts';
import {
  guardTexts,
  missingTexts,
  route,
  textTroubles,
  unnoticedTexts,
} from '../support/browser/text-guard.ts';
import { operatorToken, useDashboard } from '../support/browser/use-dashboard.ts';
import { scriptCorpus } from '../support/script-texts.ts';

// Seconds on a quiet machine, and several times that beside other files on a busy one.
vi.setConfig({ testTimeout: 400_000 });

const used = useDashboard(async (directory) => {
  const file = join(directory, 'build.log');
  await writeFile(file, scriptCorpus.join('\n'));
  return file;
}, 1);

/** Seconds beside other files on a busy machine. */
const shownTimeoutMs = 60_000;

/** Goes through the rooms in one document, by the router. */
async function expectTexts(page: Page, all: readonly TextRoom[]) {
  for (const { path, texts, opens, opened = [] } of all) {
    await route(page, path);
    await page.locator('main h1').first().waitFor();
    const message = `what ${path} does not show`;
    await expect.poll(() => missingTexts(page, texts), { message, timeout: shownTimeoutMs }).toEqual([]);
    if (opens) await page.getByRole('button', { name: opens }).first().click();
    await expect.poll(() => missingTexts(page, opened), { message, timeout: shownTimeoutMs }).toEqual([]);
    expect(await textTroubles(page), path).toEqual([]);
    await page.keyboard.press('Escape');
  }
}

/** So high that a log of the whole corpus fits. */
const viewport = { width: 1440, height: 8_000 };

test('each room shows the texts of others as they are, and none of them runs', {
  tags: ['slow', 'matrix'],
}, async () => {
  const { rooms, operatorRooms } = await seedTexts(used);
  const { page } = await used.open('/', { viewport });
  await guardTexts(page);
  await expectTexts(page, rooms);
  await route(page, '/operator/hosts');
  await page.getByLabel('Operator token').fill(operatorToken);
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Hosts', level: 1 }).waitFor();
  await expectTexts(page, operatorRooms);
});

test('a text that a page took for markup would be found', { tags: 'slow' }, async () => {
  const { context } = await used.open('/');
  // What happens in this page is no trouble of the dashboard.
  const page = await context.newPage();
  await page.goto('/');
  await guardTexts(page);
  // A body in a body is nothing.
  const markup = scriptCorpus.filter((text) => /<[a-z]/i.test(text) && !text.includes('<body'));
  expect(markup.length).toBeGreaterThan(100);
  expect(await unnoticedTexts(page, markup)).toEqual([]);
});
