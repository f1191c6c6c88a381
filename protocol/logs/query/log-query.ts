/**
 * The language of log searches, as a host gets it: alternatives (`OR`), each with terms that a line must all match. `parse-log-query` reads it from
 * text, and `query-matcher` applies it.
 */
import { z } from 'zod';
import { logLevels } from '../log-levels.ts';
import { fieldTests, queryCharsMax, queryStreams, queryTermsMax } from './query-parts.ts';

const textMax = z.string().min(1).max(queryCharsMax);
const not = z.boolean();

const logTermSchema = z.discriminatedUnion('kind', [
  /** The line contains the text, ignoring case. */
  z.object({ kind: z.literal('text'), not, text: textMax }),
  z.object({ kind: z.literal('level'), not, levels: z.array(z.enum([...logLevels, 'none'])).min(1) }),
  z.object({ kind: z.literal('stream'), not, streams: z.array(z.enum(queryStreams)).min(1) }),
  z.object({ kind: z.literal('service'), not, services: z.array(textMax).min(1) }),
  z.object({ kind: z.literal('deployment'), not, deployments: z.array(textMax).min(1) }),
  z.object({ kind: z.literal('replica'), not, replicas: z.array(z.int()).min(1) }),
  /** A field of JSON or logfmt. */
  z.object({
    kind: z.literal('field'),
    not,
    path: textMax,
    test: z.enum(fieldTests),
    value: z.string().max(queryCharsMax),
    /** What was typed: a line that contains exactly this matches too, such as an address with its port. Absent: it was quoted or compared. */
    typed: textMax.optional(),
  }),
]);
export type LogTerm = z.infer<typeof logTermSchema>;

export const logQuerySchema = z
  .array(z.array(logTermSchema).min(1).max(queryTermsMax))
  .min(1)
  .max(queryTermsMax);
export type LogQuery = z.infer<typeof logQuerySchema>;
