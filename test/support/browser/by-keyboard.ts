/** Reaches elements with the keyboard alone. */
import type { Locator, Page } from 'playwright-core';

/** More tab stops than any page has. */
const stopsMax = 120;

/** Presses Tab until the element has the focus. @param back in reverse order */
export async function tabTo(page: Page, wanted: Locator, back = false): Promise<void> {
  await wanted.first().waitFor();
  for (let press = 0; press < stopsMax; press += 1) {
    if (await wanted.first().evaluate((one) => one.matches(':focus'))) return;
    await page.keyboard.press(back ? 'Shift+Tab' : 'Tab');
  }
  throw new Error(`Tab does not reach ${wanted}`);
}

/** Reaches it and presses Enter. */
export async function pressOn(page: Page, wanted: Locator, back = false): Promise<void> {
  await tabTo(page, wanted, back);
  await page.keyboard.press('Enter');
}

export async function press(page: Page, ...keys: string[]): Promise<void> {
  for (const key of keys) await page.keyboard.press(key);
}
