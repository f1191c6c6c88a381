/** Warnings beside an answer: the request was done, and something about it probably does not work as meant. */
import { z } from 'zod';

/** A part of a reply's schema. Absent: there are none. */
export const warningsPart = {
  /** Sentences about references that lead nowhere, or to a database on another host. */
  warnings: z.array(z.string()).optional(),
};

export const warningsOf = (warnings: string[]) => (warnings.length === 0 ? {} : { warnings });
