/** The page of hosts: capacity and use, connection, isolation, and updates. */
import { createSignal } from 'solid-js';
import { usePageCommands } from '../../shell/commands.ts';
import { hostsText } from '../../text/operator-text.ts';
import { Answer } from '../../ui/answer.tsx';
import { Button } from '../../ui/button.tsx';
import { Empty } from '../../ui/empty.tsx';
import { PlusIcon } from '../../ui/icons.tsx';
import { Refreshed } from '../../ui/refreshed.tsx';
import { Rows } from '../../ui/rows.tsx';
import { Show } from '../../ui/show.ts';
import { AddHost } from './add-host.tsx';
import { HostCard } from './host-card.tsx';
import { useHosts, useUpgrades } from './instance-queries.ts';
import { UpgradeWindow } from './upgrade-window.tsx';

export function Hosts() {
  const hosts = useHosts();
  const upgrades = useUpgrades();
  const [adding, setAdding] = createSignal(false);
  usePageCommands(() => [{ label: hostsText.add, run: () => setAdding(true) }]);
  const away = () => (hosts.data ?? []).filter(({ connected }) => !connected).length;
  return (
    <div class="stack">
      <header class="page-head">
        <div>
          <h1>{hostsText.title}</h1>
          <Show when={hosts.data}>
            {(all) => (
              <p class="quiet-text">
                {hostsText.summary(all().length, away())} · <Refreshed query={hosts} />
              </p>
            )}
          </Show>
        </div>
        <Button kind="primary" icon={PlusIcon} onClick={() => setAdding(true)}>
          {hostsText.add}
        </Button>
      </header>
      <Answer query={hosts}>
        {(all) => (
          <ul class="hosts">
            <Rows each={all()} fallback={<Empty title={hostsText.none} help={hostsText.noneHelp} inList />}>
              {(host) => <HostCard host={host()} offered={upgrades.data?.release ?? null} />}
            </Rows>
          </ul>
        )}
      </Answer>
      <UpgradeWindow upgrades={upgrades} hosts={hosts.data ?? []} />
      <Show when={adding()}>
        <AddHost onClose={() => setAdding(false)} />
      </Show>
    </div>
  );
}
