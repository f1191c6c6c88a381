/** A link to an address of a service. Only web addresses become links, whatever a service claims. */
import type { JSX } from 'solid-js';
import { Show } from './show.ts';

const isWebAddress = (text: string): boolean => /^https?:\/\//i.test(text) && URL.canParse(text);

export function OutsideLink(props: { href: string; class?: string; children?: JSX.Element }) {
  const shown = () => props.children ?? props.href.replace(/^https?:\/\//i, '').replace(/\/$/, '');
  return (
    <Show when={isWebAddress(props.href)} fallback={<span class={props.class}>{shown()}</span>}>
      <a class={props.class} href={props.href} target="_blank" rel="noreferrer noopener">
        {shown()}
      </a>
    </Show>
  );
}
