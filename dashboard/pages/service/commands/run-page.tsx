/** One command: its progress, the reason of a failure, and its live log. */
import { createEffect, createSignal, on, onCleanup } from 'solid-js';
import { api } from '../../../api/client.ts';
import { followRun } from '../../../api/follow.ts';
import { known } from '../../../api/known.ts';
import { createLogLines, type LogLines } from '../../../log/log-lines.ts';
import { LogView } from '../../../log/log-view.tsx';
import { usePageCommands } from '../../../shell/commands.ts';
import { Answer } from '../../../ui/answer.tsx';
import { Button } from '../../../ui/button.tsx';
import { Confirm } from '../../../ui/dialog.tsx';
import { StopIcon, WarnIcon } from '../../../ui/icons.tsx';
import { Show } from '../../../ui/show.ts';
import { attempt, say, sayFailure } from '../../../ui/toasts.tsx';
import { errorLine, useExplanation } from '../failure/explained-failure.ts';
import { Explanation } from '../failure/explanation.tsx';
import { commandsText } from './commands-text.ts';
import { RunFacts, RunState } from './run-facts.tsx';
import { isOpen, type Run, renewCommands, useRun, useSchedules } from './run-queries.ts';
import { StartRun } from './start-run.tsx';

interface RunPageProps {
  serviceId: string;
  runId: string;
  mayWrite: boolean;
}

export function RunPage(props: RunPageProps) {
  const run = useRun(
    () => props.serviceId,
    () => props.runId,
  );
  return (
    <div class="run-page">
      <p>
        <a href={`/services/${props.serviceId}/commands`}>{commandsText.back}</a>
      </p>
      <Answer query={run}>{(data) => <Page run={data()} mayWrite={props.mayWrite} />}</Answer>
    </div>
  );
}

function Page(props: { run: Run; mayWrite: boolean }) {
  const run = () => props.run;
  const schedules = useSchedules(() => run().serviceId);
  const schedule = () => known(schedules)?.find(({ id }) => id === run().scheduleId);
  const { lines, isStreaming } = useLog(run);
  const failed = () => ({ kind: 'run' as const, id: run().id, serviceId: run().serviceId });
  const explanation = useExplanation(() => (run().status === 'failed' ? failed() : undefined));
  return (
    <>
      <header class="toolbar">
        <div>
          <h2 class="long-text">
            <code>{run().command}</code> <RunState run={run()} />
          </h2>
          <RunFacts run={run()} schedule={schedule()?.name} />
        </div>
        <Show when={props.mayWrite}>
          <RunActions run={run()} />
        </Show>
      </header>
      <Show when={run().status === 'failed'}>
        <section class="panel attention">
          <h2>
            <WarnIcon /> {commandsText.whyFailed}
          </h2>
          <Explanation
            failed={failed()}
            query={explanation}
            message={run().error}
            mayDeploy={props.mayWrite}
            mayWrite={props.mayWrite}
            hasLog
          />
        </section>
      </Show>
      <LogView
        lines={lines()}
        isLive={isOpen(run())}
        isOpen={isStreaming()}
        name={run().id}
        label="number"
        openAt={errorLine(explanation.data)}
      />
    </>
  );
}

function RunActions(props: { run: Run }) {
  const [asked, setAsked] = createSignal<'abort' | 'again'>();
  const abort = () =>
    attempt(async () => {
      const params = { serviceId: props.run.serviceId, runId: props.run.id };
      await api.call('POST /api/services/:serviceId/runs/:runId/abort', { params });
      say(commandsText.abortSent);
      await renewCommands(props.run.serviceId);
    });
  usePageCommands(() =>
    isOpen(props.run)
      ? [{ label: commandsText.abort, run: () => setAsked('abort') }]
      : [{ label: commandsText.again, run: () => setAsked('again') }],
  );
  return (
    <div class="actions">
      <Show
        when={isOpen(props.run)}
        fallback={<Button onClick={() => setAsked('again')}>{commandsText.again}</Button>}
      >
        <Button icon={StopIcon} onClick={() => setAsked('abort')}>
          {commandsText.abort}
        </Button>
      </Show>
      <Show when={asked() === 'abort'}>
        <Confirm
          title={commandsText.abortTitle}
          help={commandsText.abortHelp}
          submit={commandsText.abort}
          danger
          onClose={() => setAsked(undefined)}
          onConfirm={() => void abort()}
        />
      </Show>
      <Show when={asked() === 'again'}>
        <StartRun
          serviceId={props.run.serviceId}
          command={props.run.command}
          timeLimitSeconds={props.run.timeLimitSeconds}
          container={props.run.container}
          onClose={() => setAsked(undefined)}
        />
      </Show>
    </div>
  );
}

/** Reads the output from its stream. For an ended command, the stream sends all lines and closes. */
function useLog(run: () => Run) {
  const [lines, setLines] = createSignal<LogLines>(createLogLines());
  const [isStreaming, setIsStreaming] = createSignal(false);
  createEffect(
    on(
      () => run().id,
      (runId) => {
        const log = createLogLines();
        setLines(log);
        const stop = new AbortController();
        onCleanup(() => stop.abort());
        void followRun(
          { serviceId: run().serviceId, runId },
          {
            onLines: log.add,
            onEnd: () => isOpen(run()) && void renewCommands(run().serviceId),
            onRefusal: sayFailure,
            onOpen: setIsStreaming,
          },
          stop.signal,
        );
      },
    ),
  );
  return { lines, isStreaming };
}
