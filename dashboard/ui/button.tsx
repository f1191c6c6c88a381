/** A button that shows that it is busy, and can't be pressed twice during that time. */
import { type JSX, splitProps } from 'solid-js';
import { Show } from './show.ts';

interface ButtonProps extends JSX.ButtonHTMLAttributes<HTMLButtonElement> {
  kind?: 'primary' | 'plain' | 'danger' | 'quiet';
  busy?: boolean;
  icon?: () => JSX.Element;
}

export function Button(props: ButtonProps) {
  const [own, rest] = splitProps(props, ['kind', 'busy', 'icon', 'children', 'onClick', 'class']);
  const press: JSX.EventHandler<HTMLButtonElement, MouseEvent> = (event) => {
    if (own.busy) return event.preventDefault();
    if (typeof own.onClick === 'function') own.onClick(event);
  };
  return (
    <button
      type="button"
      {...rest}
      class={`button ${own.kind ?? 'plain'} ${own.class ?? ''}`}
      aria-disabled={own.busy ? 'true' : undefined}
      aria-busy={own.busy ? 'true' : undefined}
      onClick={press}
    >
      <Show when={own.busy} fallback={own.icon?.()}>
        <span class="spinner" aria-hidden="true" />
      </Show>
      <Show when={own.children}>
        <span>{own.children}</span>
      </Show>
    </button>
  );
}
