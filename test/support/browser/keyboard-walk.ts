/** Checks a page with the keyboard alone: each usable element gets the focus by Tab, shows it, and releases it. */
import type { Page } from 'playwright-core';

/** Walks through the page, or the open dialog, with Tab. @returns a sentence for each problem */
export async function keyboardTroubles(page: Page): Promise<string[]> {
  const stops = await page.evaluate<number>(begin);
  // Once through all elements and out at the end; a second round would find nothing new.
  for (let press = 0; press <= stops; press += 1) await page.keyboard.press('Tab');
  return await page.evaluate<string[]>(end);
}

/** Opens a dialog by the button with this name, using the keyboard. @returns a sentence for each problem */
export async function dialogTroubles(page: Page, button: string): Promise<string[]> {
  const opener = page.getByRole('button', { name: button, exact: true }).first();
  await opener.focus();
  await page.keyboard.press('Enter');
  await page.locator('dialog[open]').waitFor();
  const troubles = await keyboardTroubles(page);
  const isInside = await page.evaluate<boolean>(
    `document.activeElement === document.body || document.querySelector('dialog[open]').contains(document.activeElement)`,
  );
  if (!isInside) troubles.push('the focus leaves the open dialog');
  // The first Esc may only reset a field's own state.
  for (let press = 0; press < escapesMax && (await page.locator('dialog[open]').count()) > 0; press += 1)
    await page.keyboard.press('Escape');
  if ((await page.locator('dialog[open]').count()) > 0) troubles.push('Esc does not close it');
  else if (!(await opener.evaluate((one) => one.matches(':focus'))))
    troubles.push('the focus does not return to the button');
  return troubles.map((trouble) => `${button}: ${trouble}`);
}

const escapesMax = 2;

/* These run in the page. */
const begin = `(() => {
  const root = document.querySelector('dialog[open]') ?? document.body;
  const isShown = (one) => one.checkVisibility({ visibilityProperty: true, opacityProperty: false }) && one.getClientRects().length > 0;
  const usable = 'a[href], button, input, select, textarea, summary, [tabindex]';
  const nameOf = (one) =>
    one.tagName.toLowerCase() + ' "' + (one.ariaLabel || one.textContent.trim() || one.placeholder || one.name || one.className).slice(0, 40) + '"';
  // Of what moves the focus by arrow keys inside, of the lines of a log and of radio buttons, one place is in the order.
  const isMoved = (one) => one.tabIndex < 0 && one.closest('[role=grid], [role=tree], [role=listbox], .log-scroller, main#content') !== null &&
    (one.id === 'content' || one.closest('[role=grid], [role=tree], [role=listbox], .log-scroller') !== null);
  const isOtherRadio = (one) => one.type === 'radio' && !one.checked &&
    [...root.querySelectorAll('input[type=radio]')].some((two) => two !== one && two.name === one.name && two.checked);
  const isLaterRadio = (one) => one.type === 'radio' && !one.checked && [...root.querySelectorAll('input[type=radio]')].find((two) => two.name === one.name) !== one;
  const all = [...root.querySelectorAll(usable)].filter(
    (one) => isShown(one) && !one.matches(':disabled') && !isOtherRadio(one) && !isLaterRadio(one) && !isMoved(one),
  );
  const troubles = new Set();
  for (const one of root.querySelectorAll('*'))
    if (getComputedStyle(one).cursor === 'pointer' && isShown(one) && !one.closest(usable + ', label, option'))
      troubles.add(nameOf(one) + ' looks as if one could press it, and has no focus');
  const seen = new Set();
  const focused = ({ target }) => {
    seen.add(target);
    const { outlineStyle, outlineWidth } = getComputedStyle(target);
    if (target.id !== 'content' && (outlineStyle === 'none' || parseFloat(outlineWidth) < 1)) troubles.add(nameOf(target) + ' does not show its focus');
    const [rect] = target.getClientRects();
    if (!rect) return;
    const x = rect.left + rect.width / 2;
    const y = rect.top + Math.min(rect.height / 2, 20);
    if (y < 0 || y > innerHeight || x < 0 || x > innerWidth) return;
    const top = document.elementFromPoint(x, y);
    if (top && !target.contains(top) && !top.contains(target) && !target.closest('label, .field, .check')?.contains(top))
      troubles.add(nameOf(target) + ' is covered by ' + nameOf(top) + ' when it has the focus');
  };
  document.addEventListener('focusin', focused);
  if (root === document.body && document.activeElement instanceof HTMLElement) document.activeElement.blur();
  // Tab begins where the focus was last, so at the begin of the document.
  if (root === document.body) getSelection().setPosition(document.body, 0);
  window.keyboardWalk = () => {
    document.removeEventListener('focusin', focused);
    for (const one of all) if (one.isConnected && isShown(one) && !seen.has(one)) troubles.add(nameOf(one) + ' is not reached by Tab');
    return [...troubles];
  };
  // A field for a time has a place for each of its parts.
  const parts = all.filter((one) => /^(time|date|datetime-local)$/.test(one.type)).length * 6;
  // Parts of the page that come during the walk, such as the pages of the project beside it, take presses too.
  const later = 15;
  return all.length + parts + later;
})()`;
const end = 'window.keyboardWalk()';
