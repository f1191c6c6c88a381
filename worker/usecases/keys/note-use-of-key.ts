import { noteKeyUse } from '../../store/api-key-store.ts';
import type { Dependencies } from '../dependencies.ts';

const minuteMs = 60_000;
/** A use within this time of a noted one is not noted: a busy key must not cost a write per request. */
const noteIntervalMs = 10 * minuteMs;

type Needs = Pick<Dependencies, 'db' | 'now'>;

/**
 * Notes that a key was used, to the minute. Runs beside the answer and never fails it.
 * @returns undefined when there is nothing to note
 */
export function noteUseOfKey(
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
    await noteKeyUse(db, keyId, usedAt, notAfter);
  } catch (error) {
    console.warn(`The use of key ${keyId} was not noted: ${String(error)}`);
  }
}
