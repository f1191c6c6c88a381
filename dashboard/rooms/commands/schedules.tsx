/** Commands of a service that start on a schedule. */
import { t } from '../../text/text.ts';
import { EditedList } from '../edited-list.tsx';
import { EditSchedule } from './edit-schedule.tsx';
import { useSchedules } from './queries.ts';
import { ScheduleRow } from './schedule-row.tsx';

export function Schedules(props: { serviceId: string; mayWrite: boolean }) {
  const query = useSchedules(() => props.serviceId);
  return (
    <EditedList
      query={query}
      class="schedules"
      title={t.commands.schedules}
      mayEdit={props.mayWrite}
      add={t.commands.add}
      none={{ title: t.commands.none, help: t.commands.noneHelp }}
      row={(schedule, edit) => <ScheduleRow schedule={schedule()} mayWrite={props.mayWrite} onEdit={edit} />}
      dialog={(schedule, close) => (
        <EditSchedule serviceId={props.serviceId} schedule={schedule} onClose={close} />
      )}
    />
  );
}
