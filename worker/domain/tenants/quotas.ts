/** Limits on what a tenant can use. */
import { z } from 'zod';
import { note } from '../../../protocol/note.ts';
import { ApiError } from '../errors.ts';
import { type TenantLimits, tenantLimitChangesSchema } from './tenant-limits.ts';

const ceiling = (max: number) => {
  const message = `must be a whole number from 0 to ${max}, or null for no limit`;
  return z.int(message).min(0, message).max(max, message).nullable().optional();
};

/** Quotas in a request. An absent one does not change; null removes the limit. */
export const quotasSchema = z.strictObject({
  projects: ceiling(1_000_000).describe('Number of projects.'),
  services: ceiling(1_000_000).describe('Number of services.'),
  domains: ceiling(1_000_000).describe('Number of custom domains, verified or not.'),
  volumes: ceiling(1_000_000).describe('Number of volumes of services that are no databases.'),
  concurrentBuilds: ceiling(1_000).meta(
    note('Jobs that run at the same time on all hosts together; further jobs wait.', 2),
  ),
  memoryMb: ceiling(1_000_000_000).meta(
    note("Sum of the services' memoryLimitMb, that of each replica.", 8192),
  ),
  backupBytes: ceiling(Number.MAX_SAFE_INTEGER).meta(
    note('Bytes of all backups, deleted ones that are kept included.', 10_737_418_240),
  ),
  logBytes: ceiling(Number.MAX_SAFE_INTEGER).meta(
    note(
      'Bytes of the logs of ended deployments and commands, compressed as they are stored, and of their copies in the archive.',
      1_073_741_824,
    ),
  ),
  diskMb: ceiling(1_000_000_000).meta(
    note(
      'Sum of what databases and containers hold on the disks of hosts, in units of 2^20 bytes, as last measured.',
      10_240,
    ),
  ),
  keptDeletions: ceiling(1_000_000).meta(
    note('Deleted services, projects and backups that can still be restored.', 2000),
  ),
  /** Size of their rows in the instance's database, in bytes. */
  keptDeletionBytes: ceiling(Number.MAX_SAFE_INTEGER).meta(
    note('How much data of deleted things is kept for a restore, in bytes.', 104_857_600),
  ),
  ...tenantLimitChangesSchema.shape,
});

export type QuotaChanges = z.infer<typeof quotasSchema>;
export type QuotaName = keyof QuotaChanges;
export const quotaNames = quotasSchema.keyof().options;
/** Quotas with a current usage. */
export const usedQuotaNames = [
  'projects',
  'services',
  'domains',
  'volumes',
  'concurrentBuilds',
  'memoryMb',
  'backupBytes',
  'logBytes',
  'diskMb',
  'keptDeletions',
  'keptDeletionBytes',
  'buildMinutesPerDay',
  'buildLogBytesPerDay',
] as const satisfies readonly QuotaName[];
export type UsedQuotaName = (typeof usedQuotaNames)[number];
/** Quotas that refuse a request when they are exceeded. Excess builds wait instead. */
export type RefusingQuota =
  | 'projects'
  | 'services'
  | 'domains'
  | 'volumes'
  | 'memoryMb'
  | 'diskMb'
  | KeptQuota;
/** Quotas that refuse a deletion when they are exceeded. */
export const keptQuotas = ['keptDeletions', 'keptDeletionBytes'] as const;
type KeptQuota = (typeof keptQuotas)[number];
/** An absent quota is no limit. */
export type Quotas = { [Name in QuotaName]?: number };

/**
 * Quotas of a new tenant, and of the default tenant once there is a second one. Each domain may cost an order at the CA, which limits orders per
 * account. The other quotas prevent a tenant from filling the instance's database, which has 500 MB on the free plan.
 */
export const newTenantQuotas = {
  projects: 100,
  services: 500,
  domains: 500,
  volumes: 500,
  keptDeletions: 2_000,
  keptDeletionBytes: 100_000_000,
} satisfies Quotas;

/** Memory limit of a service without memoryLimitMb if its tenant has a memory quota; otherwise the quota could be bypassed. */
export const defaultMemoryMb = 512;

/** The memory that counts against the quota. */
export function countedMemoryMb(service: { memoryLimitMb: number | null; replicas: number }): number {
  return (service.memoryLimitMb ?? defaultMemoryMb) * service.replicas;
}

/** The memory limit with which a service starts; `null` without a limit. */
function memoryLimitOf(service: { memoryLimitMb: number | null }, quotas: Quotas): number | null {
  return service.memoryLimitMb ?? (quotas.memoryMb === undefined ? null : defaultMemoryMb);
}

/**
 * The memory and CPU limits with which a service starts; null without a limit.
 * @param limits limits of its tenant: no container gets more, whatever the service requests
 */
export function containerLimitsOf(
  service: { memoryLimitMb: number | null; cpuLimit: number | null },
  quotas: Quotas,
  limits: Pick<TenantLimits, 'containerMemoryMb' | 'containerCpus'>,
): { memoryLimitMb: number | null; cpuLimit: number | null; warnings: string[] } {
  const memoryLimitMb = lower(memoryLimitOf(service, quotas), limits.containerMemoryMb);
  const cpuLimit = lower(service.cpuLimit, limits.containerCpus);
  const warnings = [
    ...reduced('memoryLimitMb', service.memoryLimitMb, memoryLimitMb),
    ...reduced('cpuLimit', service.cpuLimit, cpuLimit),
  ];
  return { memoryLimitMb, cpuLimit, warnings };
}

const lower = (wanted: number | null, most: number | null) =>
  wanted === null || most === null ? (wanted ?? most) : Math.min(wanted, most);

const reduced = (field: string, wanted: number | null, given: number | null) =>
  wanted === null || wanted === given
    ? []
    : [
        `"${field}" is ${wanted}, but containers of this tenant get at most ${given}: the container is started with ${given}.`,
      ];

/** @param changes an absent value does not change, null removes the limit */
export function changedQuotas(quotas: Quotas, changes: QuotaChanges): Quotas {
  const merged = { ...quotas, ...changes };
  return Object.fromEntries(Object.entries(merged).filter(([, value]) => typeof value === 'number'));
}

const words: Record<RefusingQuota, (count: number) => string> = {
  projects: (count) => `${count} project${count === 1 ? '' : 's'}`,
  services: (count) => `${count} service${count === 1 ? '' : 's'}`,
  domains: (count) => `${count} domain${count === 1 ? '' : 's'}`,
  volumes: (count) => `${count} volume${count === 1 ? '' : 's'}`,
  memoryMb: (count) => `${count} MB of memory`,
  diskMb: (count) => `${count} MB of disk space`,
  keptDeletions: (count) => `${count} deletion${count === 1 ? '' : 's'} that can be undone`,
  keptDeletionBytes: (count) => `${count} bytes of deleted rows that can be restored`,
};

/**
 * The size of a backup is only known after it was taken, so a backup is refused only if the quota is used up.
 * @param asked bytes of an uploaded file, whose size is known in advance
 */
export function backupBytesUsedUp({
  used,
  ceiling: most,
  asked,
}: {
  used: number;
  ceiling: number;
  asked?: number;
}): ApiError {
  const more = asked === undefined ? '' : `, and ${asked} more were requested`;
  return new ApiError(
    'quota_exceeded',
    `The quota "backupBytes" allows ${most} bytes of backups: ${used} bytes are in use${more}. Delete some backups, which free their bytes when they can no longer be restored, or ask the operator to raise the quota.`,
    { quota: 'backupBytes' satisfies QuotaName },
  );
}

/** The error with its numbers. @param asked additional amount that the request needs */
export function quotaExceeded(
  name: RefusingQuota,
  numbers: { used: number; asked: number; ceiling: number },
): ApiError {
  const { used, asked, ceiling: most } = numbers;
  const word = words[name];
  const more = asked === 0 ? '' : `, and ${word(asked)} more requested`;
  return new ApiError(
    'quota_exceeded',
    `The quota "${name}" allows ${word(most)}: ${word(used)} in use${more}. Free some, or ask the operator to raise the quota.`,
    { quota: name },
  );
}

/**
 * The error that refuses a deletion. Without it, a tenant could create any number of rows by creating and deleting.
 * @param oldestUntil removal time of the tenant's oldest deletion, in epoch milliseconds; null if the refused deletion is the first
 */
export function keptQuotaExceeded(
  name: KeptQuota,
  { used, ceiling: most, oldestUntil }: { used: number; ceiling: number; oldestUntil: number | null },
): ApiError {
  const word = words[name];
  const wait =
    oldestUntil === null ? '' : `The oldest is removed at ${new Date(oldestUntil).toISOString()}: wait, or `;
  const ask = 'the operator to purge deleted things or to raise the quota.';
  return new ApiError(
    'quota_exceeded',
    `Nothing was deleted. The quota "${name}" allows ${word(most)}, and this would be more: ${word(used)} in use. ${wait === '' ? 'Ask' : `${wait}ask`} ${ask}`,
    { quota: name },
  );
}
