/**
 * Offers passkeys among the browser's proposals for the field of the sign-in page
 * (https://www.w3.org/TR/webauthn-3/#dom-credentialmediationrequirement-conditional).
 * A browser handles one request for a passkey at a time, so the offer ends before another way to sign in starts.
 */
import { type Assertion, hasPasskeys, requestOptions, signInBy } from './passkeys.ts';

/** A challenge is replaced after this share of its lifetime, so that it is still valid when the answer arrives. */
const renewedAfter = 0.8;
const shortestMs = 10_000;

/** Whether this browser proposes passkeys in fields. */
const canOffer = async (): Promise<boolean> =>
  hasPasskeys() && (await PublicKeyCredential.isConditionalMediationAvailable?.()) === true;

/**
 * Waits until the person chooses a passkey in the field, and opens a session with it.
 * @param signal ends the offer
 * @returns false if it ended without a session
 * @throws LongshoreError if the chosen passkey is refused
 */
export async function signInByAutofill(signal: AbortSignal): Promise<boolean> {
  if (!(await canOffer())) return false;
  while (!signal.aborted) {
    const publicKey = await requestOptions().catch(() => undefined);
    // The other ways to sign in show why there is no answer.
    if (!publicKey) return false;
    const answer = await chosen(publicKey, signal);
    if (answer === 'ended') return false;
    if (answer === 'stale') await visible(signal);
    else if (!signal.aborted) {
      await signInBy(answer);
      return true;
    }
  }
  return false;
}

async function chosen(
  publicKey: PublicKeyCredentialRequestOptions,
  signal: AbortSignal,
): Promise<Assertion | 'stale' | 'ended'> {
  const stale = AbortSignal.timeout(Math.max(shortestMs, (publicKey.timeout ?? 0) * renewedAfter));
  const ended = AbortSignal.any([signal, stale]);
  try {
    if (ended.aborted) return 'ended';
    const credential = await navigator.credentials.get({
      publicKey,
      mediation: 'conditional',
      signal: ended,
    });
    return credential instanceof PublicKeyCredential ? (credential.toJSON() as Assertion) : 'ended';
  } catch {
    return stale.aborted && !signal.aborted ? 'stale' : 'ended';
  }
}

/** Waits until the page is visible: a hidden page requests no new challenge. */
function visible(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const stops = new AbortController();
    const check = () => {
      if (document.hidden && !signal.aborted) return;
      stops.abort();
      resolve();
    };
    document.addEventListener('visibilitychange', check, { signal: stops.signal });
    signal.addEventListener('abort', check, { signal: stops.signal });
    check();
  });
}
