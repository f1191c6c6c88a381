/** Settings of the health check that a new version must pass: fields of a service, kept together. */
import { z } from 'zod';
import { type HealthSettings, healthSettingNames } from '../../../protocol/health-settings.ts';
import { ApiError } from '../errors.ts';
import { namesSet } from './grouped-settings.ts';
import type { ServiceKind } from './service-kind.ts';

const secondsMax = 60;
const startPeriodMin = 5;
/** Half of the time that a whole deployment may take. */
const startPeriodMax = 900;

const seconds = (from: number, to: number) =>
  z
    .number()
    .min(from, `must be at least ${from} seconds`)
    .max(to, `must be at most ${to} seconds`)
    .nullable();

export const healthFields = {
  healthCheckIntervalSeconds: seconds(0.1, secondsMax),
  healthCheckTimeoutSeconds: seconds(1, secondsMax),
  healthCheckStartPeriodSeconds: seconds(startPeriodMin, startPeriodMax),
} as const;

type Fields = { [Name in keyof HealthSettings]?: HealthSettings[Name] | null | undefined };

/** @throws ApiError `unsupported` for a database, with the way out */
export function assertHealthSettings(kind: ServiceKind, body: Fields): void {
  const [field] = namesSet(healthSettingNames, body);
  if (kind !== 'database' || field === undefined) return;
  throw new ApiError(
    'unsupported',
    `The field "${field}" is not for databases: leave it out, because a database goes live with its first answer to a query.`,
  );
}
