/** The operator's pages, after the operator's own sign-in. */
import { useNavigate, useParams } from '@solidjs/router';
import { Match, Suspense, Switch } from 'solid-js';
import { isOperator, signOutAsOperator } from '../../api/operator.ts';
import { usePageCommands } from '../../shell/commands.ts';
import { useTitle } from '../../shell/title.ts';
import { operatorText } from '../../text/operator-text.ts';
import { GroupedTabs } from '../../ui/grouped-tabs.tsx';
import { lazyRoom } from '../../ui/lazy-room.ts';
import { Show } from '../../ui/show.ts';
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
type Group = keyof typeof operatorText.groups;
const groups: Record<Group, readonly Room[]> = {
  hosts: ['hosts', 'alerts'],
  people: ['keys', 'members', 'providers', 'browsers'],
  activity: ['audit', 'events', 'deleted'],
  usage: ['usage'],
  settings: ['settings', 'connections'],
};
const rooms = Object.values(groups).flat();
const tabGroups = (Object.keys(groups) as Group[]).map((group) => ({
  label: operatorText.groups[group],
  tabs: groups[group].map((name) => ({
    name,
    label: operatorText.rooms[name],
    href: `/operator/${name}`,
  })),
}));

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
      <GroupedTabs label={operatorText.title} groups={tabGroups} current={room()}>
        {/* Keyed: a page that waits for its first answer never holds the way to another page. */}
        <Show when={room()} keyed>
          {(_) => (
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
          )}
        </Show>
      </GroupedTabs>
    </Show>
  );
}
