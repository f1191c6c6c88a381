/** Lets a member give up the own access. */
import { createSignal } from 'solid-js';
import { api } from '../../../api/client.ts';
import { queries } from '../../../api/query-client.ts';
import { forgetSession } from '../../../api/session.ts';
import { membersText } from '../../../text/members-text.ts';
import { Button } from '../../../ui/button.tsx';
import { Show } from '../../../ui/show.ts';
import { attempt, say } from '../../../ui/toasts.tsx';
import { TypeName } from '../../../ui/type-name.tsx';

/** @param props.email must be typed to confirm */
export function Leave(props: { email: string }) {
  const [asking, setAsking] = createSignal(false);
  const leave = () =>
    attempt(async () => {
      const { detail } = await api.call('DELETE /api/membership');
      say(detail);
      queries.clear();
      forgetSession();
    });
  return (
    <section class="panel">
      <h2>{membersText.leaveTitle}</h2>
      <p class="quiet-text">{membersText.leaveHelp}</p>
      <div class="actions">
        <Button onClick={() => setAsking(true)}>{membersText.leave}</Button>
      </div>
      <Show when={asking()}>
        <TypeName
          title={membersText.leaveAsk}
          help={membersText.leaveAskHelp}
          name={props.email}
          submit={membersText.leaveSubmit}
          onClose={() => setAsking(false)}
          onConfirm={() => void leave()}
        />
      </Show>
    </section>
  );
}
