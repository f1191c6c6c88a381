/** Commands next to the live version of a service: on a schedule, once, and in a shell. */
import type { Overview } from '../../../api/queries.ts';
import { Copyable } from '../../../ui/copy.tsx';
import { Show } from '../../../ui/show.ts';
import { commandsText } from './commands-text.ts';
import { RunList } from './run-list.tsx';
import { RunPage } from './run-page.tsx';
import { Schedules } from './schedules.tsx';
import '../../../styles/commands.css';

/** @param props `runId`: the command that is shown alone; undefined: show the lists */
export function CommandsTab(props: { overview: Overview; runId: string | undefined; mayWrite: boolean }) {
  const service = () => props.overview.service;
  return (
    <Show
      when={props.runId}
      fallback={
        <div class="stack">
          <Schedules serviceId={service().id} mayWrite={props.mayWrite} />
          <RunList serviceId={service().id} mayWrite={props.mayWrite} />
          <section class="panel">
            <h2>{commandsText.shell}</h2>
            <p>{commandsText.shellHelp}</p>
            <p>
              <Copyable text={`longshore ssh -s ${service().id}`} what={commandsText.shellCommand} />
            </p>
          </section>
        </div>
      }
    >
      {(runId) => <RunPage serviceId={service().id} runId={runId()} mayWrite={props.mayWrite} />}
    </Show>
  );
}
