/** Compares the services and backups on a host with the rows. */
import type { HostInventory, InventoryService } from '../../../protocol/host-request.ts';
import type { ServiceKind } from '../services/service-kind.ts';

/** A service according to the rows. */
export interface KnownService {
  id: string;
  runnerId: string;
  nextRunnerId: string | null;
  kind: ServiceKind;
  /** The live deployment according to the rows; `null` if there is none. */
  deploymentId: string | null;
  lastDeployedAt: number | null;
}

export interface KnownRows {
  services: readonly KnownService[];
  /** Deleted services that can be restored. */
  deletedIds: ReadonlySet<string>;
  /** Backups with a copy on the host, including deleted ones that are still stored. */
  backups: readonly { id: string; serviceId: string; isDeleted: boolean }[];
}

export interface HostStrays {
  /** Services on the host that no row expects there. */
  services: (Omit<InventoryService, 'backups'> & {
    /** `forgotten`: no row; `elsewhere`: the row has another host; `deleted`: can be restored, but still runs. */
    reason: 'forgotten' | 'elsewhere' | 'deleted';
    backups: number;
  })[];
  /** Services whose live version differs from the rows. */
  otherVersions: { serviceId: string; deploymentId: string; recordedDeploymentId: string | null }[];
  /** Services that are only in the rows: no container runs, or a database's data volume is missing. */
  missing: { serviceId: string; what: 'container' | 'volume' }[];
  backupsWithoutRow: { serviceId: string; backupId: string }[];
  backupsWithoutFile: { serviceId: string; backupId: string }[];
}

export function compareHost(runnerId: string, { services }: HostInventory, rows: KnownRows): HostStrays {
  const known = new Map(rows.services.map((service) => [service.id, service]));
  const found = new Map(services.map((service) => [service.serviceId, service]));
  const reasonOf = ({ serviceId, isRunning, deploymentId }: InventoryService) => {
    const row = known.get(serviceId);
    if (row) return row.runnerId === runnerId || row.nextRunnerId === runnerId ? null : 'elsewhere';
    if (!rows.deletedIds.has(serviceId)) return 'forgotten';
    return isRunning || deploymentId !== null ? 'deleted' : null;
  };
  const here = rows.services.filter((service) => service.runnerId === runnerId);
  const rowIds = new Set(rows.backups.map(({ id }) => id));
  const fileIds = new Set(services.flatMap(({ backups }) => backups));
  return {
    services: services.flatMap((service) => {
      const reason = reasonOf(service);
      return reason ? [{ ...service, backups: service.backups.length, reason }] : [];
    }),
    otherVersions: here.flatMap(({ id: serviceId, deploymentId: recordedDeploymentId }) => {
      const deploymentId = found.get(serviceId)?.deploymentId ?? null;
      const isOther = deploymentId !== null && deploymentId !== recordedDeploymentId;
      return isOther ? [{ serviceId, deploymentId, recordedDeploymentId }] : [];
    }),
    missing: here.flatMap((service) => {
      const what = missingOf(service, found.get(service.id));
      return what ? [{ serviceId: service.id, what }] : [];
    }),
    backupsWithoutRow: services.flatMap(({ serviceId, backups }) =>
      backups.filter((id) => !rowIds.has(id)).map((backupId) => ({ serviceId, backupId })),
    ),
    backupsWithoutFile: rows.backups
      .filter(({ id, isDeleted }) => !isDeleted && !fileIds.has(id))
      .map(({ id, serviceId }) => ({ serviceId, backupId: id })),
  };
}

function missingOf(row: KnownService, found: InventoryService | undefined): 'container' | 'volume' | null {
  if (row.lastDeployedAt === null) return null;
  if (row.kind === 'database' && (found?.volumes.length ?? 0) === 0) return 'volume';
  return row.deploymentId !== null && (found?.deploymentId ?? null) === null ? 'container' : null;
}
