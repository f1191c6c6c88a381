/** One log drain: its receiver and lines, a test, a pause, and its progress. */
import { createSignal } from 'solid-js';
import { api } from '../../api/client.ts';
import { t } from '../../text/text.ts';
import { Button } from '../../ui/button.tsx';
import { Confirm } from '../../ui/dialog.tsx';
import { EditAndRemove } from '../../ui/edit-and-remove.tsx';
import { Show } from '../../ui/show.ts';
import { createTest, TestResult } from '../../ui/test-result.tsx';
import { attempt, say } from '../../ui/toasts.tsx';
import { DrainStatus } from './drain-status.tsx';
import { type LogDrain, renewDrains } from './queries.ts';

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
      say(t.notices.removed(name()));
      await renewDrains();
    });
  return (
    <li>
      <div>
        <p>
          <strong>{name()}</strong> <span class="tag">{t.drains.kinds[props.drain.kind]}</span>{' '}
          <Show when={!props.drain.enabled}>
            <span class="tag waits">{t.drains.paused}</span>
          </Show>
        </p>
        <p class="quiet-text facts-line">
          <code>{props.drain.target}</code>
          <span>
            {props.drain.level === null
              ? t.drains.allLines
              : t.drains.from(t.projectLogs.levels[props.drain.level])}
          </span>
        </p>
        <Show when={props.drain.enabled} fallback={<p class="quiet-text">{t.drains.pauseHelp}</p>}>
          <DrainStatus drain={props.drain} />
        </Show>
        <TestResult result={result()} />
      </div>
      <Show when={props.mayWrite}>
        <div class="actions">
          <Button
            class="small"
            busy={isTesting()}
            aria-label={t.notices.testLabel(name())}
            onClick={() => void test()}
          >
            {t.notices.test}
          </Button>
          <Button
            class="small"
            aria-label={t.drains.pauseLabel(name(), props.drain.enabled)}
            onClick={() => (props.drain.enabled ? setIsPausing(true) : void enable(true))}
          >
            {props.drain.enabled ? t.drains.pause : t.drains.resume}
          </Button>
          <EditAndRemove
            name={name()}
            removeHelp={t.drains.removeHelp}
            onEdit={props.onEdit}
            onRemove={() => void remove()}
          />
        </div>
      </Show>
      <Show when={isPausing()}>
        <Confirm
          title={t.drains.pauseTitle(name())}
          help={t.drains.pauseHelp}
          submit={t.drains.pause}
          onClose={() => setIsPausing(false)}
          onConfirm={() => void enable(false)}
        />
      </Show>
    </li>
  );
}
