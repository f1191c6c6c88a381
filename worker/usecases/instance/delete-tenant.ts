import { ApiError } from '../../domain/errors.ts';
import { defaultTenantId } from '../../domain/tenant.ts';
import { deleteTenant as deleteRow, type TenantRemains } from '../../store/tenant-store.ts';
import type { Dependencies } from '../dependencies.ts';

/** Deletes a tenant that owns nothing. @throws ApiError `conflict` for the default tenant, or naming what the tenant still owns */
export async function deleteTenant(
  { db }: Pick<Dependencies, 'db'>,
  tenant: { id: string; name: string },
): Promise<void> {
  if (tenant.id === defaultTenantId) {
    throw new ApiError(
      'conflict',
      "The default tenant can't be deleted: it owns everything that no other tenant owns.",
    );
  }
  const left = await deleteRow(db, tenant.id);
  if (left)
    throw new ApiError(
      'conflict',
      `${tenant.name} still has ${sentenceOf(left)}. Delete or revoke them first.`,
    );
}

function sentenceOf({ projects, keys, runners }: TenantRemains): string {
  const parts = [counted(projects, 'project'), counted(keys, 'key'), counted(runners, 'host')];
  return parts.filter((part) => part !== '').join(', ');
}

const counted = (count: number, word: string) =>
  count === 0 ? '' : `${count} ${word}${count === 1 ? '' : 's'}`;
