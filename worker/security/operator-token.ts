import { sameText, sha256Hex } from './api-token.ts';

/** A shorter secret is never accepted, so that an empty or missing OPERATOR_TOKEN opens nothing. */
const minimumLength = 24;

/** Creates the check of the operator token. It takes constant time, because it compares digests of equal length. */
export function operatorTokenCheck(
  operatorToken: string | undefined,
): (presented: string) => Promise<boolean> {
  return async (presented) => {
    if (operatorToken === undefined || operatorToken.length < minimumLength) return false;
    return sameText(await sha256Hex(presented), await sha256Hex(operatorToken));
  };
}
