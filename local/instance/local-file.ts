/** `<data>/local.json`: how to reach this instance. The start writes it when everything is ready; scripts and tests read it. */
import { z } from 'zod';

export const localFileSchema = z.object({
  url: z.url(),
  operatorToken: z.string(),
  /** A write key for all projects. */
  apiKey: z.string(),
  runnerId: z.string(),
  httpPort: z.number().int(),
  httpsPort: z.number().int(),
});

export type LocalFile = z.infer<typeof localFileSchema>;
