/** A host's observations of a service that runs on it. */
import { z } from 'zod';
import { serviceTroubleSchema } from '../service-trouble.ts';

/** The latest time that a Date can hold, in epoch milliseconds (ECMA-262, section 21.4.1.1). */
const momentMax = 8.64e15;
const moment = z.number().int().min(0).max(momentMax);

/** The last times at which a service that sleeps while idle fell asleep and woke, since its live version was deployed. */
const sleepHistorySchema = z.object({
  /** Null while the service is awake. */
  asleepSince: moment.nullable(),
  /** When the service received requests again; null: it has never woken. */
  lastWokeAt: moment.nullable(),
  /** Milliseconds from the request that woke the service until it received requests. */
  lastWakeMs: moment.nullable(),
});

export type SleepHistory = z.infer<typeof sleepHistorySchema>;

export const observedServiceSchema = z.object({
  serviceId: z.string(),
  deploymentId: z.string(),
  state: z.enum(['running', 'crashed', 'stopped']),
  reachable: z.boolean(),
  trouble: serviceTroubleSchema.optional(),
  /** Absent: its live version has not slept yet. */
  sleep: sleepHistorySchema.optional(),
  /** Size of the container and its data volume, in units of 2^20 bytes, rounded; absent: not measured. */
  diskMb: z.number().int().nonnegative().optional(),
  /** Size of each of its volumes, in units of 2^20 bytes, rounded up; absent: not measured. */
  volumes: z.array(z.object({ id: z.string(), usedMb: z.number().int().nonnegative() })).optional(),
});
