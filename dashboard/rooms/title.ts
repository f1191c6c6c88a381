import { createEffect } from 'solid-js';
import { t } from '../text/text.ts';

/** The title of the tab. */
export function useTitle(title: () => string | undefined): void {
  createEffect(() => {
    const own = title();
    document.title = own ? `${own} · ${t.product}` : t.product;
  });
}
