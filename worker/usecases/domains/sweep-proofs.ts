import {
  markProven,
  type ProvableDomain,
  recordProofCheck,
  selectDueProofs,
} from '../../store/name-proof-store.ts';
import { oneService } from '../../store/service-names-store.ts';
import { violates } from '../../store/store-failure.ts';
import type { Dependencies } from '../dependencies.ts';
import { checkProof } from './check-proof.ts';
import { namesTasks } from './names-tasks.ts';

/** Names per run. Each needs two or four requests, and a Worker on the Free plan has 50 for all work of a minute. */
const namesPerRun = 5;

/** Looks for the proof of domains that wait for one, and sends the proven ones to their hosts. */
export async function sweepProofs(deps: Dependencies): Promise<void> {
  const due = await selectDueProofs(deps.db, deps.now(), namesPerRun);
  // One after the other: two tenants may wait for the same name.
  for (const domain of due) await settle(deps, domain);
}

async function settle(deps: Dependencies, domain: ProvableDomain & { runnerId: string }): Promise<void> {
  const { db, now } = deps;
  const result = await checkProof(deps, domain);
  if (!result.isProven) {
    await recordProofCheck(db, domain, { detail: result.detail, now: now() });
    return;
  }
  try {
    await db.batch([
      markProven(db, domain, now()),
      ...namesTasks(deps, oneService(domain.serviceId), [domain.hostname]),
    ]);
  } catch (error) {
    // Another request took the name at the same moment; the next run decides between the two.
    if (!violates(error, 'UNIQUE')) throw error;
    return;
  }
  await deps.hubs.wake(domain.runnerId);
}
