/** The TXT records of a name, as a resolver returned them. */
import { z } from 'zod';

export const txtAnswerSchema = z.discriminatedUnion('found', [
  /** A definite answer; empty: no such name, or no TXT record with exactly this name. */
  z.object({ found: z.literal('records'), values: z.array(z.string()) }),
  /** No definite answer. */
  z.object({ found: z.literal('failure'), reason: z.string() }),
]);

export type TxtAnswer = z.infer<typeof txtAnswerSchema>;
