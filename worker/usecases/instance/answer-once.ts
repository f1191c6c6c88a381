/**
 * Ensures that a POST with an `Idempotency-Key` runs only once: for 24 h, a repeat gets the first response again.
 *
 * The key is claimed by a row before anything is done. The id of the created resource is chosen with the claim and stored in the row, so a
 * repeat can find the resource, and the table's primary key prevents a second one. The outcome decides what happens to the claim:
 * - 200: the response is stored, sealed, because it can contain a token that is shown only once.
 * - Refused (4xx, or the host is offline): nothing was created. The claim is deleted, so the next request with the key is a new one.
 * - Failed (5xx), or the Worker died: it is unknown whether anything was written. The claim is free immediately, or after its lease. A
 *   repeat first looks up the id and creates only what does not exist. If the first attempt is still running, one of the two inserts fails.
 */
import { ApiError } from '../../domain/errors.ts';
import { idempotentResponsePlace } from '../../security/secret-places.ts';
import {
  claimStatements,
  endLease,
  forgetClaim,
  type IdempotencyName,
  keepResponse,
} from '../../store/instance/idempotency-store.ts';
import type { Dependencies } from '../dependencies.ts';

const keptMs = 24 * 3_600_000;
/** Longer than any request that creates something. */
const leaseMs = 60_000;
/** Such requests usually take less than a second. */
const retryAfterSeconds = 1;

export interface OnceRequest extends IdempotencyName {
  /** Method, path and body, of which only a fingerprint is stored. */
  request: string;
  /** The reserved id if this is the first attempt; empty if the created resource has no id. */
  createdId: string;
}

export interface Attempt {
  createdId: string;
  /** Whether an earlier attempt may already have created the resource. */
  isRepeat: boolean;
}

export interface OnceAnswer {
  text: string;
  createdId: string;
  /** Whether the text is the stored first response, and nothing was done. */
  isReplayed: boolean;
}

type Needs = Pick<Dependencies, 'db' | 'envelope' | 'fingerprint' | 'isFingerprint' | 'now'>;

/**
 * @param attempt runs the request and returns the text of the response
 * @throws ApiError `idempotency_conflict`, and errors of `attempt`
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
  { db, envelope, fingerprint, isFingerprint, now }: Needs,
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
  if (known && !(await isFingerprint('request', request, known.requestHash))) {
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
    'A request with this Idempotency-Key is still in progress: repeat it in a moment.',
    { retryAfterSeconds },
  );
}

/** Never throws, because the claim's lease expires anyway. */
async function release({ db, now }: Needs, request: OnceRequest, error: unknown): Promise<void> {
  const wasRefused = error instanceof ApiError && (error.status < 500 || error.code === 'runner_offline');
  try {
    if (wasRefused) await forgetClaim(db, request);
    else await endLease(db, request, now() - leaseMs);
  } catch (cause) {
    console.warn(`An Idempotency-Key stays claimed until its lease expires: ${String(cause)}`);
  }
}

/** Never throws: without a stored response, a repeat finds the created resource. */
async function keep({ db, envelope }: Needs, request: OnceRequest, text: string): Promise<void> {
  try {
    const sealed = await envelope.sealForInstance(idempotentResponsePlace(request), text);
    await keepResponse(db, request, sealed);
  } catch (cause) {
    console.warn(`The response to a request with an Idempotency-Key could not be stored: ${String(cause)}`);
  }
}

/** Responses from before this time have expired. @param now epoch milliseconds */
export const forgottenAnswersBefore = (now: number): number => now - keptMs;
