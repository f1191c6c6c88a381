/** Looks for the TXT records that prove a name, and decides between tenants. */
import type { TxtAnswer } from '../../../protocol/txt-answer.ts';
import {
  missingProof,
  noProofAnswer,
  proofNames,
  proofValue,
  provenByOther,
} from '../../domain/name-proof.ts';
import {
  markUnproven,
  type ProvableDomain,
  releaseHold,
  selectProven,
} from '../../store/name-proof-store.ts';
import { oneService } from '../../store/service-names-store.ts';
import type { Dependencies } from '../dependencies.ts';
import { namesTasks } from './names-tasks.ts';

/** Whether a name may be used; if not, why, as a sentence. */
export type ProofResult = { isProven: true } | { isProven: false; detail: string };

type Looking = Pick<Dependencies, 'lookUpTxt'>;

/** Whether one of the TXT records of this name has the tenant's value. */
export async function findProof(
  deps: Looking,
  { hostname, token }: Pick<ProvableDomain, 'hostname' | 'token'>,
): Promise<ProofResult> {
  return judge(hostname, token, await lookUpAll(deps, hostname));
}

/**
 * Decides whether the domain may be marked as proven. The first tenant that proves a name keeps it while its TXT record exists. Once
 * the record is gone, the name is taken from it in favour of a tenant whose record is there, since only the owner can change both.
 */
export async function checkProof(
  deps: Pick<Dependencies, 'db' | 'hubs' | 'now' | 'lookUpTxt'>,
  domain: ProvableDomain,
): Promise<ProofResult> {
  const { hostname, token } = domain;
  const answers = await lookUpAll(deps, hostname);
  const result = judge(hostname, token, answers);
  if (!result.isProven) return result;
  const [holder] = await selectProven(deps.db, hostname);
  if (holder && holder.tenantId !== domain.tenantId) {
    const isDefinite = answers.every(({ found }) => found === 'records');
    if (!isDefinite || judge(hostname, holder.token, answers).isProven) {
      return { isProven: false, detail: provenByOther(hostname) };
    }
    await evict(deps, holder);
  }
  await releaseHold(deps.db, hostname);
  return result;
}

function lookUpAll({ lookUpTxt }: Looking, hostname: string): Promise<TxtAnswer[]> {
  return Promise.all(proofNames(hostname).map((name) => lookUpTxt(name)));
}

function judge(hostname: string, token: string, answers: readonly TxtAnswer[]): ProofResult {
  const values = answers.flatMap((answer) => (answer.found === 'records' ? answer.values : []));
  if (token !== '' && values.includes(proofValue(token))) return { isProven: true };
  const failure = answers.find((answer) => answer.found === 'failure');
  const detail = missingProof(hostname, token);
  return {
    isProven: false,
    detail: failure ? `${noProofAnswer(hostname, failure.reason)} ${detail}` : detail,
  };
}

/** Takes a name from the tenant that had it, and from its host. */
async function evict(
  deps: Pick<Dependencies, 'db' | 'hubs' | 'now'>,
  holder: ProvableDomain & { runnerId: string },
): Promise<void> {
  const detail = missingProof(holder.hostname, holder.token);
  await deps.db.batch([
    markUnproven(deps.db, holder, { detail, now: deps.now() }),
    ...namesTasks(deps, oneService(holder.serviceId), []),
  ]);
  await deps.hubs.wake(holder.runnerId);
}
