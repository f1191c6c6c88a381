/** The state of a command, who started it, its duration and its result. */
import { t } from '../../text/text.ts';
import { Age, durationText, now } from '../../ui/age.tsx';
import { Show } from '../../ui/show.ts';
import { startedByText } from '../initiator-text.ts';
import { isOpen, type Run } from './queries.ts';

export const RunState = (props: { run: Run | null }) => (
  <Show when={props.run} fallback={<span class="tag waits">{t.commands.skipped}</span>}>
    {(run) => <span class={`tag state-${run().status}`}>{t.commands.states[run().status]}</span>}
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
    if (run().scheduleId === null) return startedByText(run().startedBy) ?? t.commands.byHand;
    return props.schedule === undefined ? t.commands.ofDeleted : t.commands.of(props.schedule);
  };
  const duration = () => {
    const { startedAt, finishedAt } = run();
    if (startedAt === null) return undefined;
    const end = finishedAt === null ? Math.max(now(), Date.now()) : Date.parse(finishedAt);
    const text = durationText(Math.max(0, end - Date.parse(startedAt)));
    return isOpen(run()) ? t.commands.running(text) : t.commands.took(text);
  };
  return (
    <p class="quiet-text facts-line">
      <span>{startedBy()}</span>
      <Age at={run().createdAt} />
      <Show when={run().container === 'live'}>
        <span>{t.commands.containerShort}</span>
      </Show>
      <Show when={duration()}>
        <span>{duration()}</span>
      </Show>
      <Show when={run().exitCode !== null}>
        <span>{t.commands.exitCode(run().exitCode ?? 0)}</span>
      </Show>
    </p>
  );
}
