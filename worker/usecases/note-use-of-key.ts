import { noteKeyUse } from '../store/api-key-store.ts';
import type { Dependencies } from './dependencies.ts';

const minuteMs = 60_000;
/** A use within this time of a noted one is not noted: a busy key must not cost a write per request. */
const noteIntervalMs = 10 * minuteMs;

/** Notes that a key was used, to the minute. Runs beside the answer and never fails it. */
export async function noteUseOfKey(
  { db, now }: Pick<Dependencies, 'db' | 'now'>,
  key: { id: string; lastUsedAt: number | null },
): Promise<void> {
  const usedAt = Math.floor(now() / minuteMs) * minuteMs;
  const notAfter = usedAt - noteIntervalMs + 1;
  if (key.lastUsedAt !== null && key.lastUsedAt >= notAfter) return;
  try {
    await noteKeyUse(db, key.id, usedAt, notAfter);
  } catch (error) {
    console.warn(`The use of key ${key.id} was not noted: ${String(error)}`);
  }
}
