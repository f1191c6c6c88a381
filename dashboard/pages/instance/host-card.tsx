/** One host: its state, its resource use, its facts and its actions. */
import { createSignal, For, Suspense } from 'solid-js';
import { hostsText } from '../../text/operator-text.ts';
import { Age, now, spanText } from '../../ui/age.tsx';
import { lazyRoom } from '../../ui/lazy-room.ts';
import { Show } from '../../ui/show.ts';
import { HostActions } from './host-actions.tsx';
import { HostCapacity } from './host-capacity.tsx';
import type { Host } from './instance-queries.ts';

const HostMetrics = lazyRoom(async () => ({ default: (await import('./host-metrics.tsx')).HostMetrics }));

export function HostCard(props: { host: Host; offered: string | null }) {
  const host = () => props.host;
  const [isOpen, setIsOpen] = createSignal(false);
  const tone = () => (!host().connected ? 'bad' : host().drained ? 'warn' : 'ok');
  return (
    <li class="panel host">
      <header>
        <h2>{host().name}</h2>
        <p class="facts-line">
          <span class={`status tone-${tone()}`}>
            <span class="dot" aria-hidden="true" />
            {host().connected ? hostsText.connected : hostsText.away}
          </span>
          <Show when={host().drained}>
            <span class="tag">{hostsText.draining}</span>
          </Show>
          <Show when={host().shared}>
            <span class="tag">{hostsText.shared}</span>
          </Show>
        </p>
      </header>
      <Show when={!host().connected}>
        <p class="host-away">
          <strong>{awayText(host())}</strong> {hostsText.awayHelp}
        </p>
      </Show>
      <Show when={host().warning}>{(text) => <p class="host-away">{text()}</p>}</Show>
      <div class="host-parts">
        <HostCapacity host={host()} />
        <HostFacts host={host()} />
      </div>
      <Show when={host().connected}>
        <details class="host-charts" onToggle={(event) => setIsOpen(event.currentTarget.open)}>
          <summary>{hostsText.charts}</summary>
          <Show when={isOpen()}>
            <Suspense>
              <HostMetrics runnerId={host().id} />
            </Suspense>
          </Show>
        </details>
      </Show>
      <HostActions host={host()} offered={props.offered} />
    </li>
  );
}

function awayText({ disconnectedAt }: Host): string {
  if (disconnectedAt === null) return hostsText.neverSeen;
  return hostsText.awayFor(spanText(Math.max(0, now() - Date.parse(disconnectedAt))));
}

function HostFacts(props: { host: Host }) {
  const facts = () => props.host.facts;
  const isolation = () => facts().isolation;
  const sizeOf = (block: { first: number; last: number }) => block.last - block.first + 1;
  return (
    <dl class="facts">
      <div>
        <dt>{hostsText.isolation}</dt>
        <dd>
          <Parts
            texts={[
              hostsText.firewall[isolation().firewall],
              hostsText.userNamespaces(isolation().userNamespaces),
              hostsText.storageLimits(isolation().storageLimits),
            ]}
          />
          <Show when={isolation().firewallProblem}>{(why) => <small class="long-text">{why()}</small>}</Show>
        </dd>
      </div>
      <div>
        <dt>{hostsText.versions}</dt>
        <dd>
          <Parts texts={versionsOf(props.host)} />
        </dd>
      </div>
      <div>
        <dt>{hostsText.ports}</dt>
        <dd>
          <Parts
            texts={[
              hostsText.webPorts(sizeOf(facts().webPorts)),
              hostsText.databasePorts(sizeOf(facts().databasePorts)),
            ]}
          />
        </dd>
      </div>
      <Show when={facts().publicIp}>
        {(address) => (
          <div>
            <dt>{hostsText.address}</dt>
            <dd>
              <code>{address()}</code>
            </dd>
          </div>
        )}
      </Show>
      <Show when={facts().lastUpgrade}>
        {(last) => (
          <div>
            <dt>{hostsText.lastUpgrade}</dt>
            <dd>
              {last().detail} <Age at={last().at} />
            </dd>
          </div>
        )}
      </Show>
    </dl>
  );
}

const Parts = (props: { texts: readonly string[] }) => (
  <span class="facts-line">
    <For each={props.texts}>{(text) => <span>{text}</span>}</For>
  </span>
);

function versionsOf({ facts }: Host): string[] {
  const docker =
    facts.dockerVersion === null ? hostsText.dockerSilent : hostsText.docker(facts.dockerVersion);
  const runner = hostsText.runner(facts.release ?? facts.version);
  return [runner, docker, ...(facts.runcVersion ? [hostsText.runc(facts.runcVersion)] : [])];
}
