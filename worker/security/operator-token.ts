import { sameText, sha256Hex } from './api-token.ts';

/** A shorter secret is never accepted, so that an empty or missing OPERATOR_TOKEN opens nothing. */
const minimumLength = 24;

/**
 * Creates the check of the operator token. It takes constant time, because it compares digests of equal length.
 * @param tokens OPERATOR_TOKEN, and OPERATOR_TOKEN_PREVIOUS while the operator changes it in their programs
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
