/**
 * Finds hosts whose connection died without a close event, as after a cut link. Only their hubs know, from the pings that they answer
 * without waking up. So a hub is asked when a user reads the host's state, and some hubs are asked regularly. The hub itself marks a
 * silent host.
 */
import { selectSomeConnected } from '../../store/hosts/presence-store.ts';
import type { Dependencies } from '../dependencies.ts';

type Needs = Pick<Dependencies, 'hubs' | 'now'>;

/** This, plus the time after which a host counts as silent, is how long a service may be shown as reachable after its link was cut. */
const lookEveryMs = 15_000;
const rememberedMax = 1_000;
/** Each is a request to an object: at most this many in five minutes, for any number of hosts. */
const hostsPerRun = 20;

/** Time of this isolate's last request, by host. */
const askedAt = new Map<string, number>();

/** Asks the hub of a host that an answer has just reported as connected, unless it was asked a moment ago. Never throws. */
export async function lookForSilence({ hubs, now }: Needs, runnerId: string): Promise<void> {
  const at = now();
  if (Math.abs(at - (askedAt.get(runnerId) ?? 0)) < lookEveryMs) return;
  if (askedAt.size >= rememberedMax) askedAt.clear();
  askedAt.set(runnerId, at);
  await hubs.isConnected(runnerId).catch(() => false);
}

/** Asks the hubs of some hosts whose state nobody reads. */
export async function watchSilence({ db, hubs }: Pick<Dependencies, 'db' | 'hubs'>): Promise<void> {
  const connected = await selectSomeConnected(db, hostsPerRun);
  await Promise.all(connected.map(({ id }) => hubs.isConnected(id).catch(() => false)));
}
