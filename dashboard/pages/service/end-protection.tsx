/** Ends the protection of a service against deletion, for users who are also signed in as the operator. */
import { createSignal } from 'solid-js';
import { isOperator, operatorApi } from '../../api/operator.ts';
import { renewService, type Service } from '../../api/queries.ts';
import { Button } from '../../ui/button.tsx';
import { Confirm } from '../../ui/dialog.tsx';
import { Show } from '../../ui/show.ts';
import { attempt, say } from '../../ui/toasts.tsx';
import { protectionText } from './protection-text.ts';

export function EndProtection(props: { service: Service }) {
  const [isAsking, setIsAsking] = createSignal(false);
  const end = () =>
    attempt(async () => {
      const { id, name } = props.service;
      const request = { params: { serviceId: id }, body: { protected: false } };
      await operatorApi.call('PATCH /api/system/services/:serviceId', request);
      say(protectionText.ended(name));
      await renewService(id);
    });
  return (
    <Show when={isOperator()}>
      <Button class="small" onClick={() => setIsAsking(true)}>
        {protectionText.end}
      </Button>
      <Show when={isAsking()}>
        <Confirm
          title={protectionText.title(props.service.name)}
          help={protectionText.help}
          submit={protectionText.submit}
          danger
          onClose={() => setIsAsking(false)}
          onConfirm={() => void end()}
        />
      </Show>
    </Show>
  );
}
