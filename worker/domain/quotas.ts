/** What a tenant may use. */
import { z } from 'zod';
import { ApiError } from './errors.ts';

const ceiling = (max: number) => {
  const message = `must be a whole number from 0 to ${max}, or null for no ceiling`;
  return z.int(message).min(0, message).max(max, message).nullable().optional();
};

/** In a create body and in a change: absent keeps, null is no ceiling. */
export const quotasSchema = z.strictObject({
  projects: ceiling(1_000_000),
  services: ceiling(1_000_000),
  /** Jobs at work at once, on all hosts together; more wait in their turn. */
  concurrentBuilds: ceiling(1_000),
  /** Sum of the services' memoryLimitMb. */
  memoryMb: ceiling(1_000_000_000),
  backupBytes: ceiling(Number.MAX_SAFE_INTEGER),
});

export type QuotaChanges = z.infer<typeof quotasSchema>;
export type QuotaName = keyof QuotaChanges;
export const quotaNames = quotasSchema.keyof().options;
/** Those that a request can exceed; of builds one too many waits. */
export type RefusingQuota = 'projects' | 'services' | 'memoryMb';
/** An absent one is no ceiling. */
export type Quotas = { [Name in QuotaName]?: number };

/** What a service without a memoryLimitMb counts for and gets, where its tenant has a ceiling: otherwise the ceiling would be none. */
export const defaultMemoryMb = 512;

/** What a service counts for. */
export function countedMemoryMb(service: { memoryLimitMb: number | null }): number {
  return service.memoryLimitMb ?? defaultMemoryMb;
}

/** Memory that a service is started with; null: no limit. */
export function memoryLimitOf(service: { memoryLimitMb: number | null }, quotas: Quotas): number | null {
  return service.memoryLimitMb ?? (quotas.memoryMb === undefined ? null : defaultMemoryMb);
}

/** @param changes absent keeps, null takes a ceiling away */
export function changedQuotas(quotas: Quotas, changes: QuotaChanges): Quotas {
  const merged = { ...quotas, ...changes };
  return Object.fromEntries(Object.entries(merged).filter(([, value]) => typeof value === 'number'));
}

const words: Record<RefusingQuota, (count: number) => string> = {
  projects: (count) => `${count} project${count === 1 ? '' : 's'}`,
  services: (count) => `${count} service${count === 1 ? '' : 's'}`,
  memoryMb: (count) => `${count} MB of memory`,
};

/**
 * What a backup will take is known when it is taken: it is refused when nothing is left.
 * @param asked of an uploaded file, whose size is known before
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
  const more = asked === undefined ? '' : `, ${asked} more asked for`;
  return new ApiError(
    'quota_exceeded',
    `The quota "backupBytes" allows ${most} bytes of backups: ${used} bytes are in use${more}. Delete some backups, or have the operator raise it.`,
  );
}

/** The refusal with its numbers. @param asked how much more the request wanted */
export function quotaExceeded(
  name: RefusingQuota,
  numbers: { used: number; asked: number; ceiling: number },
): ApiError {
  const { used, asked, ceiling: most } = numbers;
  const word = words[name];
  return new ApiError(
    'quota_exceeded',
    `The quota "${name}" allows ${word(most)}: ${word(used)} in use, ${word(asked)} more asked for. Free some, or have the operator raise it.`,
  );
}
