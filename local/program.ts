/** The differences between a checkout and the package `@longshore/server` (local/package), which has all programs in one directory. */
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { bundled } from '../runner/base/bundled.ts';

const here = dirname(fileURLToPath(import.meta.url));

/** The directory with `migrations/`, `examples/` and the other files that a start needs. */
export const programRoot = bundled ? here : dirname(here);

/** Relative to `programRoot`. */
export const runnerProgram = bundled ? 'runner.mjs' : 'runner/main.ts';

/** The entry of the local commands, beside this module. */
export const localProgram = bundled ? 'server.mjs' : 'main.ts';

/** The program that starts an instance beside the process that stays. */
export const starterProgram = join(here, bundled ? 'starter.mjs' : 'starter.ts');

/** The command line as its user types it: it runs the programs of the package with this variable. */
export const commandLine = process.env.LONGSHORE_COMMAND === 'npx longshore' ? 'npx longshore' : 'longshore';

/** The command for a person to type. @param options such as `--all` */
export const typed = (verb: 'start' | 'stop', ...options: string[]): string =>
  bundled
    ? [commandLine, 'server', verb, ...options].join(' ')
    : [`npm ${verb}`, ...(options.length > 0 ? ['--', ...options] : [])].join(' ');
