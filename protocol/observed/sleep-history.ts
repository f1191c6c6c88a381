/** When a service that sleeps while idle last fell asleep and woke, since its live version was deployed. */
import { z } from 'zod';

/** The last moment that a Date can hold, in epoch milliseconds (ECMA-262, section 21.4.1.1). */
const momentMax = 8.64e15;
const moment = z.number().int().min(0).max(momentMax);

export const sleepHistorySchema = z.object({
  /** Null while it is awake. */
  asleepSince: moment.nullable(),
  /** When requests went to it again; null: it has never woken. */
  lastWokeAt: moment.nullable(),
  /** From the request that woke it until requests went to it, in milliseconds. */
  lastWakeMs: moment.nullable(),
});

export type SleepHistory = z.infer<typeof sleepHistorySchema>;
