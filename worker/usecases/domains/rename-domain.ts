import type { ProxyResult } from '../../../protocol/host-task.ts';
import {
  assertFreeName,
  assertNotOwnName,
  assertTakesDomains,
  initialStatus,
} from '../../domain/custom-domain.ts';
import { settingsOf } from '../../domain/settings.ts';
import { type DomainRow, renameDomain as renameRow } from '../../store/domain-store.ts';
import type { ProjectRow } from '../../store/project-store.ts';
import type { ServiceRow } from '../../store/service-store.ts';
import { selectSettings } from '../../store/settings-store.ts';
import type { Dependencies } from '../dependencies.ts';
import { changeNames } from './tell-names.ts';

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
