import {
  markVerified,
  recordVerificationCheck,
  selectDueVerifications,
  type VerifiableDomain,
} from '../../store/domains/name-verification-store.ts';
import { oneService } from '../../store/domains/service-names-store.ts';
import { violates } from '../../store/sql/store-failure.ts';
import type { Dependencies } from '../dependencies.ts';
import { checkVerification } from './check-verification.ts';
import { namesTasks } from './names-tasks.ts';

/** Names per run. Each needs two or four requests, and a Worker on the Free plan has 50 for all work of a minute. */
const namesPerRun = 5;

/** Checks the verification of domains that wait for it, and sends verified ones to their hosts. */
export async function sweepVerifications(deps: Dependencies): Promise<void> {
  const due = await selectDueVerifications(deps.db, deps.now(), namesPerRun);
  // One after another, because two tenants may wait for the same name.
  for (const domain of due) await settle(deps, domain);
}

async function settle(deps: Dependencies, domain: VerifiableDomain & { runnerId: string }): Promise<void> {
  const { db, now } = deps;
  const result = await checkVerification(deps, domain);
  if (!result.isVerified) {
    await recordVerificationCheck(db, domain, { detail: result.detail, now: now() });
    return;
  }
  try {
    await db.batch([
      markVerified(db, domain, now()),
      ...namesTasks(deps, oneService(domain.serviceId), [domain.hostname]),
    ]);
  } catch (error) {
    // Another request got the name at the same time; the next run decides between the two.
    if (!violates(error, 'UNIQUE')) throw error;
    return;
  }
  await deps.hubs.wake(domain.runnerId);
}
