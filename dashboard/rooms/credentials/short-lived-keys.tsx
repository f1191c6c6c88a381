/** Keys that end by themselves after minutes or hours, with at most the rights of who makes them. */
import { createSignal } from 'solid-js';
import { api } from '../../api/client.ts';
import type { OwnKey } from '../../api/queries.ts';
import { t } from '../../text/text.ts';
import { exactTime, now } from '../../ui/age.tsx';
import { EditAndRemove } from '../../ui/edit-and-remove.tsx';
import { Show } from '../../ui/show.ts';
import { ShownOnce } from '../../ui/shown-once.tsx';
import { attempt, say } from '../../ui/toasts.tsx';
import { EditedList } from '../edited-list.tsx';
import { RecordDialog } from '../record-dialog.tsx';
import { renewCredentials, type ShortLivedKey, useShortLivedKeys } from './queries.ts';

const texts = t.credentials.short;
const renew = () => renewCredentials('short-lived-keys');
type Level = keyof typeof t.apiKeys.levels;
const levels = Object.keys(t.apiKeys.levels) as Level[];

export function ShortLivedKeys(props: { ownKey: OwnKey }) {
  const query = useShortLivedKeys();
  const [made, setMade] = createSignal<{ name: string; token: string }>();
  const mayMake = () => props.ownKey.may.includes('deploy') && props.ownKey.member === undefined;
  return (
    <Show when={mayMake()}>
      <EditedList
        query={query}
        title={texts.title}
        help={texts.help}
        mayEdit
        add={texts.add}
        none={{ title: texts.none, help: texts.noneHelp }}
        row={(key) => <KeyRow shortKey={key()} />}
        dialog={(_, close) => <NewShortKey ownKey={props.ownKey} onMade={setMade} onClose={close} />}
      />
      <Show when={made()}>
        {(key) => (
          <ShownOnce
            title={texts.tokenTitle(key().name)}
            help={texts.tokenHelp}
            what={texts.token}
            secret={key().token}
            onClose={() => setMade(undefined)}
          />
        )}
      </Show>
    </Show>
  );
}

function KeyRow(props: { shortKey: ShortLivedKey }) {
  const key = () => props.shortKey;
  const isEnded = () => Date.parse(key().expiresAt ?? '') <= now();
  return (
    <li>
      <div>
        <p>
          <strong>{key().name}</strong> <span class="tag">{t.apiKeys.short[key().access]}</span>{' '}
          <Show when={isEnded()}>
            <span class="tag waits">{texts.ended}</span>
          </Show>
        </p>
        <p class="quiet-text facts-line">
          <code>{key().prefix}</code>
          <Show when={key().expiresAt}>
            {(at) => (
              <span>
                {texts.ends} {exactTime(at())}
              </span>
            )}
          </Show>
        </p>
      </div>
      <div class="actions">
        <EditAndRemove name={key().name} removeHelp={texts.removeHelp} onRemove={() => void revoke(key())} />
      </div>
    </li>
  );
}

const revoke = ({ id, name }: ShortLivedKey) =>
  attempt(async () => {
    await api.call('DELETE /api/keys/:keyId', { params: { keyId: id } });
    say(t.credentials.removed(name));
    await renew();
  });

interface NewShortKeyProps {
  ownKey: OwnKey;
  onMade(made: { name: string; token: string }): void;
  onClose(): void;
}

function NewShortKey(props: NewShortKeyProps) {
  const choices = () =>
    levels
      .filter((level) => level === 'read' || props.ownKey.may.includes(level))
      .map((value) => ({ value, text: t.apiKeys.levels[value] }));
  return (
    <RecordDialog
      title={texts.add}
      fields={[
        { name: 'name', kind: 'text', label: texts.name, isRequired: true },
        { name: 'access', kind: 'choice', label: texts.access, choices: choices() },
        {
          ...{ name: 'expiresInMinutes', kind: 'number', isRequired: true },
          ...{ label: texts.minutes, help: texts.minutesHelp },
        },
      ]}
      first={{ name: '', access: 'deploy', expiresInMinutes: '60' }}
      send={async ({ name, access, expiresInMinutes }) => {
        const level = levels.find((one) => one === access) ?? 'deploy';
        const body = { name: name.trim(), access: level, expiresInMinutes: Number(expiresInMinutes) };
        props.onMade({ name: body.name, token: (await api.call('POST /api/keys', { body })).token });
        await renew();
        return t.credentials.saved(body.name);
      }}
      onClose={props.onClose}
    />
  );
}
