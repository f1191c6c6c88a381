/** The phases as a bar with lengths in proportion to their times, and the times as text below. */
import { For } from 'solid-js';
import { deploymentText } from '../../../text/deployment-text.ts';
import { statesText } from '../../../text/service-text.ts';
import { durationText } from '../../../ui/age.tsx';
import { Show } from '../../../ui/show.ts';
import type { Phase } from './phases.ts';

/** The least share of a part, so that it stays visible. */
const shareMin = 0.02;

export function PhaseBar(props: { phases: readonly Phase[] }) {
  const total = () => props.phases.reduce((sum, { seconds }) => sum + seconds, 0);
  const share = (seconds: number) => Math.max(shareMin, seconds / Math.max(total(), 0.1));
  return (
    <Show when={props.phases.length > 0}>
      <div class="phases">
        <div class="phase-bar" aria-hidden="true">
          <For each={props.phases}>
            {(phase) => (
              <span
                class={`phase ${phase.name} ${phase.state}`}
                style={{ 'flex-grow': share(phase.seconds) }}
              />
            )}
          </For>
        </div>
        <ol aria-label={deploymentText.phasesLabel}>
          <For each={props.phases}>
            {(phase) => (
              <li class={phase.state}>
                <span class={`key ${phase.name}`} aria-hidden="true" />
                {deploymentText.phases[phase.name]} <strong>{durationText(phase.seconds * 1000)}</strong>
                <Show when={phase.state === 'failed'}> ({statesText.failed})</Show>
              </li>
            )}
          </For>
        </ol>
      </div>
    </Show>
  );
}
