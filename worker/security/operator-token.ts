import { sameText, sha256Hex } from './api-token.ts';

/** A shorter secret is refused altogether: an empty or forgotten OPERATOR_TOKEN must not open the door. */
const minimumLength = 24;

/** Makes the check of the operator's token; in constant time, through digests of one length. */
export function operatorTokenCheck(
  operatorToken: string | undefined,
): (presented: string) => Promise<boolean> {
  return async (presented) => {
    if (operatorToken === undefined || operatorToken.length < minimumLength) return false;
    return sameText(await sha256Hex(presented), await sha256Hex(operatorToken));
  };
}
