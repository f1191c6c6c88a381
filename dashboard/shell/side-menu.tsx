/** A menu of the side bar: it opens below its name, and closes by Esc, when the focus leaves it, and when another page is shown. */
import { useLocation } from '@solidjs/router';
import { createEffect, createSignal, type JSX, on } from 'solid-js';
import { ChooseIcon } from '../ui/icons.tsx';
import { Show } from '../ui/show.ts';

interface SideMenuProps {
  class: string;
  label: string;
  /** What is shown also while the menu is closed. */
  summary: JSX.Element;
  children: JSX.Element;
}

export function SideMenu(props: SideMenuProps) {
  const location = useLocation();
  const [isOpen, setIsOpen] = createSignal(false);
  createEffect(
    on(
      () => location.pathname,
      () => setIsOpen(false),
      { defer: true },
    ),
  );
  let details: HTMLDetailsElement | undefined;
  return (
    <details
      ref={details}
      class={props.class}
      open={isOpen()}
      onToggle={(event) => setIsOpen(event.currentTarget.open)}
      onFocusOut={({ relatedTarget }) => {
        if (relatedTarget instanceof Node && !details?.contains(relatedTarget)) setIsOpen(false);
      }}
      onKeyDown={({ key }) => {
        if (key === 'Escape') setIsOpen(false);
      }}
    >
      <summary aria-label={props.label}>
        {props.summary}
        <ChooseIcon />
      </summary>
      <Show when={isOpen()}>{props.children}</Show>
    </details>
  );
}
