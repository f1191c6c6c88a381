/** The signed-in member's accounts at providers: add, remove. */

import { createSignal, For } from 'solid-js';
import { api } from '../../../api/client.ts';
import { addAccountAt, type SignInProvider } from '../../../api/provider-sign-in.ts';
import { queries } from '../../../api/query-client.ts';
import { useQuery } from '../../../api/use-query.ts';
import { Answer } from '../../../ui/answer.tsx';
import { Button } from '../../../ui/button.tsx';
import { PlusIcon } from '../../../ui/icons.tsx';
import { Rows } from '../../../ui/rows.tsx';
import { Show } from '../../../ui/show.ts';
import { attempt, say } from '../../../ui/toasts.tsx';
import { identitiesText } from '../identities-text.ts';
import { IdentityRow } from './identity-row.tsx';

const queryKey = ['identities'];
/** Renews the accounts, and the passkeys, whose data depends on the other ways to sign in. */
const renew = async () => {
  await queries.invalidateQueries({ queryKey });
  await queries.invalidateQueries({ queryKey: ['passkeys'] });
};

export function OwnIdentities() {
  const identities = useQuery(() => ({
    queryKey,
    queryFn: ({ signal }: { signal: AbortSignal }) => api.call('GET /api/identities', { signal }),
  }));
  const offered = () => (identities.data?.providers ?? []).filter(({ available }) => available);
  const isShown = () => (identities.data?.identities ?? []).length > 0 || offered().length > 0;
  const [busy, setBusy] = createSignal(false);
  const add = async (provider: SignInProvider) => {
    setBusy(true);
    const isDone = await attempt(async () => {
      if (!(await addAccountAt(provider, '/settings'))) return;
      say(identitiesText.added);
      setBusy(false);
      await renew();
    });
    if (!isDone) setBusy(false);
  };
  return (
    <Show when={isShown()}>
      <section class="panel" id="identities">
        <h2>{identitiesText.title}</h2>
        <p class="quiet-text">{identitiesText.help}</p>
        <Answer query={identities} lines={2}>
          {(data) => (
            <Show when={data().identities.length > 0} fallback={<p>{identitiesText.none}</p>}>
              <ul class="sessions">
                <Rows each={data().identities}>
                  {(identity) => <IdentityRow identity={identity()} ways={data().ways} renew={renew} />}
                </Rows>
              </ul>
            </Show>
          )}
        </Answer>
        <Show when={offered().length > 0}>
          <div class="actions">
            <For each={offered()}>
              {(provider) => (
                <Button icon={PlusIcon} busy={busy()} onClick={() => void add(provider)}>
                  {identitiesText.add(provider.name)}
                </Button>
              )}
            </For>
          </div>
        </Show>
      </section>
    </Show>
  );
}
