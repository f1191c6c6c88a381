/**
 * A reporter for vitest: writes what its JSON report leaves out, the errors outside of tests (an unhandled rejection, a worker that died),
 * to the file that `outsideErrorsFile` names in the environment. vitest loads it by its path.
 */
import { writeFileSync } from 'node:fs';

/** The environment variable with the path of that file. */
export const outsideErrorsFile = 'LONGSHORE_OUTSIDE_ERRORS';

export default class OutsideErrors {
  /** Called by vitest. */
  onTestRunEnd(_modules: unknown, errors: readonly { name: string; message: string }[]): void {
    const path = process.env[outsideErrorsFile];
    if (path) writeFileSync(path, JSON.stringify(errors.map(({ name, message }) => `${name}: ${message}`)));
  }
}
