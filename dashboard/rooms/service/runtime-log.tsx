/** What a service prints, live, through deployments and restarts. */
import { createEffect, createSignal, on, onCleanup, Show } from 'solid-js';
import { followRuntimeLog } from '../../api/follow.ts';
import type { Overview } from '../../api/queries.ts';
import { createLogLines } from '../../log/log-lines.ts';
import { LogView } from '../../log/log-view.tsx';

/** Some 20 MB of usual lines. */
const keptLinesMax = 50_000;

export function RuntimeLog(props: { overview: Overview }) {
  const service = () => props.overview.service;
  const lines = createLogLines(keptLinesMax);
  const [isOpen, setIsOpen] = createSignal(false);
  const [refusal, setRefusal] = createSignal('');
  createEffect(
    // What was refused, as there was no live version, may be there once the state changes.
    on([() => service().id, () => service().status], ([serviceId]) => {
      const stop = new AbortController();
      onCleanup(() => stop.abort());
      setRefusal('');
      void followRuntimeLog(
        serviceId,
        {
          onLines: lines.add,
          onRefusal: (error) => setRefusal(error.message),
          onOpen: setIsOpen,
        },
        stop.signal,
      );
    }),
  );
  return (
    <div class="stack">
      <Show when={refusal()}>{(sentence) => <p class="notice">{sentence()}</p>}</Show>
      <LogView lines={lines} isLive={refusal() === ''} isOpen={isOpen()} name={service().slug} label="time" />
    </div>
  );
}
