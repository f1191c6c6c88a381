/** The signed-in member's passkeys: add, rename, remove. */

import { createSignal } from 'solid-js';
import { api } from '../../../api/client.ts';
import { addPasskey, hasPasskeys } from '../../../api/passkeys.ts';
import { queries } from '../../../api/query-client.ts';
import { useQuery } from '../../../api/use-query.ts';
import { passkeysText } from '../../../text/passkeys-text.ts';
import { Answer } from '../../../ui/answer.tsx';
import { Button } from '../../../ui/button.tsx';
import { PlusIcon } from '../../../ui/icons.tsx';
import { LocalAddress } from '../../../ui/local-address.tsx';
import { Rows } from '../../../ui/rows.tsx';
import { Show } from '../../../ui/show.ts';
import { attempt, say } from '../../../ui/toasts.tsx';
import { PasskeyRow } from './passkey-row.tsx';

const queryKey = ['passkeys'];
/** Renews the passkeys, and the accounts at providers, whose data contains the number of passkeys. */
const renew = async () => {
  await queries.invalidateQueries({ queryKey });
  await queries.invalidateQueries({ queryKey: ['identities'] });
};

export function OwnPasskeys() {
  const passkeys = useQuery(() => ({
    queryKey,
    queryFn: ({ signal }: { signal: AbortSignal }) => api.call('GET /api/passkeys', { signal }),
  }));
  const [busy, setBusy] = createSignal(false);
  const add = async () => {
    setBusy(true);
    if (await attempt(addPasskey)) say(passkeysText.added);
    setBusy(false);
    await renew();
  };
  return (
    <section class="panel" id="passkeys">
      <h2>{passkeysText.title}</h2>
      <p class="quiet-text">{passkeysText.help}</p>
      <Answer query={passkeys} lines={2}>
        {(data) => (
          <Show when={data().passkeys.length > 0} fallback={<p>{passkeysText.none}</p>}>
            <ul class="sessions">
              <Rows each={data().passkeys}>
                {(passkey) => (
                  <PasskeyRow
                    passkey={passkey()}
                    others={data().passkeys.length - 1}
                    otherWays={data().otherWays}
                    renew={renew}
                  />
                )}
              </Rows>
            </ul>
          </Show>
        )}
      </Answer>
      <Show
        when={hasPasskeys()}
        fallback={
          <p class="quiet-text">
            {passkeysText.notHere} <LocalAddress />
          </p>
        }
      >
        <div class="actions">
          <Button icon={PlusIcon} busy={busy()} onClick={() => void add()}>
            {passkeysText.add}
          </Button>
        </div>
      </Show>
    </section>
  );
}
