/** Commands of a service that start on a schedule. */

import { EditedList } from '../../../shell/edited-list.tsx';
import { commandsText } from './commands-text.ts';
import { EditSchedule } from './edit-schedule.tsx';
import { useSchedules } from './run-queries.ts';
import { ScheduleRow } from './schedule-row.tsx';

export function Schedules(props: { serviceId: string; mayWrite: boolean }) {
  const query = useSchedules(() => props.serviceId);
  return (
    <EditedList
      query={query}
      class="schedules"
      title={commandsText.schedules}
      mayEdit={props.mayWrite}
      add={commandsText.add}
      none={{ title: commandsText.none, help: commandsText.noneHelp }}
      row={(schedule, edit) => <ScheduleRow schedule={schedule()} mayWrite={props.mayWrite} onEdit={edit} />}
      dialog={(schedule, close) => (
        <EditSchedule serviceId={props.serviceId} schedule={schedule} onClose={close} />
      )}
    />
  );
}
