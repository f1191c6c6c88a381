/** One schedule: its times in words, the next time, the result of the last one, and a button to start it now. */
import { useNavigate } from '@solidjs/router';
import { createSignal } from 'solid-js';
import { api } from '../../../api/client.ts';
import { Age, now, spanText } from '../../../ui/age.tsx';
import { Button } from '../../../ui/button.tsx';
import { EditAndRemove } from '../../../ui/edit-and-remove.tsx';
import { Show } from '../../../ui/show.ts';
import { attempt, say } from '../../../ui/toasts.tsx';
import { commandsText } from './commands-text.ts';
import { RunState } from './run-facts.tsx';
import { renewCommands, type Schedule } from './run-queries.ts';
import { timeIn } from './time-preview.tsx';

interface ScheduleRowProps {
  schedule: Schedule;
  mayWrite: boolean;
  onEdit(): void;
}

export function ScheduleRow(props: ScheduleRowProps) {
  const navigate = useNavigate();
  const [busy, setBusy] = createSignal(false);
  const schedule = () => props.schedule;
  const params = () => ({ serviceId: schedule().serviceId, scheduleId: schedule().id });
  const room = () => `/services/${schedule().serviceId}/commands`;
  const runNow = async () => {
    setBusy(true);
    await attempt(async () => {
      const route = 'POST /api/services/:serviceId/schedules/:scheduleId/run';
      const { run } = await api.call(route, { params: params() });
      navigate(`${room()}/${run.id}`);
    });
    setBusy(false);
    await renewCommands(schedule().serviceId);
  };
  const enable = (enabled: boolean) =>
    attempt(async () => {
      const options = { params: params(), body: { enabled } };
      await api.call('PATCH /api/services/:serviceId/schedules/:scheduleId', options);
      say(enabled ? commandsText.resumedNow(schedule().name) : commandsText.pausedNow(schedule().name));
      await renewCommands(schedule().serviceId);
    });
  const remove = () =>
    attempt(async () => {
      await api.call('DELETE /api/services/:serviceId/schedules/:scheduleId', { params: params() });
      say(commandsText.removed(schedule().name));
      await renewCommands(schedule().serviceId);
    });
  return (
    <li>
      <div>
        <p>
          <strong>{schedule().name}</strong>{' '}
          <Show when={!schedule().enabled}>
            <span class="tag waits">{commandsText.paused}</span>
          </Show>
        </p>
        <p class="facts-line">
          <span>{schedule().inWords ?? commandsText.noWords}</span>
          <code>{schedule().cron}</code>
          <span class="quiet-text">{schedule().timeZone}</span>
        </p>
        <p class="long-text">
          <code>{schedule().command}</code>
        </p>
        <p class="quiet-text facts-line">
          <Show when={schedule().nextRunAt}>
            {(at) => <NextTime at={at()} timeZone={schedule().timeZone} />}
          </Show>
          <LastTime schedule={schedule()} room={room()} />
          <Show when={schedule().container === 'live'}>
            <span>{commandsText.containerShort}</span>
          </Show>
          <span>{commandsText.overlapShort[schedule().overlap]}</span>
          <a
            href={`${room()}?schedule=${schedule().id}#runs`}
            aria-label={commandsText.historyLabel(schedule().name)}
          >
            {commandsText.history}
          </a>
        </p>
        <Trouble schedule={schedule()} />
      </div>
      <div class="actions">
        <Show when={props.mayWrite}>
          <Button
            class="small"
            busy={busy()}
            aria-label={commandsText.runNowLabel(schedule().name)}
            onClick={() => void runNow()}
          >
            {commandsText.runNow}
          </Button>
          <Button
            class="small"
            aria-label={commandsText.pauseLabel(schedule().name, schedule().enabled)}
            onClick={() => void enable(!schedule().enabled)}
          >
            {schedule().enabled ? commandsText.pause : commandsText.resume}
          </Button>
          <EditAndRemove
            name={schedule().name}
            removeHelp={commandsText.removeHelp}
            onEdit={props.onEdit}
            onRemove={() => void remove()}
          />
        </Show>
      </div>
    </li>
  );
}

/** The time left, and the time in the zone of the schedule. */
function NextTime(props: { at: string; timeZone: string }) {
  const left = () => Date.parse(props.at) - Math.max(now(), Date.now());
  return (
    <span>
      {commandsText.next}{' '}
      <time datetime={props.at} title={timeIn(props.timeZone, props.at)}>
        {left() < 60_000 ? commandsText.soon : commandsText.within(spanText(left()))},{' '}
        {timeIn(props.timeZone, props.at)}
      </time>
    </span>
  );
}

function LastTime(props: { schedule: Schedule; room: string }) {
  return (
    <Show when={props.schedule.lastOccurrence} fallback={<span>{commandsText.neverRan}</span>}>
      {(last) => (
        <span>
          {commandsText.last} <Age at={last().dueAt} /> <RunState run={last().run} />{' '}
          <Show when={last().run}>
            {(run) => (
              <a
                href={`${props.room}/${run().id}`}
                aria-label={commandsText.logLabel(props.schedule.name, commandsText.last)}
              >
                {commandsText.openLog}
              </a>
            )}
          </Show>
        </span>
      )}
    </Show>
  );
}

/** Why the last time did not succeed. */
function Trouble(props: { schedule: Schedule }) {
  const last = () => props.schedule.lastOccurrence;
  return (
    <>
      <Show when={last()?.reason}>{(reason) => <p class="warning">{reason()}</p>}</Show>
      <Show when={last()?.run?.status === 'failed' && last()?.run?.error}>
        {(error) => <p class="field-failure">{error()}</p>}
      </Show>
      <Show when={last()?.missed}>{(n) => <p class="warning">{commandsText.missed(n())}</p>}</Show>
    </>
  );
}
