import { publicIpOf, settingsOf } from '../../domain/instance/settings.ts';
import { type DomainRow, selectDomains } from '../../store/domains/domain-store.ts';
import { selectNameOwner } from '../../store/domains/name-verification-store.ts';
import { selectSettings } from '../../store/instance/settings-store.ts';
import { selectServiceView } from '../../store/services/service-view-store.ts';
import type { Dependencies } from '../dependencies.ts';

export interface AddedDomain {
  domain: DomainRow;
  /** Of the tenant (domain/name-verification). */
  nameToken: string;
  /** Address to which the name has to point. */
  targetIp: string;
}

/** A domain of a service with what its DNS needs; undefined if it was removed in the meantime. */
export async function readAddedDomain(
  { db }: Pick<Dependencies, 'db'>,
  { service, project }: { service: { id: string }; project: { tenantId: string } },
  hostname: string,
): Promise<AddedDomain | undefined> {
  const [domains, [owner], settings, [view]] = await db.batch([
    selectDomains(db, service.id),
    selectNameOwner(db, project.tenantId),
    selectSettings(db),
    selectServiceView(db, service.id),
  ]);
  const domain = domains.find((one) => one.hostname === hostname);
  if (!domain || !view) return undefined;
  const targetIp = publicIpOf(settingsOf(settings), view.facts.publicIp);
  return { domain, nameToken: owner?.token ?? '', targetIp };
}
