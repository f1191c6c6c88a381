/** A part that is loaded when it is first shown, without hiding the page around it meanwhile, as a suspended part would. */
import { type Component, createSignal, type JSX } from 'solid-js';
import { Dynamic } from 'solid-js/web';
import { Show } from './show.ts';

export function late<Props extends object>(
  load: () => Promise<Component<Props>>,
): (props: Props) => JSX.Element {
  return (props) => {
    const [loaded, setLoaded] = createSignal<Component<Props>>();
    void load().then((part) => setLoaded(() => part));
    return (
      <Show when={loaded()}>{(part) => <Dynamic component={part() as Component<object>} {...props} />}</Show>
    );
  };
}
