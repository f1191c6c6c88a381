/** The keys that the signed-in member has made for programs: create, revoke. */

import { createSignal } from 'solid-js';
import type { ReplyOf } from '../../../../client/client.ts';
import { api } from '../../../api/client.ts';
import type { OwnKey } from '../../../api/queries.ts';
import { queries } from '../../../api/query-client.ts';
import { useQuery } from '../../../api/use-query.ts';
import { apiKeysText } from '../../../text/operator-text.ts';
import { t } from '../../../text/text.ts';
import { Age, exactTime, now } from '../../../ui/age.tsx';
import { Answer } from '../../../ui/answer.tsx';
import { Button } from '../../../ui/button.tsx';
import { Confirm } from '../../../ui/dialog.tsx';
import { PlusIcon } from '../../../ui/icons.tsx';
import { Rows } from '../../../ui/rows.tsx';
import { Show } from '../../../ui/show.ts';
import { ShownOnce } from '../../../ui/shown-once.tsx';
import { attempt, say } from '../../../ui/toasts.tsx';
import { type IssuedKey, NewOwnKey } from './new-own-key.tsx';
import { ownKeysText } from './own-keys-text.ts';

type MadeKey = ReplyOf<'GET /api/keys'>['keys'][number];

const queryKey = ['made-keys'];
const renew = () => queries.invalidateQueries({ queryKey });

export function OwnKeys(props: { ownKey: OwnKey }) {
  const keys = useQuery(() => ({
    queryKey,
    queryFn: async ({ signal }: { signal: AbortSignal }) => (await api.all('GET /api/keys', { signal })).keys,
  }));
  const [isCreating, setIsCreating] = createSignal(false);
  const [issued, setIssued] = createSignal<IssuedKey>();
  const mayMake = () => props.ownKey.may.includes('make-keys');
  return (
    <section class="panel" id="keys">
      <h2>{ownKeysText.title}</h2>
      <p class="quiet-text">{mayMake() ? ownKeysText.help : `${ownKeysText.help} ${ownKeysText.notYours}`}</p>
      <Answer query={keys} lines={2}>
        {(all) => (
          <Show when={all().length > 0} fallback={<p>{ownKeysText.none}</p>}>
            <ul class="sessions">
              <Rows each={all()}>{(key) => <KeyRow madeKey={key()} mayRevoke={mayMake()} />}</Rows>
            </ul>
          </Show>
        )}
      </Answer>
      <Show when={mayMake()}>
        <div class="actions">
          <Button icon={PlusIcon} onClick={() => setIsCreating(true)}>
            {apiKeysText.create}
          </Button>
        </div>
      </Show>
      <Show when={isCreating()}>
        <NewOwnKey
          ownKey={props.ownKey}
          onIssued={(key) => {
            setIssued(key);
            void renew();
          }}
          onClose={() => setIsCreating(false)}
        />
      </Show>
      <Show when={issued()} keyed>
        {(made) => (
          <ShownOnce
            title={ownKeysText.issuedTitle(made.name)}
            help={apiKeysText.shownOnce}
            what={apiKeysText.token}
            secret={made.token}
            onClose={() => setIssued(undefined)}
          />
        )}
      </Show>
    </section>
  );
}

function KeyRow(props: { madeKey: MadeKey; mayRevoke: boolean }) {
  const [isAsking, setIsAsking] = createSignal(false);
  const name = () => props.madeKey.name;
  const isExpired = () => Date.parse(props.madeKey.expiresAt ?? '') <= now();
  const revoke = () =>
    attempt(async () => {
      await api.call('DELETE /api/keys/:keyId', { params: { keyId: props.madeKey.id } });
      say(apiKeysText.revoked(name()));
      await renew();
    });
  return (
    <li>
      <KeyFacts madeKey={props.madeKey} isExpired={isExpired()} />
      <Show when={props.mayRevoke && !isExpired()}>
        <Button class="small" aria-label={apiKeysText.revokeLabel(name())} onClick={() => setIsAsking(true)}>
          {apiKeysText.revoke}
        </Button>
      </Show>
      <Show when={isAsking()}>
        <Confirm
          title={apiKeysText.revokeTitle(name())}
          help={ownKeysText.revokeHelp}
          submit={apiKeysText.revoke}
          danger
          onClose={() => setIsAsking(false)}
          onConfirm={() => void revoke()}
        />
      </Show>
    </li>
  );
}

function KeyFacts(props: { madeKey: MadeKey; isExpired: boolean }) {
  const projects = () => {
    const { projects: chosen } = props.madeKey;
    return chosen === 'all' ? t.settings.allProjects : t.settings.someProjects(chosen.length);
  };
  return (
    <span>
      <strong>{props.madeKey.name}</strong> <span class="tag">{apiKeysText.short[props.madeKey.access]}</span>{' '}
      <Show when={props.isExpired}>
        <span class="tag waits">{apiKeysText.expired}</span>
      </Show>
      <small class="quiet-text facts-line">
        <code>{props.madeKey.prefix}</code>
        <span>{projects()}</span>
        <span>
          {apiKeysText.lastUsed}{' '}
          <Show when={props.madeKey.lastUsedAt} fallback={apiKeysText.unused.toLowerCase()}>
            {(at) => <Age at={at()} />}
          </Show>
        </span>
        <Show when={props.madeKey.expiresAt}>
          {(at) => (
            <span>
              {apiKeysText.expires} {exactTime(at())}
            </span>
          )}
        </Show>
      </small>
    </span>
  );
}
