/** Commands next to the live version of a service: on a schedule, once, and in a shell. */
import type { Overview } from '../../../api/queries.ts';
import { Copyable } from '../../../ui/copy.tsx';
import { lazyRoom } from '../../../ui/lazy-room.ts';
import { Show } from '../../../ui/show.ts';
import { commandsText } from './commands-text.ts';
import { RunList } from './run-list.tsx';
import { RunPage } from './run-page.tsx';
import { Schedules } from './schedules.tsx';
import { shellText } from './shell/shell-text.ts';
import '../../../styles/commands.css';

const ShellPage = lazyRoom(async () => ({ default: (await import('./shell/shell-page.tsx')).ShellPage }));
/** Where an address has the id of a command. */
const shellEntry = 'shell';

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
            <Show when={props.mayWrite}>
              <p>
                <a class="button" href={`/services/${service().id}/commands/${shellEntry}`}>
                  {shellText.open}
                </a>
              </p>
            </Show>
            <p>{commandsText.shellHelp}</p>
            <p>
              <Copyable text={`longshore ssh -s ${service().id}`} what={commandsText.shellCommand} />
            </p>
          </section>
        </div>
      }
    >
      {(runId) => (
        <Show
          when={runId() === shellEntry}
          fallback={<RunPage serviceId={service().id} runId={runId()} mayWrite={props.mayWrite} />}
        >
          <ShellPage serviceId={service().id} serviceName={service().name} />
        </Show>
      )}
    </Show>
  );
}
