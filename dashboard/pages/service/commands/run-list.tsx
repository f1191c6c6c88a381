/** Past commands, newest first: all commands of a service, or the times of one schedule including the skipped ones. */
import { useSearchParams } from '@solidjs/router';
import { createSignal, For } from 'solid-js';
import { known } from '../../../api/known.ts';
import { usePageCommands } from '../../../shell/commands.ts';
import { t } from '../../../text/text.ts';
import { Age } from '../../../ui/age.tsx';
import { Answer } from '../../../ui/answer.tsx';
import { Button } from '../../../ui/button.tsx';
import { Empty } from '../../../ui/empty.tsx';
import { Rows } from '../../../ui/rows.tsx';
import { Show } from '../../../ui/show.ts';
import { commandsText } from './commands-text.ts';
import { RunFacts, RunState } from './run-facts.tsx';
import { type Occurrence, useHistory, useSchedules } from './run-queries.ts';
import { StartRun } from './start-run.tsx';

/** Number of rows at first, and with each click for more. */
const pageSize = 25;
/** The maximum number in one answer of the API. */
const shownMax = 500;

export function RunList(props: { serviceId: string; mayWrite: boolean }) {
  const [address, setAddress] = useSearchParams<{ schedule?: string }>();
  const schedules = useSchedules(() => props.serviceId);
  const [count, setCount] = createSignal(pageSize);
  const [isStarting, setIsStarting] = createSignal(false);
  const all = () => known(schedules) ?? [];
  const chosen = () => all().find(({ id }) => id === address.schedule);
  const history = useHistory(
    () => props.serviceId,
    () => ({ scheduleId: chosen()?.id ?? '', count: count() }),
  );
  const nameOf = (scheduleId: string | null) => all().find(({ id }) => id === scheduleId)?.name;
  usePageCommands(() =>
    props.mayWrite ? [{ label: commandsText.runOnce, run: () => setIsStarting(true) }] : [],
  );
  return (
    <section class="stack" id="runs">
      <header class="toolbar">
        <h2>{commandsText.runs}</h2>
        <div class="actions">
          <Show when={all().length > 0}>
            <label class="inline-choice">
              <span>{commandsText.show}</span>
              <select
                data-filter
                onChange={(event) => {
                  setCount(pageSize);
                  setAddress({ schedule: event.currentTarget.value });
                }}
              >
                <option value="">{commandsText.allRuns}</option>
                <For each={all()}>
                  {({ id, name }) => (
                    <option value={id} selected={id === chosen()?.id}>
                      {commandsText.runsOf(name)}
                    </option>
                  )}
                </For>
              </select>
            </label>
          </Show>
          <Show when={props.mayWrite}>
            <Button kind="primary" onClick={() => setIsStarting(true)}>
              {commandsText.runOnce}
            </Button>
          </Show>
        </div>
      </header>
      <Answer query={history} lines={3}>
        {(data) => (
          <>
            <ul class="lines runs">
              <Rows
                each={data().times}
                by={({ run, dueAt }) => run?.id ?? dueAt}
                fallback={
                  <Show
                    when={chosen()}
                    fallback={<Empty title={commandsText.noRuns} help={commandsText.noRunsHelp} inList />}
                  >
                    <Empty title={commandsText.noTimes} inList />
                  </Show>
                }
              >
                {(time) => (
                  <TimeRow
                    time={time()}
                    schedule={nameOf(time().run?.scheduleId ?? null)}
                    room={`/services/${props.serviceId}/commands`}
                  />
                )}
              </Rows>
            </ul>
            <Show when={data().hasMore && count() < shownMax}>
              <Button busy={history.isFetching} onClick={() => setCount((n) => Math.min(n * 2, shownMax))}>
                {t.more}
              </Button>
            </Show>
          </>
        )}
      </Answer>
      <Show when={isStarting()}>
        <StartRun serviceId={props.serviceId} onClose={() => setIsStarting(false)} />
      </Show>
    </section>
  );
}

function TimeRow(props: { time: Occurrence; schedule: string | undefined; room: string }) {
  return (
    <li>
      <div>
        <Show
          when={props.time.run}
          fallback={
            <p>
              <RunState run={null} /> <Age at={props.time.dueAt} />
            </p>
          }
        >
          {(run) => (
            <>
              <p class="long-text">
                <RunState run={run()} />{' '}
                <a href={`${props.room}/${run().id}`}>
                  <code>{run().command}</code>
                </a>
              </p>
              <RunFacts run={run()} schedule={props.schedule} />
              <Show when={run().exitCode === null && run().error}>
                {(error) => <p class="quiet-text">{error()}</p>}
              </Show>
            </>
          )}
        </Show>
        <Show when={props.time.reason}>{(reason) => <p class="quiet-text">{reason()}</p>}</Show>
        <Show when={props.time.missed}>{(n) => <p class="warning">{commandsText.missed(n())}</p>}</Show>
      </div>
    </li>
  );
}
