/** One log drain: its receiver and lines, a test, a pause, and its progress. */
import { createSignal } from 'solid-js';
import { api } from '../../../api/client.ts';
import { drainsText } from '../../../text/drains-text.ts';
import { projectLogsText } from '../../../text/log-search-text.ts';
import { noticesText } from '../../../text/notices-text.ts';
import { Button } from '../../../ui/button.tsx';
import { Confirm } from '../../../ui/dialog.tsx';
import { EditAndRemove } from '../../../ui/edit-and-remove.tsx';
import { Show } from '../../../ui/show.ts';
import { createTest, TestResult } from '../../../ui/test-result.tsx';
import { attempt, say } from '../../../ui/toasts.tsx';
import { type LogDrain, renewDrains } from './drain-queries.ts';
import { DrainStatus } from './drain-status.tsx';

export function DrainRow(props: { drain: LogDrain; mayWrite: boolean; onEdit(): void }) {
  const [isPausing, setIsPausing] = createSignal(false);
  const name = () => props.drain.name;
  const params = () => ({ logDrainId: props.drain.id });
  const { result, isTesting, test } = createTest(
    async () => (await api.call('POST /api/log-drains/:logDrainId/test', { params: params() })).result,
  );
  const enable = (enabled: boolean) =>
    attempt(async () => {
      await api.call('PATCH /api/log-drains/:logDrainId', { params: params(), body: { enabled } });
      await renewDrains();
    });
  const remove = () =>
    attempt(async () => {
      await api.call('DELETE /api/log-drains/:logDrainId', { params: params() });
      say(noticesText.removed(name()));
      await renewDrains();
    });
  return (
    <li>
      <div>
        <p>
          <strong>{name()}</strong> <span class="tag">{drainsText.kinds[props.drain.kind]}</span>{' '}
          <Show when={!props.drain.enabled}>
            <span class="tag waits">{drainsText.paused}</span>
          </Show>
        </p>
        <p class="quiet-text facts-line">
          <code>{props.drain.target}</code>
          <span>
            {props.drain.level === null
              ? drainsText.allLines
              : drainsText.from(projectLogsText.levels[props.drain.level])}
          </span>
        </p>
        <Show when={props.drain.enabled} fallback={<p class="quiet-text">{drainsText.pauseHelp}</p>}>
          <DrainStatus drain={props.drain} />
        </Show>
        <TestResult result={result()} />
      </div>
      <Show when={props.mayWrite}>
        <div class="actions">
          <Button
            class="small"
            busy={isTesting()}
            aria-label={noticesText.testLabel(name())}
            onClick={() => void test()}
          >
            {noticesText.test}
          </Button>
          <Button
            class="small"
            aria-label={drainsText.pauseLabel(name(), props.drain.enabled)}
            onClick={() => (props.drain.enabled ? setIsPausing(true) : void enable(true))}
          >
            {props.drain.enabled ? drainsText.pause : drainsText.resume}
          </Button>
          <EditAndRemove
            name={name()}
            removeHelp={drainsText.removeHelp}
            onEdit={props.onEdit}
            onRemove={() => void remove()}
          />
        </div>
      </Show>
      <Show when={isPausing()}>
        <Confirm
          title={drainsText.pauseTitle(name())}
          help={drainsText.pauseHelp}
          submit={drainsText.pause}
          onClose={() => setIsPausing(false)}
          onConfirm={() => void enable(false)}
        />
      </Show>
    </li>
  );
}
