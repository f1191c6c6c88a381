/** A job of a CI service exchanges its identity token for a key of minutes, by the trust policies of a project. */
import { shortLivedKeysMax } from '../../domain/access/key-levels.ts';
import {
  type CiJob,
  providerOf,
  type StandardClaims,
  standardClaimsSchema,
} from '../../domain/access/trust/ci-providers.ts';
import {
  type BrokenRule,
  brokenRule,
  brokenRuleText,
  isAbout,
} from '../../domain/access/trust/judge-token.ts';
import { idTokenHoursMax } from '../../domain/access/trust/trust-policies.ts';
import { ApiError } from '../../domain/errors.ts';
import { defaultTenantId } from '../../domain/tenants/tenant-limits.ts';
import { nameSchema } from '../../domain/values/name.ts';
import { unverifiedClaims } from '../../gateways/identity/ci-issuers.ts';
import { SignInFailure } from '../../gateways/identity/guarded-fetch.ts';
import { clockToleranceSeconds } from '../../gateways/identity/key-sets.ts';
import { issueToken, sha256Hex } from '../../security/api-token.ts';
import { usedColumn } from '../../store/access/sign-in-store.ts';
import { insertTrustedKey, selectPoliciesOfNamed } from '../../store/access/trust-policy-store.ts';
import { selectOtherTenant } from '../../store/projects/tenant-store.ts';
import { violates } from '../../store/sql/store-failure.ts';
import type { Dependencies } from '../dependencies.ts';
import { readSettings } from '../instance/change-settings.ts';
import { type KeyView, newKeyRow } from './api-keys.ts';
import { allowsPrivateIssuers, nameOfPolicy } from './trust-policies.ts';

const minuteMs = 60_000;
/** Characters of the names of claims in a refusal. */
const claimsMax = 1_000;

export interface PresentedIdToken {
  token: string;
  /** Id of the project; a slug means the default tenant, so that no tenant can get the jobs of another by using its slug. */
  project: string;
}

/** A job whose token is verified, for the audit log: also if a rule refuses it. */
export interface VerifiedJob {
  tenantId: string;
  policyId: string;
  /** As in the name of its key. */
  name: string;
  brokenRule: BrokenRule['rule'] | null;
}

type Policy = Awaited<ReturnType<typeof selectPoliciesOfNamed>>[number];
interface Candidate {
  found: Policy;
  job: CiJob;
}

/**
 * The rules about the issuer and the repository are compared first, with the unverified token: a stranger learns nothing about other rules, and
 * causes no request to an issuer. Then the signature is verified, and only then the other rules are compared. If the rules of several
 * policies allow the job, the oldest policy gives the key.
 * @param verified called once the signature is verified
 * @throws ApiError `unauthenticated` for a token that is not trusted; `forbidden` for a rule that the job does not fulfil;
 *   `provider_refused` if the issuer can't be reached; `conflict`, `quota_exceeded`
 */
export async function exchangeIdToken(
  deps: Dependencies,
  { token, project }: PresentedIdToken,
  verified: (job: VerifiedJob) => void,
): Promise<{ view: KeyView; token: string }> {
  const payload = unverifiedPayload(token);
  const [policies, others] = await deps.db.batch([
    selectPoliciesOfNamed(deps.db, project, defaultTenantId),
    selectOtherTenant(deps.db),
  ]);
  const candidates = candidatesOf(policies, payload, project);
  const [first] = candidates as [Candidate, ...Candidate[]];
  await verifySignature(deps, first.found, token);
  const { tenantId } = first.found.project;
  assertTimes(payload, deps.now());
  const judged = candidates.map((one) => ({
    ...one,
    broken: brokenRule(one.found.policy, payload, one.job),
  }));
  const trusted = judged.find(({ broken }) => broken === undefined);
  const { found, job, broken } = trusted ?? (judged[0] as (typeof judged)[number]);
  const name = keyNameOf(job, found);
  verified({
    tenantId,
    policyId: found.policy.id,
    name,
    brokenRule: trusted ? null : (broken?.rule ?? null),
  });
  if (!trusted) throw refused(judged);
  const issued = await insertedKey(deps, { found, job, name, exp: payload.exp, token });
  return { ...issued, view: { ...issued.view, showsTenant: others.length > 0 } };
}

/** @throws ApiError `unauthenticated` */
function unverifiedPayload(token: string): StandardClaims & Record<string, unknown> {
  const malformed = (detail: string) =>
    new ApiError('unauthenticated', `The field "token" is no identity token of a CI job: ${detail}.`);
  const payload = unverifiedClaims(token);
  if (payload === undefined) throw malformed('it is not a JSON Web Token');
  const parsed = standardClaimsSchema.loose().safeParse(payload);
  if (parsed.success) return parsed.data;
  throw malformed(`its claim "${String(parsed.error.issues[0]?.path[0])}" is missing or has a wrong form`);
}

/** @throws ApiError `unauthenticated`, with the same words whether the project does not exist or does not trust the repository */
function candidatesOf(policies: readonly Policy[], payload: StandardClaims, project: string): Candidate[] {
  const candidates = policies.flatMap((found) => {
    // A token of another provider has other claims.
    const { data: job } = providerOf[found.policy.provider].job.safeParse(payload);
    return job && isAbout(found.policy, payload, job) ? [{ found, job }] : [];
  });
  if (candidates.length > 0) return candidates;
  const { iss, sub } = payload;
  const claims = Object.keys(payload).sort().join(', ').slice(0, claimsMax);
  throw new ApiError(
    'unauthenticated',
    `No trust policy of a project "${project}" is about this token, whose issuer is ${JSON.stringify(iss)}, whose subject is ${JSON.stringify(sub)}, and which has the claims ${claims}: check the project (its id, if it is not in the default tenant), or create a policy (longshore trust create).`,
  );
}

/** @throws ApiError `unauthenticated`, `provider_refused` */
async function verifySignature(
  deps: Dependencies,
  { policy: { issuer }, project }: Policy,
  token: string,
): Promise<void> {
  const allowsPrivate = allowsPrivateIssuers(project.tenantId, await readSettings(deps));
  try {
    await deps.ciIssuers.claims({ issuer, allowsPrivate }, token, deps.now());
  } catch (error) {
    if (!(error instanceof SignInFailure)) throw error;
    const code = error.reason === 'refused' ? 'unauthenticated' : 'provider_refused';
    throw new ApiError(code, `The identity token was refused. ${error.message}`, { cause: error });
  }
}

/** The expiry and the beginning are verified with the signature. @throws ApiError `unauthenticated` */
function assertTimes({ iat, exp }: StandardClaims, now: number): void {
  if (iat > now / 1000 + clockToleranceSeconds)
    throw new ApiError('unauthenticated', 'The identity token was issued in the future: check the clocks.');
  if (exp - iat > idTokenHoursMax * 3_600)
    throw new ApiError(
      'unauthenticated',
      `The identity token is valid for more than ${idTokenHoursMax} hours: set a shorter timeout of the job.`,
    );
}

/** @throws ApiError `forbidden` with the first broken rule of each policy about the repository */
function refused(judged: readonly (Candidate & { broken: BrokenRule | undefined })[]): ApiError {
  const sentences = judged
    .slice(0, 5)
    .flatMap(({ found, broken }) =>
      broken ? [`The trust policy ${found.policy.id} ${brokenRuleText(broken)}.`] : [],
    );
  return new ApiError('forbidden', sentences.join(' '));
}

/** "octo-org/shop main, run 42", for jobs that the key starts and for the audit log. */
function keyNameOf({ repository, ref, run }: CiJob, { policy }: Policy): string {
  const branch = ref?.replace(/^refs\/(heads|tags)\//, '');
  const whole = [repository, branch].filter(Boolean).join(' ').slice(0, 78);
  const parsed = nameSchema.safeParse(run === null ? whole : `${whole}, run ${run.slice(0, 15)}`);
  return parsed.success ? parsed.data : policy.id;
}

async function insertedKey(
  { db, newId, now, fillRandom, cell }: Dependencies,
  { found, job, name, exp, token }: Candidate & { name: string; exp: number; token: string },
) {
  const { policy, project, access } = found;
  const issued = await issueToken(fillRandom, cell);
  const createdAt = now();
  const key = newKeyRow({
    ...{ id: newId('key'), tenantId: project.tenantId, name, access, allProjects: false, ...issued.record },
    ...{ madeBy: policy.id, createdAt, expiresAt: createdAt + policy.expiresInMinutes * minuteMs },
  });
  const used = { id: await markOf(token), expiresAt: (exp + 2 * clockToleranceSeconds) * 1_000 };
  const outcome = await orUsed(() =>
    insertTrustedKey(db, { key, policy, used, ids: job, keysMax: shortLivedKeysMax }),
  );
  if (!outcome.isCurrent)
    throw new ApiError('conflict', 'The trust policy was changed at this moment: request a key again.');
  if (!outcome.isInserted)
    throw new ApiError(
      'quota_exceeded',
      `${shortLivedKeysMax} keys of this trust policy are valid, which is the limit: wait until one expires, or shorten "expiresInMinutes".`,
    );
  const maker = { kind: 'trust-policy' as const, name: nameOfPolicy(policy) };
  return { view: { key, maker, projectIds: [project.id] }, token: issued.token };
}

/** The signed part only: the same token can be written with another signature (ECDSA). */
const markOf = (token: string) => sha256Hex(`ci ${token.slice(0, token.lastIndexOf('.'))}`);

async function orUsed<Result>(insert: () => Promise<Result>): Promise<Result> {
  try {
    return await insert();
  } catch (error) {
    if (!violates(error, 'UNIQUE', usedColumn)) throw error;
    throw new ApiError(
      'unauthenticated',
      'This identity token was exchanged before: a token gives one key. Pass on the key inside the job, or start the job again.',
    );
  }
}
