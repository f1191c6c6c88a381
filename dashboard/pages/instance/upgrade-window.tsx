/** Updates of all hosts: the release, the rounds, and the window in which hosts are upgraded one after the other. */
import { createSignal, For } from 'solid-js';
import { hostsText } from '../../text/operator-text.ts';
import { Age } from '../../ui/age.tsx';
import { Answer } from '../../ui/answer.tsx';
import { Button } from '../../ui/button.tsx';
import { Show } from '../../ui/show.ts';
import { EditWindow } from './edit-window.tsx';
import { type Host, type Upgrades, useInstanceSettings, type useUpgrades } from './instance-queries.ts';

const roundsShown = 5;

export function UpgradeWindow(props: { upgrades: ReturnType<typeof useUpgrades>; hosts: readonly Host[] }) {
  const settings = useInstanceSettings();
  const [editing, setEditing] = createSignal(false);
  const windowText = () => {
    const wanted = settings.data?.hostUpgrades;
    if (!wanted) return hostsText.byHand;
    const isDaily = wanted.days.length === Object.keys(hostsText.days).length;
    const days = isDaily ? hostsText.everyDay : wanted.days.map((day) => hostsText.days[day]).join(', ');
    return hostsText.window(wanted.from, wanted.to, wanted.timeZone, days);
  };
  return (
    <section class="panel">
      <header>
        <h2>{hostsText.updates}</h2>
        <Show when={settings.data}>
          <Button class="small" onClick={() => setEditing(true)}>
            {hostsText.setWindow}
          </Button>
        </Show>
      </header>
      <Answer query={props.upgrades} lines={2}>
        {(data) => (
          <>
            <p>
              {data().release === null ? hostsText.offersNone : hostsText.offered(data().release ?? '')}{' '}
              <Show when={data().release !== null}>{hostsText.outdated(data().outdatedHosts)}</Show>
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
            <span class="tag">{hostsText.rounds[round.state]}</span>
            <code>{round.release}</code>
            <span>{hostsText.round(round.upgraded)}</span>
            <span>{nameOf(round.runnerId)}</span>
            <Age at={round.startedAt} />
            <Show when={round.error}>{(error) => <span class="long-text">{error()}</span>}</Show>
          </li>
        )}
      </For>
    </ul>
  );
}
