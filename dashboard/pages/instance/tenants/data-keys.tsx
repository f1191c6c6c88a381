/** The keys that encrypt the secrets of a tenant's projects: their age, and a button for new keys. */

import { createSignal } from 'solid-js';
import { operatorApi } from '../../../api/operator.ts';
import { queries } from '../../../api/query-client.ts';
import { useQuery } from '../../../api/use-query.ts';
import { Age } from '../../../ui/age.tsx';
import { Answer } from '../../../ui/answer.tsx';
import { Button } from '../../../ui/button.tsx';
import { Confirm } from '../../../ui/dialog.tsx';
import { Show } from '../../../ui/show.ts';
import { attempt, say } from '../../../ui/toasts.tsx';
import type { Tenant } from '../instance-queries.ts';
import { tenantsText } from '../tenants-text.ts';

const texts = tenantsText;

export function DataKeys(props: { tenant: Tenant }) {
  const [isAsking, setIsAsking] = createSignal(false);
  const params = () => ({ tenantId: props.tenant.id });
  const queryKey = () => ['operator', 'data-keys', props.tenant.id];
  const keys = useQuery(() => ({
    queryKey: queryKey(),
    queryFn: async ({ signal }) =>
      (await operatorApi.call('GET /api/system/tenants/:tenantId/data-keys', { params: params(), signal }))
        .dataKeys,
  }));
  const make = () =>
    attempt(async () => {
      await operatorApi.call('POST /api/system/tenants/:tenantId/data-keys', { params: params() });
      say(texts.keysMade);
      await queries.invalidateQueries({ queryKey: queryKey() });
    });
  return (
    <Answer query={keys} lines={1}>
      {(data) => (
        <p class="facts-line quiet-text">
          <span>
            {texts.dataKeys}:{' '}
            <Show when={data().oldestKeyMadeAt} fallback={texts.noKeys}>
              {(at) => (
                <>
                  {texts.oldest} <Age at={at()} />
                </>
              )}
            </Show>
          </span>
          <Show when={data().rowsToReseal > 0}>
            <span>{texts.toReseal(data().rowsToReseal)}</span>
          </Show>
          <Button
            class="small"
            aria-label={texts.newKeysLabel(props.tenant.name)}
            onClick={() => setIsAsking(true)}
          >
            {texts.newKeys}
          </Button>
          <Show when={isAsking()}>
            <Confirm
              title={texts.newKeysTitle(props.tenant.name)}
              help={texts.newKeysHelp}
              submit={texts.newKeys}
              onClose={() => setIsAsking(false)}
              onConfirm={() => void make()}
            />
          </Show>
        </p>
      )}
    </Answer>
  );
}
