/** Updates of all hosts: the release, the rounds, and the window in which hosts are upgraded one after the other. */
import { createSignal, For } from 'solid-js';
import { t } from '../../text/text.ts';
import { Age } from '../../ui/age.tsx';
import { Answer } from '../../ui/answer.tsx';
import { Button } from '../../ui/button.tsx';
import { Show } from '../../ui/show.ts';
import { EditWindow } from './edit-window.tsx';
import { type Host, type Upgrades, useInstanceSettings, type useUpgrades } from './queries.ts';

const roundsShown = 5;

export function UpgradeWindow(props: { upgrades: ReturnType<typeof useUpgrades>; hosts: readonly Host[] }) {
  const settings = useInstanceSettings();
  const [editing, setEditing] = createSignal(false);
  const windowText = () => {
    const wanted = settings.data?.hostUpgrades;
    if (!wanted) return t.hosts.byHand;
    const isDaily = wanted.days.length === Object.keys(t.hosts.days).length;
    const days = isDaily ? t.hosts.everyDay : wanted.days.map((day) => t.hosts.days[day]).join(', ');
    return t.hosts.window(wanted.from, wanted.to, wanted.timeZone, days);
  };
  return (
    <section class="panel">
      <header>
        <h2>{t.hosts.updates}</h2>
        <Show when={settings.data}>
          <Button class="small" onClick={() => setEditing(true)}>
            {t.hosts.setWindow}
          </Button>
        </Show>
      </header>
      <Answer query={props.upgrades} lines={2}>
        {(data) => (
          <>
            <p>
              {data().release === null ? t.hosts.offersNone : t.hosts.offered(data().release ?? '')}{' '}
              <Show when={data().release !== null}>{t.hosts.outdated(data().outdatedHosts)}</Show>
            </p>
            <Show when={settings.data}>
              <p>{windowText()}</p>
            </Show>
            <Rounds rounds={data().rounds} hosts={props.hosts} />
          </>
        )}
      </Answer>
      <Show when={editing()}>
        <EditWindow window={settings.data?.hostUpgrades ?? null} onClose={() => setEditing(false)} />
      </Show>
    </section>
  );
}

function Rounds(props: { rounds: Upgrades['rounds']; hosts: readonly Host[] }) {
  const nameOf = (id: string | null) => props.hosts.find((host) => host.id === id)?.name ?? '';
  return (
    <ul class="plain-list">
      <For each={props.rounds.slice(0, roundsShown)}>
        {(round) => (
          <li class="facts-line">
            <span class="tag">{t.hosts.rounds[round.state]}</span>
            <code>{round.release}</code>
            <span>{t.hosts.round(round.upgraded)}</span>
            <span>{nameOf(round.runnerId)}</span>
            <Age at={round.startedAt} />
            <Show when={round.error}>{(error) => <span class="long-text">{error()}</span>}</Show>
          </li>
        )}
      </For>
    </ul>
  );
}
