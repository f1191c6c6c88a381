/** API keys of the instance: create (the token is shown once), rotate, revoke. */
import { createSignal } from 'solid-js';
import { operatorApi } from '../../api/operator.ts';
import { usePageCommands } from '../../shell/commands.ts';
import { apiKeysText } from '../../text/operator-text.ts';
import { t } from '../../text/text.ts';
import { Age, exactTime, now } from '../../ui/age.tsx';
import { Answer } from '../../ui/answer.tsx';
import { Button } from '../../ui/button.tsx';
import { Confirm } from '../../ui/dialog.tsx';
import { Empty } from '../../ui/empty.tsx';
import { Filter } from '../../ui/filter.tsx';
import { PlusIcon } from '../../ui/icons.tsx';
import { Rows } from '../../ui/rows.tsx';
import { Show } from '../../ui/show.ts';
import { attempt, say } from '../../ui/toasts.tsx';
import { keySessionsText } from './instance-care-text.ts';
import { type ApiKey, renew, useKeys } from './instance-queries.ts';
import { KeySessions } from './key-sessions.tsx';
import { IssuedKey, NewKey } from './new-key.tsx';

export function Keys() {
  const keys = useKeys();
  const [words, setWords] = createSignal('');
  const [creating, setCreating] = createSignal(false);
  usePageCommands(() => [{ label: apiKeysText.create, run: () => setCreating(true) }]);
  const found = () => {
    const wanted = words().trim().toLowerCase();
    return (keys.data ?? []).filter(({ name, prefix }) => `${name} ${prefix}`.toLowerCase().includes(wanted));
  };
  return (
    <div class="stack">
      <header class="page-head">
        <h1>{apiKeysText.title}</h1>
        <div class="actions">
          <Filter label={apiKeysText.filter} value={words()} onInput={setWords} />
          <Button kind="primary" icon={PlusIcon} onClick={() => setCreating(true)}>
            {apiKeysText.create}
          </Button>
        </div>
      </header>
      <Answer query={keys}>
        {() => (
          <ul class="lines">
            <Rows each={found()} fallback={<NoKeys words={words()} />}>
              {(key) => <KeyLine apiKey={key()} />}
            </Rows>
          </ul>
        )}
      </Answer>
      <Show when={creating()}>
        <NewKey onClose={() => setCreating(false)} />
      </Show>
    </div>
  );
}

const NoKeys = (props: { words: string }) => (
  <Empty
    title={apiKeysText.none}
    help={props.words ? t.nothingFound(props.words) : apiKeysText.noneHelp}
    inList
  />
);

function KeyLine(props: { apiKey: ApiKey }) {
  const key = () => props.apiKey;
  const projects = () => {
    const { projects: chosen } = key();
    return chosen === 'all' ? t.settings.allProjects : apiKeysText.chosen(chosen.length);
  };
  const isExpired = () => Date.parse(key().expiresAt ?? '') <= now();
  return (
    <li>
      <div>
        <p>
          <strong>{key().name}</strong> <span class="tag">{apiKeysText.short[key().access]}</span>{' '}
          <Show when={isExpired()}>
            <span class="tag waits">{apiKeysText.expired}</span>
          </Show>
        </p>
        <p class="quiet-text facts-line">
          <code>{key().prefix}</code>
          <span>{projects()}</span>
          <span>
            {apiKeysText.lastUsed}{' '}
            <Show when={key().lastUsedAt} fallback={apiKeysText.unused.toLowerCase()}>
              {(at) => <Age at={at()} />}
            </Show>
          </span>
          <Show when={key().expiresAt}>
            {(at) => (
              <span>
                {apiKeysText.expires} {exactTime(at())}
              </span>
            )}
          </Show>
          <Show when={key().maker}>{(maker) => <span>{apiKeysText.madeBy(maker())}</span>}</Show>
        </p>
      </div>
      <KeyActions apiKey={key()} />
    </li>
  );
}

function KeyActions(props: { apiKey: ApiKey }) {
  const [asking, setAsking] = createSignal<'browsers' | 'rotate' | 'revoke'>();
  const [issued, setIssued] = createSignal<string>();
  const params = () => ({ keyId: props.apiKey.id });
  const name = () => props.apiKey.name;
  const rotate = () =>
    attempt(async () => {
      const body = { immediately: false };
      const route = 'POST /api/system/keys/:keyId/rotate';
      setIssued((await operatorApi.call(route, { params: params(), body })).token);
    });
  const revoke = () =>
    attempt(async () => {
      await operatorApi.call('DELETE /api/system/keys/:keyId', { params: params() });
      say(apiKeysText.revoked(name()));
      await renew('keys');
    });
  return (
    <div class="actions">
      <Button
        class="small"
        aria-label={keySessionsText.openLabel(name())}
        onClick={() => setAsking('browsers')}
      >
        {keySessionsText.open}
      </Button>
      <Button class="small" aria-label={apiKeysText.rotateLabel(name())} onClick={() => setAsking('rotate')}>
        {apiKeysText.rotate}
      </Button>
      <Button class="small" aria-label={apiKeysText.revokeLabel(name())} onClick={() => setAsking('revoke')}>
        {apiKeysText.revoke}
      </Button>
      <Show when={asking() === 'browsers'}>
        <KeySessions apiKey={props.apiKey} onClose={() => setAsking(undefined)} />
      </Show>
      <Show when={asking() === 'rotate'}>
        <Confirm
          title={apiKeysText.rotateTitle(name())}
          help={apiKeysText.rotateHelp}
          submit={apiKeysText.rotate}
          onClose={() => setAsking(undefined)}
          onConfirm={() => void rotate()}
        />
      </Show>
      <Show when={asking() === 'revoke'}>
        <Confirm
          title={apiKeysText.revokeTitle(name())}
          help={apiKeysText.revokeHelp}
          submit={apiKeysText.revoke}
          danger
          onClose={() => setAsking(undefined)}
          onConfirm={() => void revoke()}
        />
      </Show>
      <Show when={issued()}>
        {(token) => (
          <IssuedKey
            token={token()}
            onClose={() => {
              setIssued(undefined);
              void renew('keys');
            }}
          />
        )}
      </Show>
    </div>
  );
}
