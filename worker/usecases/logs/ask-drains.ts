/** A host's reports about a log drain: its progress, and whether its receiver accepts a line. */
import {
  type DrainReceiver,
  type DrainStatus,
  drainStatusAnswerSchema,
  drainTestSchema,
} from '../../../protocol/logs/drains.ts';
import { requestPlace } from '../../../protocol/sealed-box.ts';
import { safeParseUntrusted } from '../../../protocol/untrusted/safe-parse.ts';
import { ApiError } from '../../domain/errors.ts';
import { allowsPrivateFor } from '../../domain/names/webhook-url.ts';
import { sealBox } from '../../security/sealed-box.ts';
import { type LogDrainRow, listDrainHosts } from '../../store/logs/log-drain-store.ts';
import type { Dependencies } from '../dependencies.ts';
import { readSettings } from '../instance/change-settings.ts';
import { openDrainTarget } from './change-drains.ts';

type Needs = Pick<Dependencies, 'db' | 'hubs' | 'envelope' | 'now'>;
type Host = Awaited<ReturnType<typeof listDrainHosts>>[number];

export interface HostDrainStatus {
  host: Host;
  /** `null` if the host does not have the drain. */
  status: DrainStatus | null;
  /** Why the host did not answer; `null` if it did. */
  trouble: string | null;
}

const statusTimeoutMs = 5_000;
/** A host waits 20 s for a receiver. */
const testTimeoutMs = 25_000;

/** Asks all hosts of the project. Never throws because of a host. */
export async function readDrainStatus(
  { db, hubs, now }: Needs,
  { id, projectId }: LogDrainRow,
): Promise<HostDrainStatus[]> {
  const hosts = await listDrainHosts(db, projectId, now());
  return Promise.all(
    hosts.map(async (host) => {
      try {
        const answer = await hubs.request(host.id, { op: 'drain-status', drainId: id }, statusTimeoutMs);
        if (!answer.ok) return { host, status: null, trouble: answer.message };
        const parsed = safeParseUntrusted(drainStatusAnswerSchema, answer.value);
        return parsed.success
          ? { host, status: parsed.data, trouble: null }
          : { host, status: null, trouble: 'The answer of the host was not understood: update its runner.' };
      } catch (error) {
        if (!(error instanceof ApiError)) throw error;
        return { host, status: null, trouble: error.message };
      }
    }),
  );
}

/**
 * Lets the first connected host of the project send one line.
 * @throws ApiError `conflict` if no host can, `runner_offline`, `timeout`, `unavailable`
 */
export async function testDrain(
  deps: Needs,
  { drain, tenantId }: { drain: LogDrainRow; tenantId: string },
): Promise<{ ok: boolean; detail: string; durationMs: number; host: Host }> {
  const hosts = await listDrainHosts(deps.db, drain.projectId, deps.now());
  if (hosts.length === 0)
    throw new ApiError('conflict', 'The project has no services, so no host sends its lines.');
  const [host] = await connectedOf(deps, hosts);
  if (!host) throw new ApiError('runner_offline', 'No host with services of the project is connected.');
  const allowPrivate = allowsPrivateFor(tenantId, await readSettings(deps));
  const receiver: DrainReceiver = { target: await openDrainTarget(deps, drain), allowPrivate };
  const place = requestPlace(host.id, 'test-drain');
  const sealed = await sealBox(host.sealingKey, place, JSON.stringify(receiver));
  const answer = await deps.hubs.request(host.id, { op: 'test-drain', sealed }, testTimeoutMs);
  if (!answer.ok) throw new ApiError('unavailable', `The host could not test the drain: ${answer.message}`);
  const parsed = safeParseUntrusted(drainTestSchema, answer.value).data;
  if (!parsed)
    throw new ApiError('unavailable', 'The answer of the host was not understood: update its runner.');
  return { ...parsed, host };
}

async function connectedOf({ hubs }: Needs, hosts: readonly Host[]): Promise<Host[]> {
  const connected = await Promise.all(hosts.map(({ id }) => hubs.isConnected(id).catch(() => false)));
  return hosts.filter((_, index) => connected[index]);
}
