import { updateLastUse } from '../../store/access/api-key-store.ts';
import type { Dependencies } from '../dependencies.ts';

const minuteMs = 60_000;
/** Minimum time between two writes of a key's last use, so that a busy key does not cost a write per request. */
const noteIntervalMs = 10 * minuteMs;

type Needs = Pick<Dependencies, 'db' | 'now'>;

/**
 * Stores the time of a key's use, to the minute. Runs after the response and never fails it.
 * @returns undefined if nothing has to be stored
 */
export function recordKeyUse(
  deps: Needs,
  key: { id: string; lastUsedAt: number | null },
): Promise<void> | undefined {
  const usedAt = Math.floor(deps.now() / minuteMs) * minuteMs;
  const notAfter = usedAt - noteIntervalMs + 1;
  if (key.lastUsedAt !== null && key.lastUsedAt >= notAfter) return undefined;
  return note(deps, key.id, { usedAt, notAfter });
}

async function note(
  { db }: Needs,
  keyId: string,
  { usedAt, notAfter }: { usedAt: number; notAfter: number },
): Promise<void> {
  try {
    await updateLastUse(db, keyId, usedAt, notAfter);
  } catch (error) {
    console.warn(`The last use of key ${keyId} could not be stored: ${String(error)}`);
  }
}
