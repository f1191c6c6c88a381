/** Settings of how a version of a service ends: fields of a service, kept together. */
import { z } from 'zod';
import {
  type StopSettings,
  stopSettingNames,
  stopSignals,
} from '../../../protocol/settings/stop-settings.ts';
import { ApiError } from '../errors.ts';
import { namesSet } from './grouped-settings.ts';
import type { ServiceKind } from './service-kind.ts';

const drainSecondsMax = 3_600;
const stopGraceSecondsMax = 600;

const seconds = (to: number) =>
  z.int().min(0, 'must be at least 0 seconds').max(to, `must be at most ${to} seconds`);

export const stopFields = {
  drainSeconds: seconds(drainSecondsMax),
  stopGraceSeconds: seconds(stopGraceSecondsMax),
  stopSignal: z.enum(stopSignals).nullable(),
} as const;

type Fields = { [Name in keyof StopSettings]?: StopSettings[Name] | null | undefined };

/** @throws ApiError `unsupported` for a database, with the way out */
export function assertStopSettings(kind: ServiceKind, body: Fields): void {
  const [field] = namesSet(stopSettingNames, body);
  if (kind !== 'database' || field === undefined) return;
  throw new ApiError(
    'unsupported',
    `The field "${field}" is not for databases: leave it out, because the engine decides how it stops.`,
  );
}
