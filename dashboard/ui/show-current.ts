import { onCleanup } from 'solid-js';

/** Pixels of the tab before that stay in sight, so that one sees that there are more. */
const beforePx = 40;

/** For a row of tabs that is wider than a phone: `ref={showCurrent}` scrolls it to the tab that is shown. */
export function showCurrent(nav: HTMLElement): void {
  const show = () => {
    const current = nav.querySelector<HTMLElement>('[aria-current="page"]');
    if (current) nav.scrollLeft = current.offsetLeft - nav.offsetLeft - beforePx;
  };
  const changed = new MutationObserver(show);
  changed.observe(nav, { subtree: true, childList: true, attributeFilter: ['aria-current'] });
  // It has no width until it is in the document, and another one when the screen is turned.
  const resized = new ResizeObserver(show);
  resized.observe(nav);
  onCleanup(() => {
    changed.disconnect();
    resized.disconnect();
  });
}
