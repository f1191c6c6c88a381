/**
 * Finds hosts whose connection has died without a word: a cut link sends no close event. Only their hubs know, from the pings that they
 * answer without waking up, so a hub is asked where somebody looks, and each of some hosts now and then. It marks a silent host itself.
 */
import { selectSomeConnected } from '../../store/hosts/presence-store.ts';
import type { Dependencies } from '../dependencies.ts';

type Needs = Pick<Dependencies, 'hubs' | 'now'>;

/** With the time after which a host counts as silent, this is how long an answer may call a service reachable after its link was cut. */
const lookEveryMs = 15_000;
const rememberedMax = 1_000;
/** Each is a request to an object: at most this many in five minutes, however large the fleet is. */
const hostsPerRun = 20;

/** When this isolate last asked, by host. */
const askedAt = new Map<string, number>();

/** Asks the hub of a host that an answer has just called connected, unless it was asked a moment ago. Never throws. */
export async function lookForSilence({ hubs, now }: Needs, runnerId: string): Promise<void> {
  const at = now();
  if (Math.abs(at - (askedAt.get(runnerId) ?? 0)) < lookEveryMs) return;
  if (askedAt.size >= rememberedMax) askedAt.clear();
  askedAt.set(runnerId, at);
  await hubs.isConnected(runnerId).catch(() => false);
}

/** The same for some hosts at which nobody looks. */
export async function watchSilence({ db, hubs }: Pick<Dependencies, 'db' | 'hubs'>): Promise<void> {
  const connected = await selectSomeConnected(db, hostsPerRun);
  await Promise.all(connected.map(({ id }) => hubs.isConnected(id).catch(() => false)));
}
