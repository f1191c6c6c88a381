import { addFailedSignIns } from '../../store/instance/audit-store.ts';
import type { Dependencies } from '../dependencies.ts';

/** Failed sign-ins from one address in one minute. */
export interface FailedSignIns {
  /** Epoch minute. */
  minute: number;
  address: string;
  count: number;
}

/** Adds to the stored counts, in one statement. Runs after responses and never fails one. */
export async function recordFailedSignIns(
  { db, fingerprint }: Pick<Dependencies, 'db' | 'fingerprint'>,
  counts: readonly FailedSignIns[],
): Promise<void> {
  if (counts.length === 0) return;
  try {
    const rows = await Promise.all(
      counts.map(async ({ minute, address, count }) => ({
        minute,
        count,
        addressHash: await fingerprint('address', address),
      })),
    );
    await addFailedSignIns(db, rows);
  } catch (error) {
    console.warn(`Failed sign-ins could not be stored: ${String(error)}`);
  }
}
