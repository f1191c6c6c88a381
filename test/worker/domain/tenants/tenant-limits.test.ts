import { expect, test } from 'vitest';
import { defaultSettings, settingsOf } from '../../../../worker/domain/instance/settings.ts';
import { containerLimitsOf } from '../../../../worker/domain/tenants/quotas.ts';
import {
  defaultTenantLimits,
  limitsOfTenant,
  tenantLimitNames,
} from '../../../../worker/domain/tenants/tenant-limits.ts';

test('the default tenant has no limit without a quota; every other tenant has those of the instance', () => {
  const none = Object.fromEntries(tenantLimitNames.map((name) => [name, null]));
  expect(limitsOfTenant({ id: 'default', quotas: {} }, defaultSettings)).toEqual(none);
  const quotas = { containerPids: 100 };
  expect(limitsOfTenant({ id: 'default', quotas }, defaultSettings)).toEqual({ ...none, containerPids: 100 });
  expect(limitsOfTenant({ id: 'ten_a', quotas: {} }, defaultSettings)).toEqual(defaultTenantLimits);
});

test('a quota of a tenant replaces the limit of the instance, whether it is lower or higher', () => {
  const tenantLimits = { ...defaultTenantLimits, containerMemoryMb: 1024, containerDiskMb: null };
  const limits = limitsOfTenant({ id: 'ten_a', quotas: { containerMemoryMb: 4096 } }, { tenantLimits });
  expect(limits).toEqual({ ...tenantLimits, containerMemoryMb: 4096 });
});

test('a stored setting that lacks a limit has the default of that limit', () => {
  const { tenantLimits } = settingsOf([{ name: 'tenantLimits', value: { containerPids: null } }]);
  expect(tenantLimits).toEqual({ ...defaultTenantLimits, containerPids: null });
});

test.each([
  ['nothing limits it', [null, null], [null, null, null], [null, null, 0]],
  ['the service asks for nothing and gets the most', [null, null], [null, 2048, 2], [2048, 2, 0]],
  ['the service asks for less', [256, 0.5], [null, 2048, 2], [256, 0.5, 0]],
  ['the service asks for more, and the log says so', [4096, 8], [null, 2048, 2], [2048, 2, 2]],
  ['a memory quota gives 512 MB where the service asks for nothing', [null, 1], [9999, 2048, 2], [512, 1, 0]],
  ['the limit is below what the memory quota gives', [null, 1], [9999, 128, 2], [128, 1, 0]],
] as const)('memory and processors of a container: %s', (_, [memory, cpu], [quota, most, cpus], expected) => {
  const quotas = quota === null ? {} : { memoryMb: quota };
  const limits = { containerMemoryMb: most, containerCpus: cpus };
  const given = containerLimitsOf({ memoryLimitMb: memory, cpuLimit: cpu }, quotas, limits);
  expect([given.memoryLimitMb, given.cpuLimit, given.warnings.length]).toEqual(expected);
});
