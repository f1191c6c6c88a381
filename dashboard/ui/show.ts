/**
 * `<Show>` of Solid, except that the accessor it gives to a function never throws: once the condition is false, it answers the last value.
 *
 * Solid's own throws "Stale read from <Show>" then. Handlers that end after the content is gone read it so, and so do queries and pages in
 * the middle of a change of rooms, which Solid computes beside what is shown. The room would break, though what was read is shown to nobody.
 */
import { createComponent, createMemo, type JSX, Show as SolidShow, untrack } from 'solid-js';

type Render = (value: () => unknown) => JSX.Element;

interface ShowProps {
  when: unknown;
  keyed?: boolean;
  fallback?: JSX.Element;
  children: JSX.Element | Render;
}

const lasting = (props: ShowProps): JSX.Element => {
  // With `keyed`, the function gets the value itself.
  if (props.keyed) return createComponent(SolidShow, props as Parameters<typeof SolidShow>[0]);
  const value = createMemo(() => props.when);
  const isThere = createMemo(() => Boolean(value()));
  return createMemo(() => {
    if (!isThere()) return props.fallback;
    const content = props.children;
    if (typeof content !== 'function' || content.length === 0) return content as JSX.Element;
    const last = createMemo<unknown>((before) => value() || before);
    return untrack(() => (content as Render)(last));
  }) as unknown as JSX.Element;
};

export const Show = lasting as typeof SolidShow;
