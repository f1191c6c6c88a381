import { createEffect } from 'solid-js';
import { setTitleOfPage } from '../shell/troubles.ts';
import { t } from '../text/text.ts';

/** The title of the tab. */
export function useTitle(title: () => string | undefined): void {
  createEffect(() => {
    const own = title();
    setTitleOfPage(own ? `${own} · ${t.product}` : t.product);
  });
}
