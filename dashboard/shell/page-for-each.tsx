/** A page with a name in its address, such as the id of a service. */
import { useParams } from '@solidjs/router';
import type { Component } from 'solid-js';
import { Show } from '../ui/show.ts';

/**
 * Makes the page anew for each value of a part of its address. The router keeps the page where only the part changes, so what was typed, chosen or
 * followed for one service would be there for the next one, and be saved to it.
 */
export const pageForEach =
  (part: string, Page: Component): Component =>
  () => {
    const params = useParams();
    return (
      <Show when={params[part]} keyed>
        <Page />
      </Show>
    );
  };
