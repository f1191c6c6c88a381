/**
 * The last resort: explains a failure by the exit code of a program. 126 and 127 come from the shell (POSIX.1-2017, Shell Command
 * Language, 2.8.2); above 128 it is 128 plus the number of the signal (signal(7)).
 */

import { deployAgain, readLog, showService } from './commands.ts';
import { errorLine, lastErrorIn, saidBy } from './error-lines.ts';
import type { Failure, FailureRule, Found } from './failure.ts';

const codes = ['build_failed', 'health_failed'] as const;
const staysAsWritten = / stays as written, /;
const hasExitCode = / with exit code \d/;

export const exitCodeRules: readonly FailureRule[] = [
  {
    id: 'unresolved-reference',
    codes: ['build_failed', 'health_failed', 'start_failed'],
    says: staysAsWritten,
    // The app's own error message is more specific, unless it is about this variable. The exit code's rule then reports both.
    fits: ({ line }, failure) => !hasExitCode.test(failure.message) || !reportsAnotherError(line, failure),
    explain: ({ line }, failure) => ({
      summary: 'A variable refers to something that does not exist.',
      likelyCause: `${line} The app received the text of the reference instead of a value.${lastError(failure)}`,
      suggestedFix:
        'Correct the name of the service or variable in the reference; the overview lists unresolved references.',
      steps: [showService, deployAgain],
    }),
  },
  exitRule(
    'exit-0',
    '0',
    'exited without an error',
    'A service must keep running. This one finished its work and exited, or moved to the background (daemon mode).',
    'Start the server in the foreground (nginx -g "daemon off;"), and check that the start command is not only a setup script.',
  ),
  exitRule(
    'exit-1',
    '1',
    'reported an error',
    'Exit code 1 is a general error: the lines before it say what went wrong.',
    'Fix the error in the last lines of the log.',
  ),
  exitRule(
    'exit-126',
    '126',
    'could not be executed',
    'Exit code 126 means that the file exists but is not executable, or is a directory.',
    'Set the executable bit (chmod +x), or call the script through its interpreter.',
  ),
  exitRule(
    'exit-127',
    '127',
    'was not found',
    'Exit code 127 means that the shell found no program with this name.',
    'Install it in the image, or correct the command.',
  ),
  exitRule(
    'exit-134',
    '134',
    'aborted itself',
    'Exit code 134 is signal 6 (SIGABRT): the runtime aborted, often because memory ran out.',
    'Read the lines before it. Raise the memory limit if they mention memory allocation.',
  ),
  exitRule(
    'exit-137',
    '137',
    'was killed',
    'Exit code 137 is signal 9 (SIGKILL): almost always sent by the kernel because memory ran out.',
    'Raise memoryLimitMb, or let the app use less memory.',
  ),
  exitRule(
    'exit-139',
    '139',
    'crashed',
    'Exit code 139 is signal 11 (SIGSEGV): a bug in native code, or a binary that does not match the base image (glibc or musl).',
    'Rebuild native modules in the image (do not copy node_modules into it), or change the base image.',
  ),
  exitRule(
    'exit-143',
    '143',
    'was asked to stop',
    'Exit code 143 is signal 15 (SIGTERM): something stopped it, often a process manager or a timeout in the start script.',
    'Read the lines before it to find out what stopped the program.',
  ),
  exitRule(
    'exit-other',
    '\\d+',
    'reported an error',
    'This exit code is specific to the program: see its documentation and the lines before it.',
    'Fix the error in the last lines of the log.',
  ),
];

const subjectOf = ({ groups }: Found) =>
  groups.step ? `The build step "${groups.step}"` : `The ${groups.who === 'command' ? 'command' : 'app'}`;

function exitRule(
  id: string,
  code: string,
  what: string,
  likelyCause: string,
  suggestedFix: string,
): FailureRule {
  return {
    id,
    codes,
    says: new RegExp(
      `^The (?:build step "(?<step>.*)" failed|(?<who>container|command) ended) with exit code (?<code>${code})\\b`,
      's',
    ),
    explain: (found, failure) => ({
      summary: `${subjectOf(found)} ${what} (exit code ${found.groups.code}).`,
      likelyCause: `${likelyCause}${lastWords(failure)}${alsoUnresolved(failure)}`,
      suggestedFix,
      steps: [readLog(failure), deployAgain],
    }),
  };
}

/** The last line that looks like an error, or else the last line that is not a trailer. */
function lastWords(failure: Failure): string {
  const said = saidBy(failure);
  return quoted(lastErrorIn(said) ?? said.at(-1));
}

const lastError = (failure: Failure) => quoted(lastErrorIn(saidBy(failure)));

const quoted = (line: string | undefined): string =>
  line === undefined ? '' : ` Its last error line: "${line.trim().slice(0, 300)}".`;

/**
 * Whether the app printed an error that mentions neither the variable nor the text that it got instead of a value. @param warning `KEY: ${reference}
 * stays as written, ...`
 */
function reportsAnotherError(warning: string, failure: Failure): boolean {
  if (lastErrorIn(saidBy(failure)) === undefined) return false;
  const [key = ''] = /^\w+/.exec(warning) ?? [];
  const [reference = key] = /\$\{[^}]*\}/.exec(warning) ?? [];
  const names = new RegExp(`(?<![A-Z0-9_])${key}(?![A-Z0-9_])`);
  return !failure.lines.some(
    (line) => line.includes(reference) || (errorLine.test(line) && names.test(line)),
  );
}

function alsoUnresolved({ warnings }: Failure): string {
  const warning = warnings.find((one) => staysAsWritten.test(one));
  return warning === undefined ? '' : ` It may also matter that a variable is unresolved: ${warning}`;
}
