/** Names whose certificate order failed, with the time of the next try, on disk: a restarted runner does not retry early. */
import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { replaceFile } from '../../base/replace-file.ts';
import { failureKinds } from './issuer-failure.ts';

const schema = z.record(
  z.string(),
  z.object({
    kind: z.enum(failureKinds),
    sentence: z.string(),
    /** Failures in a row. */
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
        // The file is missing or damaged: every order is tried once more.
        return {};
      }
    },
    write(failures) {
      try {
        replaceFile(path, `${JSON.stringify(failures)}\n`);
      } catch {
        // A full disk: the failures are kept in memory, and a restart would only retry once more.
      }
    },
  };
}
