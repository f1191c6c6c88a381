import { z } from 'zod';

/** ISO 8601 in UTC, with milliseconds. */
export const timestampSchema = z.iso.datetime({ precision: 3 });

export const timestamp = (moment: number): string => new Date(moment).toISOString();
export const timestampOrNull = (moment: number | null): string | null =>
  moment === null ? null : timestamp(moment);
