/** Restores deleted resources: rows, names and ports, and a deployment for each service that was live. */

import { ApiError, absent } from '../../domain/errors.ts';
import { settingsOf } from '../../domain/instance/settings.ts';
import { candidateRange } from '../../domain/names/host-names.ts';
import { type RestoreChange, restoreRequest } from '../../domain/projects/deletions.ts';
import {
  type KeptDomain,
  type KeptService,
  planRestore,
  type RestorePlan,
} from '../../domain/projects/restore-plan.ts';
import { countedMemoryMb } from '../../domain/tenants/quotas.ts';
import { freeSlug } from '../../domain/values/slug.ts';
import {
  changeDeletedRow,
  type DeletionRow,
  dropDeletedRows,
  endRestore,
  isRestorable,
  readDeletedRows,
  selectDeletion,
  selectRestorable,
} from '../../store/deletions/deletion-store.ts';
import { queueRestoredDeployments } from '../../store/deployments/restored-deployment-store.ts';
import { selectUsableHosts } from '../../store/hosts/placement-store.ts';
import { selectSettings } from '../../store/instance/settings-store.ts';
import { listSlugsLike, selectProject } from '../../store/projects/project-store.ts';
import { refuseOverQuota } from '../../store/projects/tenant-store.ts';
import {
  selectHostnames,
  selectServiceNames,
  selectTakenHostnames,
  selectTakenPorts,
} from '../../store/services/service-store.ts';
import { restoreRows } from '../../store/sql/row-archive.ts';
import { violates } from '../../store/sql/store-failure.ts';
import type { Dependencies } from '../dependencies.ts';
import { retryNameClash } from '../retry-name-clash.ts';
import { type Asked, askedQuotas, withinQuota } from '../within-quota.ts';

type Needs = Pick<Dependencies, 'db' | 'hubs' | 'newId' | 'now' | 'initiator'>;

/**
 * Restores a service, a project with all its services, a backup or a volume. Nothing is restored if anything refuses.
 * @returns differences from the former state, because a name or port is in use now
 * @throws ApiError `not_found` if it can't be restored any more; `conflict` if its project or service is deleted, or its host no longer exists;
 *   `quota_exceeded`
 */
export async function restoreDeletion(deps: Needs, deletion: DeletionRow): Promise<RestoreChange[]> {
  const { db, hubs } = deps;
  const { changes, runnerIds } = await retryNameClash(() => attempt(deps, deletion)).catch(
    async (error: unknown) => {
      throw violates(error, 'FOREIGN KEY') ? await isOrphan(db, deletion) : error;
    },
  );
  await Promise.all([...runnerIds].map((id) => hubs.wake(id)));
  return changes;
}

async function attempt(deps: Needs, deletion: DeletionRow) {
  const { db, newId } = deps;
  const { resourceId, kind, tenantId } = deletion;
  const at = deps.now();
  const services = await readDeletedRows<KeptService>(db, resourceId, 'services');
  const domains = await readDeletedRows<KeptDomain>(db, resourceId, 'domains');
  const plan = await planOf(deps, deletion, { services, domains });
  const volumes = await readDeletedRows(db, resourceId, 'volumes');
  const asked = askedOf(kind, services, { domains: domains.length, volumes: volumes.length });
  const started = services.map(({ id: serviceId }) => ({
    serviceId,
    deploymentId: newId('deployment'),
    jobId: newId('job'),
  }));
  return await withinQuota(deps, tenantId, asked, async () => {
    const [found] = await db.batch([
      selectRestorable(db, resourceId, at),
      ...editsOf(db, resourceId, plan),
      ...restoreRows(db, resourceId, isRestorable(resourceId, at)),
      ...queueRestoredDeployments(db, started, { startedBy: deps.initiator, at }),
      refuseOverQuota(db, tenantId, askedQuotas(asked)),
      ...endRestore(db, { resourceId, eventId: newId('event'), by: deps.initiator, at }),
    ]);
    if (found.length === 0) throw absent(kind);
    return { changes: plan.changes, runnerIds: new Set(services.map((service) => service.runner_id)) };
  });
}

/** Whether it is part of a service, which must exist for a restore. */
const isPart = (kind: DeletionRow['kind']) => kind === 'backup' || kind === 'volume';

function askedOf(
  kind: DeletionRow['kind'],
  services: readonly KeptService[],
  { domains, volumes }: { domains: number; volumes: number },
): Asked {
  if (kind === 'volume') return { volumes: 1 };
  if (kind === 'backup') return {};
  const memory = services.map(({ memory_limit_mb: memoryLimitMb = null, replicas = 1 }) =>
    countedMemoryMb({ memoryLimitMb, replicas }),
  );
  return {
    ...(kind === 'project' ? { projects: 1 } : {}),
    services: services.length,
    domains,
    volumes,
    memoryMb: memory.reduce((sum, one) => sum + one, 0),
  };
}

interface Plan extends RestorePlan {
  /** The project's new slug, if another project uses its old one. */
  projectSlug?: string;
}

async function planOf(
  { db }: Needs,
  deletion: DeletionRow,
  { services, domains }: { services: readonly KeptService[]; domains: readonly KeptDomain[] },
): Promise<Plan> {
  const { resourceId, kind, projectId, tenantId } = deletion;
  if (isPart(kind)) return { changes: [], columns: new Map(), lostDomains: [] };
  const kept = kind === 'project' ? await readDeletedRows<{ slug: string }>(db, resourceId, 'projects') : [];
  const names = hostnamesOf(services, domains);
  const runnerIds = [...new Set(services.map((service) => service.runner_id))];
  const [[project], siblings, hosts, settings, hostnames, ports] = await db.batch([
    selectProject(db, projectId),
    selectServiceNames(db, projectId),
    selectUsableHosts(db, tenantId, runnerIds),
    selectSettings(db),
    selectTakenHostnames(db, names, tenantId),
    selectTakenPorts(db, runnerIds),
  ]);
  const before = kept[0]?.slug ?? project?.slug ?? '';
  const slug = kind === 'project' ? freeSlug(before, await listSlugsLike(db, tenantId, before)) : before;
  const taken = {
    slugs: new Set(siblings.map((sibling) => sibling.slug)),
    ports: portsByHost(ports),
    hostnames: await withCandidates(
      db,
      { services, tenantId },
      new Set(hostnames.map(({ hostname }) => hostname)),
    ),
  };
  const plan = planRestore({ services, domains }, taken, {
    hosts: new Map(hosts.map((host) => [host.id, host])),
    rootDomain: settingsOf(settings).rootDomain,
    projectSlug: slug,
  });
  if (slug === before) return plan;
  const change: RestoreChange = { serviceId: null, field: 'slug', before, after: slug };
  return { ...plan, projectSlug: slug, changes: [change, ...plan.changes] };
}

function hostnamesOf(services: readonly KeptService[], domains: readonly KeptDomain[]): string[] {
  const generated = services.flatMap((service) => [
    service.generated_hostname,
    service.database_public_hostname,
  ]);
  const all = [...generated, ...domains.map(({ hostname }) => hostname)];
  return all.filter((name) => name !== undefined);
}

function portsByHost(rows: readonly { runnerId: string; port: number }[]): Map<string, Set<number>> {
  const byHost = Map.groupBy(rows, ({ runnerId }) => runnerId);
  return new Map([...byHost].map(([id, ports]) => [id, new Set(ports.map(({ port }) => port))]));
}

/** Adds the names that could also be in use when a service gets another name. */
async function withCandidates(
  db: Dependencies['db'],
  { services, tenantId }: { services: readonly KeptService[]; tenantId: string },
  taken: ReadonlySet<string>,
): Promise<Set<string>> {
  const [first, ...others] = services
    .filter((service) => hostnamesOf([service], []).some((name) => taken.has(name)))
    .map(({ slug }) => selectHostnames(db, candidateRange(slug), tenantId));
  const near = first ? (await db.batch([first, ...others])).flat() : [];
  return new Set([...taken, ...near.map(({ hostname }) => hostname)]);
}

function editsOf(db: Dependencies['db'], resourceId: string, { columns, lostDomains, projectSlug }: Plan) {
  return [
    ...[...columns].map(([id, values]) =>
      changeDeletedRow(db, resourceId, { source: 'services', id, columns: values }),
    ),
    dropDeletedRows(db, resourceId, 'domains', lostDomains),
    ...(projectSlug === undefined
      ? []
      : [
          changeDeletedRow(db, resourceId, {
            source: 'projects',
            id: resourceId,
            columns: { slug: projectSlug },
          }),
        ]),
  ];
}

/** Why the parent row is missing. */
async function isOrphan(db: Dependencies['db'], { kind, projectId, serviceId }: DeletionRow) {
  const [[project], [service]] = await db.batch([
    selectDeletion(db, projectId),
    selectDeletion(db, serviceId ?? ''),
  ]);
  const parent = project ?? (isPart(kind) ? service : undefined);
  if (!parent)
    return new ApiError('conflict', `The project or service of this ${kind} is being changed: try again.`);
  const request = restoreRequest(parent.deletion);
  return new ApiError(
    'conflict',
    `The ${parent.deletion.kind} "${parent.deletion.name}", which this ${kind} belongs to, is deleted too: restore it first with ${request}.`,
  );
}
