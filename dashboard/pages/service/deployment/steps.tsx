/** The steps of a deployment beside its log: each with its state and time; a chosen one shows only its lines. */
import { deploymentText } from '../../../text/deployment-text.ts';
import { durationText } from '../../../ui/age.tsx';
import { Rows } from '../../../ui/rows.tsx';
import { Show } from '../../../ui/show.ts';
import type { StepState } from './phases.ts';

interface StepsProps {
  steps: readonly StepState[];
  /** Steps with lines in the log. */
  withLines: ReadonlySet<string>;
  /** The chosen step; empty: all. */
  chosen: string;
  onChoose(name: string): void;
}

export function Steps(props: StepsProps) {
  return (
    <ol class="steps" aria-label={deploymentText.phasesLabel}>
      <li>
        <button
          type="button"
          class="step"
          aria-pressed={props.chosen === ''}
          onClick={() => props.onChoose('')}
        >
          <span class="step-mark is-all" aria-hidden="true" />
          <span>{deploymentText.allSteps}</span>
        </button>
      </li>
      <Rows each={props.steps} by={({ name }) => name}>
        {(step) => (
          <li class={`is-${step().state}`}>
            <button
              type="button"
              class="step"
              aria-pressed={props.chosen === step().name}
              disabled={!props.withLines.has(step().name)}
              onClick={() => props.onChoose(props.chosen === step().name ? '' : step().name)}
            >
              <span class="step-mark" aria-hidden="true" />
              <span>
                {deploymentText.phases[step().name]}
                <Show when={stateText(step())}>{(text) => <small>{text()}</small>}</Show>
              </span>
              <Show when={step().seconds !== null}>
                <span class="end">{durationText((step().seconds ?? 0) * 1000)}</span>
              </Show>
            </button>
          </li>
        )}
      </Rows>
    </ol>
  );
}

/** A step that is done needs no word. */
const stateText = ({ state }: StepState) => (state === 'done' ? undefined : deploymentText.stepStates[state]);
