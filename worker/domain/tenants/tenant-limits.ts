/**
 * Limits that prevent a tenant of a shared instance from using up the resources of others. The setting `tenantLimits` has the values for
 * every tenant except the default one; a quota of the same name replaces a value for one tenant, and is the only way to limit the default
 * tenant.
 */
import { z } from 'zod';
import { note } from '../../../protocol/note.ts';

const whole = (min: number, max: number) => {
  const message = `must be a whole number from ${min} to ${max}, or null`;
  return z.int(message).min(min, message).max(max, message).nullable();
};
const cpusMessage = 'must be a number from 0.1 to 1024, or null';

/** One limit each; `null` without a limit. */
const limits = {
  containerMemoryMb: whole(16, 1_000_000_000).meta(
    note(
      'Upper limit for one container in units of 2^20 bytes, and the limit of a service without `memoryLimitMb`.',
      2048,
    ),
  ),
  containerCpus: z
    .number(cpusMessage)
    .min(0.1, cpusMessage)
    .max(1024, cpusMessage)
    .nullable()
    .meta(
      note('Upper limit for one container in processors, and the limit of a service without `cpuLimit`.', 2),
    ),
  containerPids: whole(16, 4_194_304).meta(note('Processes and threads of one container.', 4096)),
  containerOpenFiles: whole(64, 1_048_576).meta(note('Open files of each process in a container.', 65_536)),
  containerDiskMb: whole(64, 1_000_000_000).meta(
    note(
      'What one container may write outside its data volume, in units of 2^20 bytes. A container above it is stopped.',
      10_240,
    ),
  ),
  buildMinutesPerDay: whole(0, 1_000_000).meta(
    note('Minutes that builds may take per day (UTC), from their start to their end.', 600),
  ),
  buildLogBytesPerDay: whole(0, Number.MAX_SAFE_INTEGER).meta(
    note('Output of builds that is kept per day (UTC), in bytes.', 104_857_600),
  ),
  logReadersPerKey: whole(1, 200).meta(note('Open streams of one log per key.', 20)),
};

/** The stored form. A limit that is absent there has its default. */
export const tenantLimitsSchema = z.strictObject({
  containerMemoryMb: limits.containerMemoryMb.default(2048),
  containerCpus: limits.containerCpus.default(2),
  containerPids: limits.containerPids.default(4096),
  containerOpenFiles: limits.containerOpenFiles.default(65_536),
  containerDiskMb: limits.containerDiskMb.default(10_240),
  buildMinutesPerDay: limits.buildMinutesPerDay.default(null),
  buildLogBytesPerDay: limits.buildLogBytesPerDay.default(500_000_000),
  logReadersPerKey: limits.logReadersPerKey.default(50),
});

/** The form of a request. Absent limits do not change. */
export const tenantLimitChangesSchema = z.strictObject(limits).partial();

export type TenantLimits = z.infer<typeof tenantLimitsSchema>;
export type TenantLimitName = keyof TenantLimits;
export const defaultTenantLimits: TenantLimits = tenantLimitsSchema.parse({});
export const tenantLimitNames = tenantLimitsSchema.keyof().options;

/** The limits of one tenant: its own quotas, then those of the instance. `null` means no limit. */
export function limitsOfTenant(
  tenant: { id: string; quotas: { readonly [Name in TenantLimitName]?: number } },
  { tenantLimits }: { tenantLimits: TenantLimits },
): TenantLimits {
  const ofInstance = (name: TenantLimitName) => (tenant.id === defaultTenantId ? null : tenantLimits[name]);
  return Object.fromEntries(
    tenantLimitNames.map((name) => [name, tenant.quotas[name] ?? ofInstance(name)]),
  ) as TenantLimits;
}

/** The tenant of everything that belongs to no other tenant. It exists since the first migration and can't be deleted. */
export const defaultTenantId = 'default';
