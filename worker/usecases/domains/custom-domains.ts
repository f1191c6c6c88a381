/** Custom domains of a service: add, rename, remove. */
import type { ProxyResult } from '../../../protocol/host-task.ts';
import {
  assertFreeName,
  assertNotOwnName,
  assertTakesDomains,
  initialStatus,
} from '../../domain/domains/custom-domain.ts';
import {
  assertOneLabel,
  missingVerification,
  type NameRules,
  needsVerification,
} from '../../domain/domains/name-verification.ts';
import { ApiError, absent } from '../../domain/errors.ts';
import { publicIpOf, settingsOf } from '../../domain/instance/settings.ts';
import {
  type DomainRow,
  deleteDomain,
  insertDomain,
  refuseTooManyDomains,
  renameDomain as renameRow,
  selectDomains,
  selectDomainWithService,
  selectNameHolder,
} from '../../store/domains/domain-store.ts';
import {
  markVerified,
  recordVerificationCheck,
  selectNameOwner,
} from '../../store/domains/name-verification-store.ts';
import { selectSettings } from '../../store/instance/settings-store.ts';
import type { ProjectRow } from '../../store/projects/project-store.ts';
import { refuseOverQuota } from '../../store/projects/tenant-store.ts';
import type { ServiceRow } from '../../store/services/service-store.ts';
import { selectServiceView } from '../../store/services/service-view-store.ts';
import type { Dependencies } from '../dependencies.ts';
import { withinQuota } from '../within-quota.ts';
import { checkVerification } from './check-verification.ts';
import { changeNames, writeNames } from './names-tasks.ts';
import { probeService } from './probe-service.ts';

interface Loaded {
  service: ServiceRow;
  project: ProjectRow;
}

/**
 * Adds a custom domain to a service. @returns as `changeNames`; `ok: false` with instructions while the name is not verified
 * @param hostname in ASCII, lower-cased
 * @throws ApiError `unsupported`, `conflict`, `quota_exceeded`
 */
export async function addDomain(deps: Dependencies, loaded: Loaded, hostname: string): Promise<ProxyResult> {
  const { service, project } = loaded;
  const rules = await rulesFor(deps, loaded, hostname);
  const isVerified = !needsVerification(hostname, rules);
  const domain = {
    id: deps.newId('domain'),
    serviceId: service.id,
    hostname,
    isVerified,
    status: initialStatus(hostname),
    dnsDetail: isVerified ? null : missingVerification(hostname, rules.token),
    createdAt: deps.now(),
  };
  const guards = [
    refuseTooManyDomains(deps.db, service.id),
    refuseOverQuota(deps.db, project.tenantId, ['domains']),
  ];
  const insert = insertDomain(deps.db, domain);
  return withinQuota(deps, project.tenantId, { domains: 1 }, () =>
    tellingHolder(deps, project, hostname, async () => {
      if (isVerified)
        return changeNames(deps, insert, { serviceId: service.id, changed: [hostname], guards });
      await writeNames(() => deps.db.batch([insert, ...guards]));
      return verifyNow(deps, domain, rules);
    }),
  );
}

/** The probe result of the domain that an earlier attempt added with this id; undefined if there is none. */
export async function findAddedDomain(
  deps: Pick<Dependencies, 'db' | 'hubs'>,
  domainId: string,
): Promise<ProxyResult | undefined> {
  const [[found]] = await deps.db.batch([selectDomainWithService(deps.db, domainId)]);
  if (!found) return undefined;
  if (!found.isVerified) return { ok: false, detail: found.dnsDetail ?? '' };
  return probeService(deps, { service: found.service, preferredDomain: found.hostname });
}

/**
 * Renames a custom domain; with its current name, its verification and its DNS are checked again. @returns as `addDomain`
 * @throws ApiError `unsupported`, `conflict`
 */
export async function renameDomain(
  deps: Dependencies,
  { domain, ...loaded }: Loaded & { domain: DomainRow },
  hostname: string,
): Promise<ProxyResult> {
  const serviceId = loaded.service.id;
  const rules = await rulesFor(deps, loaded, hostname, domain.hostname);
  const isSame = hostname === domain.hostname;
  const isVerified = isSame ? domain.isVerified : !needsVerification(hostname, rules);
  const dnsDetail = isVerified ? null : missingVerification(hostname, rules.token);
  const to = { hostname, isVerified, status: initialStatus(hostname), dnsDetail, now: deps.now() };
  const rename = renameRow(deps.db, domain.id, to);
  const routed = [...(isVerified ? [hostname] : []), ...(domain.isVerified ? [domain.hostname] : [])];
  const result = await tellingHolder<unknown>(deps, loaded.project, hostname, () =>
    routed.length === 0
      ? writeNames(() => rename)
      : changeNames(deps, rename, { serviceId, changed: [...new Set(routed)] }),
  );
  return isVerified
    ? (result as ProxyResult)
    : verifyNow(deps, { id: domain.id, hostname, serviceId }, rules);
}

/** Removes a custom domain from its service. @returns as `changeNames` */
export async function removeDomain(
  deps: Dependencies,
  { id, serviceId, hostname, isVerified }: Pick<DomainRow, 'id' | 'serviceId' | 'hostname' | 'isVerified'>,
): Promise<ProxyResult> {
  const remove = deleteDomain(deps.db, id);
  if (isVerified) return changeNames(deps, remove, { serviceId, changed: [hostname] });
  await remove;
  return { ok: true, detail: `${hostname} was never routed, because it was not verified.` };
}

/**
 * Runs a write of this name. If the name is in use by a service of the same project, the error says by which one: other projects may belong
 * to other people.
 */
async function tellingHolder<Result>(
  { db }: Dependencies,
  { id: projectId }: ProjectRow,
  hostname: string,
  write: () => Promise<Result>,
): Promise<Result> {
  try {
    return await write();
  } catch (error) {
    if (!(error instanceof ApiError) || error.code !== 'conflict') throw error;
    const [holder] = await selectNameHolder(db, projectId, hostname);
    if (!holder) throw error;
    throw new ApiError(
      'conflict',
      `The host name in "hostname" is already used by the service ${holder.slug} of this project: choose another one, or remove it there first.`,
    );
  }
}

/** @param current the present name of the domain @throws ApiError if the service can't have a domain with this name */
async function rulesFor(
  deps: Dependencies,
  { service, project }: Loaded,
  hostname: string,
  current?: string,
): Promise<NameRules> {
  assertTakesDomains(service);
  assertNotOwnName(hostname, service);
  const rules = await readNameRules(deps, project.tenantId);
  assertFreeName(hostname, rules.rootDomain, project);
  // A name from the time before the instance had several tenants remains valid.
  if (hostname !== current) assertOneLabel(hostname, rules);
  return rules;
}

/** Checks the verification of a new name at once: the TXT record of an earlier name may cover it. */
async function verifyNow(
  deps: Dependencies,
  { id, hostname, serviceId }: Pick<DomainRow, 'id' | 'hostname' | 'serviceId'>,
  { tenantId, token }: NameRules,
): Promise<ProxyResult> {
  const domain = { id, hostname, serviceId, tenantId, token };
  const result = await checkVerification(deps, domain);
  const now = deps.now();
  if (result.isVerified) {
    return changeNames(deps, markVerified(deps.db, domain, now), { serviceId, changed: [hostname] });
  }
  await recordVerificationCheck(deps.db, domain, { detail: result.detail, now });
  return { ok: false, detail: result.detail };
}

interface AddedDomain {
  domain: DomainRow;
  /** The tenant's token (domain/name-verification). */
  nameToken: string;
  /** The address to which the name has to point. */
  targetIp: string;
}

/** A domain of a service with the facts for its DNS; undefined if it has been removed since. */
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

/** The rules for host names of a tenant; one round trip. */
export async function readNameRules({ db }: Pick<Dependencies, 'db'>, tenantId: string): Promise<NameRules> {
  const [settings, [owner]] = await db.batch([selectSettings(db), selectNameOwner(db, tenantId)]);
  if (!owner) throw absent('project');
  return { ...owner, isShared: owner.isShared === 1, rootDomain: settingsOf(settings).rootDomain };
}
