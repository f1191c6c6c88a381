import { sameText, sha256Hex } from './api-token.ts';
import { toBase64Url } from './base64url.ts';

const encoder = new TextEncoder();
const proofUse = 'longshore-operator-session-v1';

/** Shorter secrets are never accepted, so that an empty or missing OPERATOR_TOKEN gives no access. */
const minimumLength = 24;

/**
 * Creates the check of the operator token. It takes constant time, because it compares digests of equal length.
 * @param tokens OPERATOR_TOKEN, and OPERATOR_TOKEN_PREVIOUS during the operator's change of the token in their programs
 */
export function operatorTokenCheck(
  ...tokens: (string | undefined)[]
): (presented: string) => Promise<boolean> {
  const accepted = tokens.filter((token) => token !== undefined && token.length >= minimumLength);
  return async (presented) => {
    const digest = await sha256Hex(presented);
    const matches = await Promise.all(
      accepted.map(async (token = '') => sameText(digest, await sha256Hex(token))),
    );
    return matches.includes(true);
  };
}

/**
 * Proofs of the operator's sessions: HMAC-SHA-256 of the session's id, with the operator token itself as key. So a session becomes invalid
 * with the token that was in use when it was opened, although the token is stored nowhere.
 */
export interface OperatorProofs {
  /** The proof by OPERATOR_TOKEN. @throws Error if the instance has no such token, which no caller can reach */
  proofOf(sessionId: string): Promise<string>;
  /** Whether it is a proof by one of the accepted tokens. Constant time. */
  isProof(sessionId: string, presented: string): Promise<boolean>;
}

/** @param tokens the same as for `operatorTokenCheck` */
export function operatorProofs(...tokens: (string | undefined)[]): OperatorProofs {
  const accepted = tokens.filter((token) => token !== undefined && token.length >= minimumLength);
  return {
    async proofOf(sessionId) {
      const [current] = accepted;
      if (current === undefined) throw new Error('There is no operator token.');
      return proofBy(current, sessionId);
    },
    async isProof(sessionId, presented) {
      const expected = await Promise.all(accepted.map((token = '') => proofBy(token, sessionId)));
      return expected.map((one) => sameText(presented, one)).includes(true);
    },
  };
}

async function proofBy(token: string, sessionId: string): Promise<string> {
  const algorithm = { name: 'HMAC', hash: 'SHA-256' };
  const key = await crypto.subtle.importKey('raw', encoder.encode(token), algorithm, false, ['sign']);
  const mac = await crypto.subtle.sign('HMAC', key, encoder.encode(`${proofUse}\n${sessionId}`));
  return toBase64Url(new Uint8Array(mac));
}
