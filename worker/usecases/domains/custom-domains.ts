/** Custom domains of a service: add, rename, remove. */
import type { ProxyResult } from '../../../protocol/host-task.ts';
import {
  assertFreeName,
  assertNotOwnName,
  assertTakesDomains,
  initialStatus,
} from '../../domain/custom-domain.ts';
import { settingsOf } from '../../domain/settings.ts';
import {
  type DomainRow,
  deleteDomain,
  insertDomain,
  renameDomain as renameRow,
  selectDomainWithService,
} from '../../store/domain-store.ts';
import type { ProjectRow } from '../../store/project-store.ts';
import type { ServiceRow } from '../../store/service-store.ts';
import { selectSettings } from '../../store/settings-store.ts';
import type { Dependencies } from '../dependencies.ts';
import { changeNames } from './names-tasks.ts';
import { probeService } from './probe-service.ts';

/**
 * Adds a custom domain to a service. @returns as `changeNames`
 * @param hostname in ASCII, lower-cased
 * @throws ApiError `unsupported`, `conflict`
 */
export async function addDomain(
  deps: Dependencies,
  { service, project }: { service: ServiceRow; project: ProjectRow },
  hostname: string,
): Promise<ProxyResult> {
  assertTakesDomains(service);
  assertNotOwnName(hostname, service);
  const { rootDomain } = settingsOf(await selectSettings(deps.db));
  assertFreeName(hostname, rootDomain, project);
  const domain = {
    id: deps.newId('domain'),
    serviceId: service.id,
    hostname,
    status: initialStatus(hostname),
    createdAt: deps.now(),
  };
  return changeNames(deps, insertDomain(deps.db, domain), { serviceId: service.id, changed: [hostname] });
}

/** The probe result of the domain that an earlier attempt added with this id; undefined if there is none. */
export async function findAddedDomain(
  deps: Pick<Dependencies, 'db' | 'hubs'>,
  domainId: string,
): Promise<ProxyResult | undefined> {
  const [[found]] = await deps.db.batch([selectDomainWithService(deps.db, domainId)]);
  return found && probeService(deps, { service: found.service, preferredDomain: found.hostname });
}

/**
 * Renames a custom domain; with its current name, the host checks its DNS again. @returns as `changeNames`
 * @throws ApiError `unsupported`, `conflict`
 */
export async function renameDomain(
  deps: Dependencies,
  { service, project, domain }: { service: ServiceRow; project: ProjectRow; domain: DomainRow },
  hostname: string,
): Promise<ProxyResult> {
  assertTakesDomains(service);
  assertNotOwnName(hostname, service);
  const { rootDomain } = settingsOf(await selectSettings(deps.db));
  assertFreeName(hostname, rootDomain, project);
  const to = { hostname, status: initialStatus(hostname), now: deps.now() };
  const changed = [...new Set([hostname, domain.hostname])];
  return changeNames(deps, renameRow(deps.db, domain.id, to), { serviceId: service.id, changed });
}

/** Removes a custom domain from its service. @returns as `changeNames` */
export async function removeDomain(
  deps: Dependencies,
  { id, serviceId, hostname }: Pick<DomainRow, 'id' | 'serviceId' | 'hostname'>,
): Promise<ProxyResult> {
  return changeNames(deps, deleteDomain(deps.db, id), { serviceId, changed: [hostname] });
}
