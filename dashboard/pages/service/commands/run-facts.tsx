/** The state of a command, who started it, its duration and its result. */

import { Age, durationText, now } from '../../../ui/age.tsx';
import { startedByText } from '../../../ui/initiator-text.ts';
import { Show } from '../../../ui/show.ts';
import { commandsText } from './commands-text.ts';
import { isOpen, type Run } from './run-queries.ts';

export const RunState = (props: { run: Run | null }) => (
  <Show when={props.run} fallback={<span class="tag waits">{commandsText.skipped}</span>}>
    {(run) => <span class={`tag state-${run().status}`}>{commandsText.states[run().status]}</span>}
  </Show>
);

interface RunFactsProps {
  run: Run;
  /** The name of the schedule that started it; undefined: it was deleted, or there was none. */
  schedule: string | undefined;
}

export function RunFacts(props: RunFactsProps) {
  const run = () => props.run;
  const startedBy = () => {
    if (run().scheduleId === null) return startedByText(run().startedBy) ?? commandsText.byHand;
    return props.schedule === undefined ? commandsText.ofDeleted : commandsText.of(props.schedule);
  };
  const duration = () => {
    const { startedAt, finishedAt } = run();
    if (startedAt === null) return undefined;
    const end = finishedAt === null ? Math.max(now(), Date.now()) : Date.parse(finishedAt);
    const text = durationText(Math.max(0, end - Date.parse(startedAt)));
    return isOpen(run()) ? commandsText.running(text) : commandsText.took(text);
  };
  return (
    <p class="quiet-text facts-line">
      <span>{startedBy()}</span>
      <Age at={run().createdAt} />
      <Show when={run().container === 'live'}>
        <span>{commandsText.containerShort}</span>
      </Show>
      <Show when={duration()}>
        <span>{duration()}</span>
      </Show>
      <Show when={run().exitCode !== null}>
        <span>{commandsText.exitCode(run().exitCode ?? 0)}</span>
      </Show>
    </p>
  );
}
