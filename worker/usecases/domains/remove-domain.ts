import type { ProxyResult } from '../../../protocol/host-task.ts';
import { type DomainRow, deleteDomain } from '../../store/domain-store.ts';
import type { Dependencies } from '../dependencies.ts';
import { changeNames } from './tell-names.ts';

/** Removes a custom domain from its service. @returns as `changeNames` */
export async function removeDomain(
  deps: Dependencies,
  { id, serviceId, hostname }: Pick<DomainRow, 'id' | 'serviceId' | 'hostname'>,
): Promise<ProxyResult> {
  return changeNames(deps, deleteDomain(deps.db, id), { serviceId, changed: [hostname] });
}
