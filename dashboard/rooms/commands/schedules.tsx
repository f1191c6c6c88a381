/** Commands of a service that start by the clock. */
import { createSignal } from 'solid-js';
import { usePageCommands } from '../../shell/commands.ts';
import { t } from '../../text/text.ts';
import { Answer } from '../../ui/answer.tsx';
import { Button } from '../../ui/button.tsx';
import { Empty } from '../../ui/empty.tsx';
import { PlusIcon } from '../../ui/icons.tsx';
import { Rows } from '../../ui/rows.tsx';
import { Show } from '../../ui/show.ts';
import { EditSchedule } from './edit-schedule.tsx';
import { type Schedule, useSchedules } from './queries.ts';
import { ScheduleRow } from './schedule-row.tsx';

export function Schedules(props: { serviceId: string; mayWrite: boolean }) {
  const schedules = useSchedules(() => props.serviceId);
  const [edited, setEdited] = createSignal<Schedule | 'new'>();
  usePageCommands(() => (props.mayWrite ? [{ label: t.commands.add, run: () => setEdited('new') }] : []));
  return (
    <section class="stack">
      <header class="toolbar">
        <h2>{t.commands.schedules}</h2>
        <Show when={props.mayWrite}>
          <Button icon={PlusIcon} onClick={() => setEdited('new')}>
            {t.commands.add}
          </Button>
        </Show>
      </header>
      <Answer query={schedules} lines={2}>
        {(all) => (
          <ul class="lines schedules">
            <Rows each={all()} fallback={<Empty title={t.commands.none} help={t.commands.noneHelp} inList />}>
              {(schedule) => (
                <ScheduleRow
                  schedule={schedule()}
                  mayWrite={props.mayWrite}
                  onEdit={() => setEdited(schedule())}
                />
              )}
            </Rows>
          </ul>
        )}
      </Answer>
      <Show when={edited()} keyed>
        {(schedule) => (
          <EditSchedule
            serviceId={props.serviceId}
            schedule={schedule === 'new' ? undefined : schedule}
            onClose={() => setEdited(undefined)}
          />
        )}
      </Show>
    </section>
  );
}
