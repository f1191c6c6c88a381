/** The notifications of a project: channels with their messages, and the rules that raise alerts. */
import type { Project } from '../../../api/queries.ts';
import { AlertRules } from './alert-rules.tsx';
import { Channels } from './channels.tsx';

export function Notices(props: { project: Project; mayWrite: boolean }) {
  return (
    <div class="stack">
      <Channels project={props.project} mayWrite={props.mayWrite} />
      <AlertRules project={props.project} mayWrite={props.mayWrite} />
    </div>
  );
}
