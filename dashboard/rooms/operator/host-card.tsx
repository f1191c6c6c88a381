/** One host: its state, its resource use, its facts and its actions. */
import { For } from 'solid-js';
import { t } from '../../text/text.ts';
import { Age, now, spanText } from '../../ui/age.tsx';
import { Show } from '../../ui/show.ts';
import { HostActions } from './host-actions.tsx';
import { HostCapacity } from './host-capacity.tsx';
import type { Host } from './queries.ts';

export function HostCard(props: { host: Host; offered: string | null }) {
  const host = () => props.host;
  const tone = () => (!host().connected ? 'bad' : host().drained ? 'warn' : 'ok');
  return (
    <li class="panel host">
      <header>
        <h2>{host().name}</h2>
        <p class="facts-line">
          <span class={`status tone-${tone()}`}>
            <span class="dot" aria-hidden="true" />
            {host().connected ? t.hosts.connected : t.hosts.away}
          </span>
          <Show when={host().drained}>
            <span class="tag">{t.hosts.draining}</span>
          </Show>
          <Show when={host().shared}>
            <span class="tag">{t.hosts.shared}</span>
          </Show>
        </p>
      </header>
      <Show when={!host().connected}>
        <p class="host-away">
          <strong>{awayText(host())}</strong> {t.hosts.awayHelp}
        </p>
      </Show>
      <Show when={host().warning}>{(text) => <p class="host-away">{text()}</p>}</Show>
      <div class="host-parts">
        <HostCapacity host={host()} />
        <HostFacts host={host()} />
      </div>
      <HostActions host={host()} offered={props.offered} />
    </li>
  );
}

function awayText({ disconnectedAt }: Host): string {
  if (disconnectedAt === null) return t.hosts.neverSeen;
  return t.hosts.awayFor(spanText(Math.max(0, now() - Date.parse(disconnectedAt))));
}

function HostFacts(props: { host: Host }) {
  const facts = () => props.host.facts;
  const isolation = () => facts().isolation;
  const sizeOf = (block: { first: number; last: number }) => block.last - block.first + 1;
  return (
    <dl class="facts">
      <div>
        <dt>{t.hosts.isolation}</dt>
        <dd>
          <Parts
            texts={[
              t.hosts.firewall[isolation().firewall],
              t.hosts.userNamespaces(isolation().userNamespaces),
              t.hosts.storageLimits(isolation().storageLimits),
            ]}
          />
          <Show when={isolation().firewallProblem}>{(why) => <small class="long-text">{why()}</small>}</Show>
        </dd>
      </div>
      <div>
        <dt>{t.hosts.versions}</dt>
        <dd>
          <Parts texts={versionsOf(props.host)} />
        </dd>
      </div>
      <div>
        <dt>{t.hosts.ports}</dt>
        <dd>
          <Parts
            texts={[
              t.hosts.webPorts(sizeOf(facts().webPorts)),
              t.hosts.databasePorts(sizeOf(facts().databasePorts)),
            ]}
          />
        </dd>
      </div>
      <Show when={facts().publicIp}>
        {(address) => (
          <div>
            <dt>{t.hosts.address}</dt>
            <dd>
              <code>{address()}</code>
            </dd>
          </div>
        )}
      </Show>
      <Show when={facts().lastUpgrade}>
        {(last) => (
          <div>
            <dt>{t.hosts.lastUpgrade}</dt>
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
  const docker = facts.dockerVersion === null ? t.hosts.dockerSilent : t.hosts.docker(facts.dockerVersion);
  const runner = t.hosts.runner(facts.release ?? facts.version);
  return [runner, docker, ...(facts.runcVersion ? [t.hosts.runc(facts.runcVersion)] : [])];
}
