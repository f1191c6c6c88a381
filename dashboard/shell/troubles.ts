/** The number of problems that nobody has acknowledged, in the title and the icon of the tab. */
import { createEffect, createMemo, createSignal } from 'solid-js';
import { useAttention } from '../api/attention.ts';

const [titleOfPage, setTitleOfPage] = createSignal(document.title);

/** The title of the tab, without the number. */
export { setTitleOfPage };

const icons = { calm: '/dashboard/icon.svg', trouble: '/dashboard/icon-trouble.svg' };

/** @returns the number; 0 until it is known */
export function useTroubles(): () => number {
  const attention = useAttention();
  const number = createMemo(() => attention.data?.open ?? 0);
  createEffect(() => {
    document.title = number() === 0 ? titleOfPage() : `(${number()}) ${titleOfPage()}`;
  });
  createEffect(() => {
    const link = document.querySelector<HTMLLinkElement>('link[rel="icon"]');
    link?.setAttribute('href', number() === 0 ? icons.calm : icons.trouble);
  });
  return number;
}
