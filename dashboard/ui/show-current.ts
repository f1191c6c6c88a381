import { onCleanup } from 'solid-js';

/** Pixels of the previous tab that stay visible, to show that there are more tabs. */
const beforePx = 40;

/** For a row of tabs that is wider than the screen: `ref={showCurrent}` scrolls it to the current tab. */
export function showCurrent(nav: HTMLElement): void {
  const show = () => {
    const current = nav.querySelector<HTMLElement>('[aria-current="page"]');
    if (current) nav.scrollLeft = current.offsetLeft - nav.offsetLeft - beforePx;
  };
  const changed = new MutationObserver(show);
  changed.observe(nav, { subtree: true, childList: true, attributeFilter: ['aria-current'] });
  // The row has no width until it is in the document, and another width when the screen is turned.
  const resized = new ResizeObserver(show);
  resized.observe(nav);
  onCleanup(() => {
    changed.disconnect();
    resized.disconnect();
  });
}
