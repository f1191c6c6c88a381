/** Names that got no certificate and when they are asked for again, on disk: a restarted runner does not bother the CA anew. */
import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { replaceFile } from '../../base/replace-file.ts';
import { failureKinds } from './issuer-failure.ts';

const schema = z.record(
  z.string(),
  z.object({
    kind: z.enum(failureKinds),
    sentence: z.string(),
    /** In a row. */
    count: z.number().int().min(1),
    /** Epoch milliseconds. */
    nextAt: z.number(),
  }),
);

export type Failures = z.infer<typeof schema>;
export type Failure = Failures[string];

export interface FailureFile {
  read(): Failures;
  write(failures: Failures): void;
}

export function failureFile(path: string): FailureFile {
  return {
    read() {
      try {
        return schema.parse(JSON.parse(readFileSync(path, 'utf8')));
      } catch {
        // Absent or damaged: everything is asked for once more.
        return {};
      }
    },
    write(failures) {
      try {
        replaceFile(path, `${JSON.stringify(failures)}\n`);
      } catch {
        // A full disk: the runner has them in memory, and a restart would only ask once more.
      }
    },
  };
}
