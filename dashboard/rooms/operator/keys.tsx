/** API keys of the instance: create (the token is shown once), rotate, revoke. */
import { createSignal } from 'solid-js';
import { operatorApi } from '../../api/operator.ts';
import { usePageCommands } from '../../shell/commands.ts';
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
import { KeySessions } from './key-sessions.tsx';
import { IssuedKey, NewKey } from './new-key.tsx';
import { type ApiKey, renew, useKeys } from './queries.ts';

export function Keys() {
  const keys = useKeys();
  const [words, setWords] = createSignal('');
  const [creating, setCreating] = createSignal(false);
  usePageCommands(() => [{ label: t.apiKeys.create, run: () => setCreating(true) }]);
  const found = () => {
    const wanted = words().trim().toLowerCase();
    return (keys.data ?? []).filter(({ name, prefix }) => `${name} ${prefix}`.toLowerCase().includes(wanted));
  };
  return (
    <div class="stack">
      <header class="page-head">
        <h1>{t.apiKeys.title}</h1>
        <div class="actions">
          <Filter label={t.apiKeys.filter} value={words()} onInput={setWords} />
          <Button kind="primary" icon={PlusIcon} onClick={() => setCreating(true)}>
            {t.apiKeys.create}
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
    title={t.apiKeys.none}
    help={props.words ? t.nothingFound(props.words) : t.apiKeys.noneHelp}
    inList
  />
);

function KeyLine(props: { apiKey: ApiKey }) {
  const key = () => props.apiKey;
  const projects = () => {
    const { projects: chosen } = key();
    return chosen === 'all' ? t.settings.allProjects : t.apiKeys.chosen(chosen.length);
  };
  const isExpired = () => Date.parse(key().expiresAt ?? '') <= now();
  return (
    <li>
      <div>
        <p>
          <strong>{key().name}</strong> <span class="tag">{t.apiKeys.short[key().access]}</span>{' '}
          <Show when={isExpired()}>
            <span class="tag waits">{t.apiKeys.expired}</span>
          </Show>
        </p>
        <p class="quiet-text facts-line">
          <code>{key().prefix}</code>
          <span>{projects()}</span>
          <span>
            {t.apiKeys.lastUsed}{' '}
            <Show when={key().lastUsedAt} fallback={t.apiKeys.unused.toLowerCase()}>
              {(at) => <Age at={at()} />}
            </Show>
          </span>
          <Show when={key().expiresAt}>
            {(at) => (
              <span>
                {t.apiKeys.expires} {exactTime(at())}
              </span>
            )}
          </Show>
          <Show when={key().maker}>{(maker) => <span>{t.apiKeys.madeBy(maker())}</span>}</Show>
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
      say(t.apiKeys.revoked(name()));
      await renew('keys');
    });
  return (
    <div class="actions">
      <Button
        class="small"
        aria-label={t.keySessions.openLabel(name())}
        onClick={() => setAsking('browsers')}
      >
        {t.keySessions.open}
      </Button>
      <Button class="small" aria-label={t.apiKeys.rotateLabel(name())} onClick={() => setAsking('rotate')}>
        {t.apiKeys.rotate}
      </Button>
      <Button class="small" aria-label={t.apiKeys.revokeLabel(name())} onClick={() => setAsking('revoke')}>
        {t.apiKeys.revoke}
      </Button>
      <Show when={asking() === 'browsers'}>
        <KeySessions apiKey={props.apiKey} onClose={() => setAsking(undefined)} />
      </Show>
      <Show when={asking() === 'rotate'}>
        <Confirm
          title={t.apiKeys.rotateTitle(name())}
          help={t.apiKeys.rotateHelp}
          submit={t.apiKeys.rotate}
          onClose={() => setAsking(undefined)}
          onConfirm={() => void rotate()}
        />
      </Show>
      <Show when={asking() === 'revoke'}>
        <Confirm
          title={t.apiKeys.revokeTitle(name())}
          help={t.apiKeys.revokeHelp}
          submit={t.apiKeys.revoke}
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
