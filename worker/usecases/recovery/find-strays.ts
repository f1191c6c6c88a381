/** Differences between the rows and the contents of hosts and the bucket, in both directions. Only reads. */
import { type HostInventory, hostInventorySchema } from '../../../protocol/host-request.ts';
import { safeParseUntrusted } from '../../../protocol/untrusted/safe-parse.ts';
import { ApiError } from '../../domain/errors.ts';
import { compareHost, type HostStrays } from '../../domain/hosts/strays.ts';
import { listHostsAfter, listNamedObjects, readKnownRows } from '../../store/deletions/stray-store.ts';
import type { Dependencies } from '../dependencies.ts';

/** A host lists its containers, volumes and files for this long at most. */
const inventoryTimeoutMs = 20_000;
const hostsPerPage = 20;
/** Sorts after every name of a copy, because "0" follows "/". */
const pastBackups = 'backups0';

export interface HostComparison {
  runnerId: string;
  name: string;
  /** Why the host could not be compared; `null` if it was. */
  trouble: string | null;
  strays: HostStrays | null;
}

/** Compares hosts in the order of their ids, at most 20. @returns `next`: the last of them, if more hosts follow */
export async function findHostStrays(
  deps: Pick<Dependencies, 'db' | 'hubs'>,
  after: string,
): Promise<{ hosts: HostComparison[]; next: string | null }> {
  const found = await listHostsAfter(deps.db, after, hostsPerPage + 1);
  const page = found.slice(0, hostsPerPage);
  const hosts = await Promise.all(page.map((host) => compare(deps, host)));
  return { hosts, next: found.length > hostsPerPage ? (page.at(-1)?.id ?? null) : null };
}

async function compare(
  deps: Pick<Dependencies, 'db' | 'hubs'>,
  { id: runnerId, name }: { id: string; name: string },
): Promise<HostComparison> {
  try {
    const inventory = await askInventory(deps, runnerId);
    const ids = inventory.services.map(({ serviceId }) => serviceId);
    const rows = await readKnownRows(deps.db, runnerId, ids);
    return { runnerId, name, trouble: null, strays: compareHost(runnerId, inventory, rows) };
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return { runnerId, name, trouble: error.message, strays: null };
  }
}

/** @throws ApiError `runner_offline`, `timeout`, `unavailable` */
export async function askInventory(
  { hubs }: Pick<Dependencies, 'hubs'>,
  runnerId: string,
): Promise<HostInventory> {
  const answer = await hubs.request(runnerId, { op: 'inventory' }, inventoryTimeoutMs);
  if (!answer.ok) {
    throw new ApiError('unavailable', `The host could not list what it keeps: ${answer.message}`);
  }
  const parsed = safeParseUntrusted(hostInventorySchema, answer.value);
  if (parsed.success) return parsed.data;
  throw new ApiError('unavailable', 'The answer of the host was not understood: update its runner.');
}

export interface BucketStrays {
  /** Copies of backups without a row. They remain until they are removed from the bucket by hand. */
  withoutRow: string[];
  /** Backups whose copy is missing. */
  withoutObject: { serviceId: string; backupId: string }[];
  /** The last compared name, if there are more. */
  next: string | null;
}

/** Compares the copies of backups in the bucket with the rows, at most 1,000. @throws ApiError `unavailable` */
export async function findBucketStrays(
  { db, blobs }: Pick<Dependencies, 'db' | 'blobs'>,
  after: string,
): Promise<BucketStrays> {
  const { keys, more } = await blobs.list('backups/', after);
  const last = more ? (keys.at(-1) ?? null) : null;
  const rows = await listNamedObjects(db, after, last ?? pastBackups);
  const named = new Set(rows.map(({ key }) => key));
  const there = new Set(keys);
  return {
    withoutRow: keys.filter((key) => !named.has(key)),
    withoutObject: rows
      .filter(({ key, kept }) => kept === 0 && !there.has(key))
      .map(({ serviceId, backupId }) => ({ serviceId, backupId })),
    next: last,
  };
}
