/** Docker's event stream: reports changes of our containers, why they ended, and changes of the default network. */
import { setTimeout as delay } from 'node:timers/promises';
import { z } from 'zod';
import { labels } from '../../protocol/names.ts';
import { call, type DockerHost, ownedBy } from './client.ts';
import { type ContainerFacts, hasLiveName } from './containers.ts';
import { streamedJson } from './streamed-json.ts';

/** Pause after a lost stream: long enough not to spin while the daemon restarts, short enough to notice a crash soon. */
const reconnectMs = 2_000;
/** Past events arrive at once; with `until` one second from now, the stream ends within that second. */
const pastEventsTimeoutMs = 5_000;

/** How a container ended. */
export interface End {
  /** `null` if it is not known. */
  exitCode: number | null;
  /** True if the kernel killed one of the container's processes because memory ran out. */
  outOfMemory: boolean;
}

/**
 * A container's last end, even when Docker has restarted it and its state no longer contains it. The daemon keeps a few hundred events;
 * `null` if this one is no longer among them.
 */
export async function lastEnd(host: DockerHost, containerId: string): Promise<End | null> {
  return endIn(await pastEvents(host, containerId, 1));
}

/** True if the kernel killed a process of a container since then because memory ran out, also while its main process runs on. */
export async function ranOutOfMemory(host: DockerHost, containerId: string, since: number): Promise<boolean> {
  const events = await pastEvents(host, containerId, Math.floor(since / 1000)).catch(() => []);
  return events.some((event) => containerEventSchema.safeParse(event).data?.Action === 'oom');
}

/** Starts, ends and lacks of memory of a container. @param since seconds since the epoch */
async function pastEvents(host: DockerHost, containerId: string, since: number): Promise<unknown[]> {
  const signal = AbortSignal.timeout(pastEventsTimeoutMs);
  const stream = await call('read the events', () =>
    host.engine.getEvents({
      since,
      until: Math.ceil(Date.now() / 1000),
      filters: { type: ['container'], event: ['start', 'oom', 'die'], container: [containerId] },
    }),
  );
  return await Array.fromAsync(streamedJson(stream, signal));
}

/** Of a process that the kernel has killed, for example because memory ran out: 128 + SIGKILL. */
const killedCode = 137;

/**
 * How a container has ended that does not run, or that Docker has restarted: its state then contains the end of the new run, or none. A
 * state may also lack that memory ran out, which Docker learns from another source than the end.
 */
export async function endOf(host: DockerHost, container: ContainerFacts): Promise<End> {
  const isRestarted = container.restarts > 0;
  if (!isRestarted && (container.outOfMemory || container.exitCode !== killedCode)) return container;
  const end = await lastEnd(host, container.id).catch(() => null);
  return end ?? (isRestarted ? { exitCode: null, outOfMemory: false } : container);
}

/**
 * A lack of memory explains an end at most this long after it. The kernel may have killed a worker of the app, or a command beside it, and
 * the main process runs on for days.
 */
const memoryEndsMs = 10_000;

const explainsEnd = (lackAt: number | null, endAt: number) =>
  lackAt !== null && endAt - lackAt <= memoryEndsMs * 1_000_000;

/** @param events of one container, the oldest first. Docker reports a lack of memory shortly before the end or after it */
export function endIn(events: readonly unknown[]): End | null {
  let end: End | null = null;
  let isRunning = true;
  let lackAt: number | null = null;
  for (const event of events) {
    const { Action, Actor, timeNano = 0 } = containerEventSchema.safeParse(event).data ?? {};
    if (Action === 'start') [isRunning, lackAt] = [true, null];
    else if (Action === 'die') {
      end = { exitCode: exitCodeOf(Actor?.Attributes), outOfMemory: explainsEnd(lackAt, timeNano) };
      isRunning = false;
    } else if (Action === 'oom' && isRunning) lackAt = timeNano;
    else if (Action === 'oom' && end) end.outOfMemory = true;
  }
  return end;
}

const exitCodeOf = (about: Record<string, string> = {}): number | null =>
  /^\d+$/.test(about.exitCode ?? '') ? Number(about.exitCode) : null;

/** An unexpected end of a live container, which Docker restarts. */
export interface Exit extends End {
  /** Microseconds since the epoch, by Docker's clock. */
  at: number;
}

const containerEventSchema = z.object({
  Action: z.string(),
  timeNano: z.number(),
  Actor: z.object({ ID: z.string(), Attributes: z.record(z.string(), z.string()) }),
});

/** The number of ends that are kept for each container. */
const exitsMax = 50;

/**
 * The unexpected ends of live containers, from Docker's events. A container's state has only the last one, and loses it at a restart. An
 * end after a kill through Docker is expected: a stop, a replacement, a disk limit.
 */
export class ExitHistory {
  /** Ends by container id. */
  readonly #containers = new Map<
    string,
    { deploymentId: string | undefined; exits: Exit[]; killed: boolean; lackAt: number | null }
  >();
  #seenAt = 0;

  /** Records a container event of Docker. An event that was seen before changes nothing. */
  add(event: unknown): void {
    const parsed = containerEventSchema.safeParse(event).data;
    if (!parsed || parsed.timeNano <= this.#seenAt) return;
    this.#seenAt = parsed.timeNano;
    const { ID: id, Attributes: about } = parsed.Actor;
    if (parsed.Action === 'destroy') this.#containers.delete(id);
    const deploymentId = about[labels.deployment];
    const known = this.#containers.get(id) ?? { deploymentId, exits: [], killed: false, lackAt: null };
    if (parsed.Action === 'start') Object.assign(known, { killed: false, lackAt: null });
    else if (parsed.Action === 'kill') known.killed = true;
    else if (parsed.Action === 'oom') known.lackAt = parsed.timeNano;
    else if (parsed.Action === 'die' && !known.killed && isLive(about)) {
      const exitCode = exitCodeOf(about);
      const at = Math.round(parsed.timeNano / 1000);
      const outOfMemory = explainsEnd(known.lackAt, parsed.timeNano);
      known.exits = [...known.exits.slice(1 - exitsMax), { at, exitCode, outOfMemory }];
    } else return;
    this.#containers.set(id, known);
  }

  /** Records the end of a container that something other than Longshore has stopped. Docker reports such an end as expected. */
  addStopped(
    { id, labels: of, exitCode }: Pick<ContainerFacts, 'id' | 'labels' | 'exitCode'>,
    at: number,
  ): void {
    const made = { deploymentId: of[labels.deployment], exits: [], killed: false, lackAt: null };
    const known = this.#containers.get(id) ?? made;
    const exit = { at: at * 1000, exitCode, outOfMemory: false };
    this.#containers.set(id, { ...known, exits: [...known.exits.slice(1 - exitsMax), exit] });
  }

  /** The unexpected ends of a container, the oldest first. */
  of(containerId: string): readonly Exit[] {
    return this.#containers.get(containerId)?.exits ?? [];
  }

  /** The number of unexpected ends of a deployment's container since then (epoch milliseconds); of several containers, the highest number. */
  endsOf(deploymentId: string, since: number): number {
    const counts = [...this.#containers.values()]
      .filter((one) => one.deploymentId === deploymentId)
      .map(({ exits }) => exits.filter(({ at }) => at > since * 1000).length);
    return Math.max(0, ...counts);
  }

  /** The time from which events are requested, in seconds since the epoch. The daemon keeps a few hundred past events. */
  get since(): number {
    return Math.max(1, Math.floor(this.#seenAt / 1e9));
  }
}

/** @param memoryLimitMb `null` if the whole host ran out of memory */
export const outOfMemorySentence = (memoryLimitMb: number | null) =>
  memoryLimitMb === null
    ? 'The host ran out of memory, and the container was killed.'
    : `The container ran out of memory (limit ${memoryLimitMb} MB) and was killed.`;

/** @param memoryLimitMb of the container */
export function exitSentence({ exitCode, outOfMemory }: End, memoryLimitMb: number | null): string {
  if (outOfMemory) return outOfMemorySentence(memoryLimitMb);
  return `The container ended${exitCode === null ? '' : ` with exit code ${exitCode}`}.`;
}

/** True for a live container. A deployment's candidate has another name: the deployment reports its end. */
const isLive = (about: Record<string, string>) => hasLiveName({ name: about.name ?? '', labels: about });

/**
 * Calls `onChange` whenever a container of this instance starts, dies, is renamed or removed, or its health changes. Also calls it after
 * every reconnect, because events may have been missed. Resolves when the signal is aborted.
 * @param exits receives every event, also those from before the call
 * @param onChange gets the service of a container's event; without a service, any service may have changed
 * @param onLost called while Docker does not answer
 */
export function watchContainers(
  host: DockerHost,
  exits: ExitHistory,
  onChange: (serviceId?: string) => void,
  signal: AbortSignal,
  onLost: () => void = () => {},
): Promise<void> {
  const filters = {
    type: ['container'],
    event: ['start', 'die', 'destroy', 'rename', 'health_status', 'kill', 'oom'],
    ...ownedBy(host),
  };
  const onEvent = (event: unknown) => {
    exits.add(event);
    onChange(containerEventSchema.safeParse(event).data?.Actor.Attributes[labels.service]);
  };
  const query = () => ({ filters, since: exits.since });
  return watchEvents(host, { query, onEvent, onChange: () => onChange(), onLost }, signal);
}

/**
 * Calls `onChange` whenever any container, ours or not, joins or leaves Docker's default network, and once after every reconnect. A
 * container that joins already has its address but does not run yet. Resolves when the signal is aborted.
 */
export function watchDefaultNetwork(
  host: DockerHost,
  onChange: () => void,
  signal: AbortSignal,
): Promise<void> {
  const filters = { type: ['network'], event: ['connect', 'disconnect'], network: ['bridge'] };
  return watchEvents(host, { query: () => ({ filters }), onEvent: onChange, onChange }, signal);
}

interface Watch {
  query: () => { filters: Record<string, string[]>; since?: number };
  onEvent: (event: unknown) => void;
  onChange: () => void;
  onLost?: () => void;
}

async function watchEvents(
  host: DockerHost,
  { query, onEvent, onChange, onLost }: Watch,
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    try {
      const stream = await call('watch the events', () => host.engine.getEvents(query()));
      onChange();
      for await (const event of streamedJson(stream, signal)) onEvent(event);
    } catch {
      // The connection was lost, or the signal was aborted: the loop's condition decides.
    }
    if (!signal.aborted) onLost?.();
    await delay(reconnectMs, undefined, { signal }).catch(() => undefined);
  }
}
