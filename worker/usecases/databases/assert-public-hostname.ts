import { assertOneLabel, needsVerification } from '../../domain/domains/name-verification.ts';
import { ApiError } from '../../domain/errors.ts';
import { selectForeignUse } from '../../store/domains/name-verification-store.ts';
import type { Dependencies } from '../dependencies.ts';
import { findVerification } from '../domains/check-verification.ts';
import { readNameRules } from '../domains/custom-domains.ts';

/**
 * On an instance with several tenants, a database's public host name must belong to the tenant, because the database's certificate contains it.
 * @throws ApiError `conflict` with the TXT record to create, or if another tenant uses the name; `unsupported`
 */
export async function assertPublicHostname(
  deps: Pick<Dependencies, 'db' | 'lookUpTxt'>,
  { tenantId }: { tenantId: string },
  hostname: string,
): Promise<void> {
  const rules = await readNameRules(deps, tenantId);
  if (!rules.isShared) return;
  assertOneLabel(hostname, rules);
  if (needsVerification(hostname, rules)) {
    const verification = await findVerification(deps, { hostname, token: rules.token });
    if (verification.isVerified) return;
    throw new ApiError(
      'conflict',
      `The name in "databasePublicHostname" is not verified. ${verification.detail}`,
    );
  }
  const [used] = await selectForeignUse(deps.db, hostname, tenantId);
  if (!used) return;
  throw new ApiError(
    'conflict',
    'The name in "databasePublicHostname" is used by another tenant, or was until recently: choose another one.',
  );
}
