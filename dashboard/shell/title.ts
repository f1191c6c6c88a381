import { createEffect } from 'solid-js';
import { t } from '../text/text.ts';
import { setTitleOfPage } from './troubles.ts';

/**
 * The title of the browser's tab.
 * @param title of the page; undefined while it is not known
 * @param part of the page, such as its own tab; absent: the first one
 */
export function useTitle(title: () => string | undefined, part?: () => string | undefined): void {
  createEffect(() => {
    const own = [title() && part?.(), title()].filter(Boolean).join(' · ');
    setTitleOfPage(own ? `${own} · ${t.product}` : t.product);
  });
}
