import { ApiError } from '../../domain/errors.ts';
import { assertOneLabel, needsProof } from '../../domain/name-proof.ts';
import { selectForeignUse } from '../../store/name-proof-store.ts';
import type { Dependencies } from '../dependencies.ts';
import { findProof } from '../domains/check-proof.ts';
import { readNameRules } from '../domains/read-name-rules.ts';

/**
 * On an instance with several tenants, a database's public host name has to be the tenant's: its certificate contains it.
 * @throws ApiError `conflict` with the TXT record to create, or if another tenant has the name; `unsupported`
 */
export async function assertPublicHostname(
  deps: Pick<Dependencies, 'db' | 'lookUpTxt'>,
  { tenantId }: { tenantId: string },
  hostname: string,
): Promise<void> {
  const rules = await readNameRules(deps, tenantId);
  if (!rules.isShared) return;
  assertOneLabel(hostname, rules);
  if (needsProof(hostname, rules)) {
    const proof = await findProof(deps, { hostname, token: rules.token });
    if (proof.isProven) return;
    throw new ApiError('conflict', `The name in "databasePublicHostname" is not verified. ${proof.detail}`);
  }
  const [used] = await selectForeignUse(deps.db, hostname, tenantId);
  if (!used) return;
  throw new ApiError(
    'conflict',
    'The name in "databasePublicHostname" is used by another tenant, or was until recently: choose another one.',
  );
}
