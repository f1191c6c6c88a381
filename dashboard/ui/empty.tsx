import type { JSX } from 'solid-js';
import { Dynamic } from 'solid-js/web';
import { Show } from './show.ts';

interface EmptyProps {
  title: string;
  help?: string;
  /** It is the only item of a list. */
  inList?: boolean;
  /** The next step: a button or a link. */
  children?: JSX.Element;
}

/** Stands where a list would be: that there is nothing, and how something gets there. */
export const Empty = (props: EmptyProps) => (
  <Dynamic component={props.inList ? 'li' : 'div'} class="empty">
    <h2>{props.title}</h2>
    <Show when={props.help}>
      <p>{props.help}</p>
    </Show>
    {props.children}
  </Dynamic>
);
