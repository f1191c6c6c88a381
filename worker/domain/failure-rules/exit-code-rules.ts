/**
 * Nothing better was found than how a program ended. Codes: 126 and 127 are the shell's (POSIX.1-2017, Shell Command Language, 2.8.2),
 * above 128 it is 128 and the number of the signal (signal(7)).
 */
import { deployAgain, readLog, showService } from './commands.ts';
import type { Failure, FailureRule } from './failure.ts';

const codes = ['build_failed', 'health_failed'] as const;

export const exitCodeRules: readonly FailureRule[] = [
  {
    id: 'unresolved-reference',
    codes: ['build_failed', 'health_failed', 'start_failed'],
    says: / stays as written, /,
    explain: ({ line }, failure) => ({
      summary: 'A variable refers to something that does not exist.',
      likelyCause: `${line} The app got the text of the reference instead of a value.`,
      suggestedFix:
        'Correct the name of the service or variable in the reference; the overview lists what can not be resolved.',
      commands: [showService(failure), deployAgain(failure)],
    }),
  },
  exitRule(
    'exit-0',
    '0',
    'ended without an error',
    'A service must go on running: this one did its work and ended, or went to the background (daemon mode).',
    'Start the server in the foreground (nginx -g "daemon off;"), and check that the start command is not a script that only prepares something.',
  ),
  exitRule(
    'exit-1',
    '1',
    'reported an error',
    'Exit code 1 is the general one: the lines before it say what went wrong.',
    'Correct what the last lines name.',
  ),
  exitRule(
    'exit-126',
    '126',
    'could not be executed',
    'Exit code 126: the file was found, but is not executable, or is a directory.',
    'Set the executable bit (git update-index --chmod=+x <file>), or call the script through its interpreter.',
  ),
  exitRule(
    'exit-127',
    '127',
    'was not found',
    'Exit code 127: the shell found no program of this name.',
    'Install it in the image, or correct the command.',
  ),
  exitRule(
    'exit-134',
    '134',
    'aborted itself',
    'Exit code 134 is signal 6 (SIGABRT): the runtime gave up, often for lack of memory.',
    'See the lines before it; raise the memory limit if they speak of allocation.',
  ),
  exitRule(
    'exit-137',
    '137',
    'was killed',
    'Exit code 137 is signal 9 (SIGKILL): nearly always the kernel, because memory ran out.',
    'Raise memoryLimitMb, or let the app use less memory.',
  ),
  exitRule(
    'exit-139',
    '139',
    'crashed',
    'Exit code 139 is signal 11 (SIGSEGV): a fault in native code, or a binary that does not fit the base image (glibc and musl).',
    'Rebuild native modules in the image (no node_modules from elsewhere), or change the base image.',
  ),
  exitRule(
    'exit-143',
    '143',
    'was asked to end',
    'Exit code 143 is signal 15 (SIGTERM): something ended it, often a process manager or a timeout in the start script.',
    'See the lines before it for who ended the program.',
  ),
  exitRule(
    'exit-other',
    '\\d+',
    'reported an error',
    'The meaning of this exit code is the program’s own: its documentation and the lines before it say more.',
    'Correct what the last lines name.',
  ),
];

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
      `^The (?:build step "(?<step>.*)" failed|container ended) with exit code (?<code>${code})\\b`,
      's',
    ),
    explain: ({ groups }, failure) => ({
      summary: `${groups.step ? `The build step "${groups.step}"` : 'The app'} ${what} (exit code ${groups.code}).`,
      likelyCause: `${likelyCause}${lastWords(failure)}`,
      suggestedFix,
      commands: [readLog(failure), deployAgain(failure)],
    }),
  };
}

/** What programs print after their error, or the platform: it explains nothing. */
const trailers =
  /^(Failed \(|\w+: ended after|npm notice|npm error A complete log|Node\.js v\d|\s+at |\s*[{}]\s*$)/;
/** `Error: DATABASE_URL missing`, `java.lang.IllegalStateException: ...`, `panic: ...`. */
const errorLine =
  /^\s*(?:Uncaught |Caused by: )?(?:[\w.$]*(?:Error|Exception)\b[^:]*:|(?:fatal|panic|error)\b)/i;

/** The last line that names an error, else the last one that is no trailer of it. */
function lastWords({ lines }: Failure): string {
  const said = lines.filter((line) => line.trim() !== '' && !trailers.test(line));
  const last = said.findLast((line) => errorLine.test(line)) ?? said.at(-1);
  return last === undefined ? '' : ` It said: "${last.trim().slice(0, 300)}".`;
}
