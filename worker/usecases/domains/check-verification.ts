/** Looks for the TXT records that verify a name, and decides between tenants. */
import type { TxtAnswer } from '../../../protocol/host-request.ts';
import {
  missingVerification,
  noVerificationAnswer,
  verificationNames,
  verificationValue,
  verifiedByOther,
} from '../../domain/domains/name-verification.ts';
import {
  markUnverified,
  releaseHold,
  selectVerified,
  type VerifiableDomain,
} from '../../store/domains/name-verification-store.ts';
import { oneService } from '../../store/domains/service-names-store.ts';
import { findConnectedHost } from '../../store/hosts/runner-store.ts';
import type { Dependencies } from '../dependencies.ts';
import { namesTasks } from './names-tasks.ts';

/** Whether a name may be used; if not, the reason as a sentence. */
export type VerificationResult = { isVerified: true } | { isVerified: false; detail: string };

type Looking = Pick<Dependencies, 'lookUpTxt'>;

/** Whether one of the TXT records of this name has the tenant's value. */
export async function findVerification(
  deps: Looking,
  { hostname, token }: Pick<VerifiableDomain, 'hostname' | 'token'>,
): Promise<VerificationResult> {
  return evaluate(hostname, token, await lookUpAll(deps, hostname));
}

/**
 * Decides whether the domain may be marked as verified. The first tenant that verifies a name keeps it while its TXT record exists. If
 * the record is removed, the name goes to a tenant whose record exists, because only the owner can change both records.
 */
export async function checkVerification(
  deps: Pick<Dependencies, 'db' | 'hubs' | 'newId' | 'now' | 'lookUpTxt'>,
  domain: VerifiableDomain,
): Promise<VerificationResult> {
  const { hostname, token } = domain;
  const answers = await lookUpAll(deps, hostname);
  const result = evaluate(hostname, token, answers);
  if (!result.isVerified) return result;
  const [holder] = await selectVerified(deps.db, hostname);
  if (holder && holder.tenantId !== domain.tenantId) {
    const isDefinite = answers.every(({ found }) => found === 'records');
    if (!isDefinite || evaluate(hostname, holder.token, answers).isVerified) {
      return { isVerified: false, detail: verifiedByOther(hostname) };
    }
    await evict(deps, holder);
  }
  await releaseHold(deps.db, hostname);
  return result;
}

function lookUpAll({ lookUpTxt }: Looking, hostname: string): Promise<TxtAnswer[]> {
  return Promise.all(verificationNames(hostname).map((name) => lookUpTxt(name)));
}

function evaluate(hostname: string, token: string, answers: readonly TxtAnswer[]): VerificationResult {
  const values = answers.flatMap((answer) => (answer.found === 'records' ? answer.values : []));
  if (token !== '' && values.includes(verificationValue(token))) return { isVerified: true };
  const failure = answers.find((answer) => answer.found === 'failure');
  const detail = missingVerification(hostname, token);
  return {
    isVerified: false,
    detail: failure ? `${noVerificationAnswer(hostname, failure.reason)} ${detail}` : detail,
  };
}

/** Takes a name from its present tenant, and from that tenant's host. */
async function evict(
  deps: Pick<Dependencies, 'db' | 'hubs' | 'newId' | 'now'>,
  holder: VerifiableDomain & { runnerId: string },
): Promise<void> {
  const detail = missingVerification(holder.hostname, holder.token);
  await deps.db.batch([
    markUnverified(deps.db, holder, { detail, now: deps.now() }),
    ...namesTasks(deps, oneService(holder.serviceId), []),
  ]);
  await deps.hubs.wake(holder.runnerId);
}

/** The host looks up a CNAME and a TXT record, each for up to 9 s. */
const answerTimeoutMs = 20_000;

/**
 * Creates the function that looks up TXT records through a connected host. Only the default tenant's hosts are asked, because another
 * tenant may control its hosts' name servers.
 */
export function askTxtFromHost({ db, hubs }: Pick<Dependencies, 'db' | 'hubs'>) {
  return async (name: string): Promise<unknown> => {
    const runner = await findConnectedHost(db);
    if (!runner) return undefined;
    const answer = await hubs.request(runner.id, { op: 'look-up-txt', name }, answerTimeoutMs);
    return answer.ok ? answer.value : undefined;
  };
}
