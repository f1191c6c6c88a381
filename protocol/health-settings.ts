/** How the first answer of a new version is awaited, in place of the runner's own times. */
import { z } from 'zod';

export const healthSettingsSchema = z.object({
  /** Between two tries. Absent: 20 ms at first, growing to 0.2 s. */
  healthCheckIntervalSeconds: z.number().optional(),
  /** Of one try. Absent: 5. */
  healthCheckTimeoutSeconds: z.number().optional(),
  /** From the start of the new version to its first good answer. Absent: 60. */
  healthCheckStartPeriodSeconds: z.number().optional(),
});

export type HealthSettings = z.infer<typeof healthSettingsSchema>;
export const healthSettingNames = [
  'healthCheckIntervalSeconds',
  'healthCheckTimeoutSeconds',
  'healthCheckStartPeriodSeconds',
] as const satisfies readonly (keyof HealthSettings)[];
