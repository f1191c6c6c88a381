/** The operator's pages, after the operator's own sign-in. */
import { useNavigate, useParams } from '@solidjs/router';
import { For, Match, Suspense, Switch } from 'solid-js';
import { isOperator, signOutAsOperator } from '../../api/operator.ts';
import { usePageCommands } from '../../shell/commands.ts';
import { useTitle } from '../../shell/title.ts';
import { operatorText } from '../../text/operator-text.ts';
import { lazyRoom } from '../../ui/lazy-room.ts';
import { Show } from '../../ui/show.ts';
import { showCurrent } from '../../ui/show-current.ts';
import { say } from '../../ui/toasts.tsx';
import { OperatorSignIn } from './operator-sign-in.tsx';

const Hosts = lazyRoom(async () => ({ default: (await import('./hosts.tsx')).Hosts }));
const HostAlerts = lazyRoom(async () => ({
  default: (await import('./alerts/host-alerts.tsx')).HostAlerts,
}));
const Keys = lazyRoom(async () => ({ default: (await import('./keys.tsx')).Keys }));
const Audit = lazyRoom(async () => ({ default: (await import('./audit.tsx')).Audit }));
const AllDeleted = lazyRoom(async () => ({ default: (await import('./all-deleted.tsx')).AllDeleted }));
const Events = lazyRoom(async () => ({ default: (await import('./events.tsx')).Events }));
const InstanceSettingsRoom = lazyRoom(async () => ({
  default: (await import('./settings/instance-settings.tsx')).InstanceSettingsRoom,
}));
const TenantUsage = lazyRoom(async () => ({ default: (await import('./tenant-usage.tsx')).TenantUsage }));
const TenantMembers = lazyRoom(async () => ({
  default: (await import('./tenant-members.tsx')).TenantMembers,
}));
const Providers = lazyRoom(async () => ({
  default: (await import('./providers/providers.tsx')).Providers,
}));
const Connections = lazyRoom(async () => ({
  default: (await import('./connections/connections.tsx')).Connections,
}));
const Browsers = lazyRoom(async () => ({ default: (await import('./browsers.tsx')).Browsers }));

type Room = keyof typeof operatorText.rooms;
const rooms = Object.keys(operatorText.rooms) as Room[];

export function Operator() {
  const params = useParams<{ room?: string }>();
  const navigate = useNavigate();
  const room = () => rooms.find((one) => one === params.room) ?? 'hosts';
  useTitle(
    () => operatorText.title,
    () => operatorText.rooms[room()],
  );
  usePageCommands(() => (isOperator() ? [{ label: operatorText.signOut, run: () => void signOut() }] : []));
  const signOut = async () => {
    await signOutAsOperator().catch(() => undefined);
    say(operatorText.signedOut);
    navigate('/');
  };
  return (
    <Show when={isOperator()} fallback={<OperatorSignIn />}>
      <nav ref={showCurrent} class="tabs" aria-label={operatorText.title}>
        <For each={rooms}>
          {(one) => (
            <a href={`/operator/${one}`} aria-current={room() === one ? 'page' : undefined}>
              {operatorText.rooms[one]}
            </a>
          )}
        </For>
      </nav>
      <Suspense>
        <Switch>
          <Match when={room() === 'hosts'}>
            <Hosts />
          </Match>
          <Match when={room() === 'alerts'}>
            <HostAlerts />
          </Match>
          <Match when={room() === 'keys'}>
            <Keys />
          </Match>
          <Match when={room() === 'members'}>
            <TenantMembers />
          </Match>
          <Match when={room() === 'providers'}>
            <Providers />
          </Match>
          <Match when={room() === 'connections'}>
            <Connections />
          </Match>
          <Match when={room() === 'audit'}>
            <Audit />
          </Match>
          <Match when={room() === 'deleted'}>
            <AllDeleted />
          </Match>
          <Match when={room() === 'events'}>
            <Events />
          </Match>
          <Match when={room() === 'settings'}>
            <InstanceSettingsRoom />
          </Match>
          <Match when={room() === 'usage'}>
            <TenantUsage />
          </Match>
          <Match when={room() === 'browsers'}>
            <Browsers onSignOut={() => void signOut()} />
          </Match>
        </Switch>
      </Suspense>
    </Show>
  );
}
