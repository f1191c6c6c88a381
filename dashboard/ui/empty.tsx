import type { JSX } from 'solid-js';
import { Dynamic } from 'solid-js/web';
import { Show } from './show.ts';

interface EmptyProps {
  title: string;
  help?: string;
  /** True: it is the only item of a list. */
  inList?: boolean;
  /** The next step: a button or a link. */
  children?: JSX.Element;
}

/** Replaces an empty list: says that it is empty, and how to add something. */
export const Empty = (props: EmptyProps) => (
  <Dynamic component={props.inList ? 'li' : 'div'} class="empty">
    <h2>{props.title}</h2>
    <Show when={props.help}>
      <p>{props.help}</p>
    </Show>
    {props.children}
  </Dynamic>
);
