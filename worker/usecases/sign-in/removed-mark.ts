import { sha256Hex } from '../../security/api-token.ts';

/** What stays of the address of a removed member: enough to recognise it, without the address itself. */
export const removedMark = (tenantId: string, email: string): Promise<string> =>
  sha256Hex(`longshore-removed-member-v1\n${tenantId}\n${email}`);
