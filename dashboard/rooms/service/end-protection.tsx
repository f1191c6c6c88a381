/** Ends the protection of a service against deletion, for users who are also signed in as the operator. */
import { createSignal } from 'solid-js';
import { isOperator, operatorApi } from '../../api/operator.ts';
import { renewService, type Service } from '../../api/queries.ts';
import { t } from '../../text/text.ts';
import { Button } from '../../ui/button.tsx';
import { Confirm } from '../../ui/dialog.tsx';
import { Show } from '../../ui/show.ts';
import { attempt, say } from '../../ui/toasts.tsx';

export function EndProtection(props: { service: Service }) {
  const [isAsking, setIsAsking] = createSignal(false);
  const end = () =>
    attempt(async () => {
      const { id, name } = props.service;
      const request = { params: { serviceId: id }, body: { protected: false } };
      await operatorApi.call('PATCH /api/system/services/:serviceId', request);
      say(t.protection.ended(name));
      await renewService(id);
    });
  return (
    <Show when={isOperator()}>
      <Button class="small" onClick={() => setIsAsking(true)}>
        {t.protection.end}
      </Button>
      <Show when={isAsking()}>
        <Confirm
          title={t.protection.title(props.service.name)}
          help={t.protection.help}
          submit={t.protection.submit}
          danger
          onClose={() => setIsAsking(false)}
          onConfirm={() => void end()}
        />
      </Show>
    </Show>
  );
}
