/**
 * A POST with an `Idempotency-Key` is carried out once: a repeat gets the first answer again, for 24 h.
 *
 * The key is claimed by a row before anything is done. What the request creates has an id that is chosen with the claim and kept in its
 * row, so that a repeat can find it, and the table's primary key refuses a second one:
 * - answered with 200: the answer is kept, sealed, since it may hold a token that is shown once;
 * - refused (4xx, or its host is offline): nothing was created; the claim goes, and the next request with the key is a new one;
 * - failed (5xx), or the Worker died: whether anything was written is not known. The claim is free again at once, or after its lease;
 *   the repeat first looks for what has the id, and creates only what is not there. Should the first attempt still be at work then,
 *   one of the two inserts fails.
 */
import { ApiError } from '../../domain/errors.ts';
import { idempotentResponsePlace } from '../../security/secret-places.ts';
import {
  claimStatements,
  endLease,
  forgetClaim,
  type IdempotencyName,
  keepResponse,
} from '../../store/idempotency-store.ts';
import type { Dependencies } from '../dependencies.ts';

const keptMs = 24 * 3_600_000;
/** Longer than any request that creates something takes. */
const leaseMs = 60_000;
/** Such a request is over within a second, usually. */
const retryAfterSeconds = 1;

export interface OnceRequest extends IdempotencyName {
  /** Method, path and body. Only its fingerprint is kept. */
  request: string;
  /** For what it creates, should this be the first attempt; empty where that has no id. */
  createdId: string;
}

export interface Attempt {
  createdId: string;
  /** An attempt before this one may have created it. */
  isRepeat: boolean;
}

export interface OnceAnswer {
  text: string;
  createdId: string;
  /** Not done again: the first answer. */
  isReplayed: boolean;
}

type Needs = Pick<Dependencies, 'db' | 'envelope' | 'fingerprint' | 'now'>;

/**
 * @param attempt does it and makes the text of the answer
 * @throws ApiError `idempotency_conflict`, and what `attempt` throws
 */
export async function answerOnce(
  deps: Needs,
  request: OnceRequest,
  attempt: (attempt: Attempt) => Promise<string>,
): Promise<OnceAnswer> {
  const claim = await claimKey(deps, request);
  if ('text' in claim) return claim;
  let text: string;
  try {
    text = await attempt(claim);
  } catch (error) {
    await release(deps, request, error);
    throw error;
  }
  await keep(deps, request, text);
  return { text, createdId: claim.createdId, isReplayed: false };
}

async function claimKey(
  { db, envelope, fingerprint, now }: Needs,
  { request, ...claim }: OnceRequest,
): Promise<Attempt | OnceAnswer> {
  const at = now();
  const requestHash = await fingerprint('request', request);
  const [, [known], [claimed]] = await db.batch(
    claimStatements(
      db,
      { ...claim, requestHash, createdAt: at },
      { forgottenBefore: at - keptMs, leaseEndedBefore: at - leaseMs },
    ),
  );
  if (claimed) return { createdId: claimed.createdId, isRepeat: known !== undefined };
  if (known && known.requestHash !== requestHash) {
    throw new ApiError(
      'idempotency_conflict',
      'This Idempotency-Key was used for another request: use a new one for each request.',
    );
  }
  if (known?.sealedResponse) {
    const text = await envelope.openForInstance(idempotentResponsePlace(claim), known.sealedResponse);
    return { text, createdId: known.createdId, isReplayed: true };
  }
  throw new ApiError(
    'idempotency_conflict',
    'A request with this Idempotency-Key is still at work: repeat it in a moment.',
    { retryAfterSeconds },
  );
}

/** Never throws: the claim's lease ends by itself. */
async function release({ db, now }: Needs, request: OnceRequest, error: unknown): Promise<void> {
  const wasRefused = error instanceof ApiError && (error.status < 500 || error.code === 'runner_offline');
  try {
    if (wasRefused) await forgetClaim(db, request);
    else await endLease(db, request, now() - leaseMs);
  } catch (cause) {
    console.warn(`An Idempotency-Key stays claimed until its lease ends: ${String(cause)}`);
  }
}

/** Never throws: a repeat then finds what was created. */
async function keep({ db, envelope }: Needs, request: OnceRequest, text: string): Promise<void> {
  try {
    const sealed = await envelope.sealForInstance(idempotentResponsePlace(request), text);
    await keepResponse(db, request, sealed);
  } catch (cause) {
    console.warn(`The answer to a request with an Idempotency-Key was not kept: ${String(cause)}`);
  }
}

/** When answers are forgotten. @param now epoch milliseconds */
export const forgottenAnswersBefore = (now: number): number => now - keptMs;
