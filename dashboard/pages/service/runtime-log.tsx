/** The live output of a service, across deployments and restarts. */
import { createEffect, createSignal, on, onCleanup } from 'solid-js';
import { followRuntimeLog } from '../../api/follow.ts';
import type { Overview } from '../../api/queries.ts';
import { createLogLines } from '../../log/log-lines.ts';
import { LogView } from '../../log/log-view.tsx';
import { logText } from '../../text/deployment-text.ts';
import { Show } from '../../ui/show.ts';

/** About 20 MB of typical lines. */
const keptLinesMax = 50_000;

export function RuntimeLog(props: { overview: Overview }) {
  const service = () => props.overview.service;
  const lines = createLogLines(keptLinesMax);
  const [isOpen, setIsOpen] = createSignal(false);
  /** Why no lines arrive, permanently or until the host is back. */
  const [trouble, setTrouble] = createSignal('');
  const nothingRuns = () => {
    if (service().status === 'stopped') return logText.stopped;
    return props.overview.deployments.some(({ status }) => status === 'running') ? '' : logText.notLive;
  };
  createEffect(
    // A log that was refused because there was no live version may exist after a change of the state.
    on([() => service().id, () => service().status], ([serviceId]) => {
      const stop = new AbortController();
      onCleanup(() => stop.abort());
      setTrouble('');
      void followRuntimeLog(
        serviceId,
        {
          onLines: lines.add,
          onRefusal: (error) => setTrouble(error.message),
          onTrouble: (error) => setTrouble(error.message),
          onOpen(isNowOpen) {
            setIsOpen(isNowOpen);
            if (isNowOpen) setTrouble('');
          },
        },
        stop.signal,
      );
    }),
  );
  return (
    <div class="stack">
      <Show when={trouble()}>{(sentence) => <p class="notice">{sentence()}</p>}</Show>
      <LogView
        lines={lines}
        isLive={trouble() === '' && !nothingRuns()}
        isOpen={isOpen()}
        name={service().slug}
        label="time"
        emptyText={nothingRuns()}
      />
    </div>
  );
}
