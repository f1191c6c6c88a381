/**
 * Solid's `<Show>`, except that the accessor passed to a function never throws: once the condition is false, it returns the last value.
 *
 * Solid's own accessor then throws "Stale read from <Show>". Handlers that end after the content was removed read it in this state, and so do
 * queries and pages during a change of pages, which Solid computes in the background. The page would crash because of a value that is no longer
 * shown.
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
