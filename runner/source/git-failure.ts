/** Git's words, as a sentence that says what to do. */
import { JobFailure } from '../jobs/job.ts';
import type { GitOutcome } from './git-command.ts';

export interface GitAttempt {
  url: string;
  host: string;
  branch: string;
  hasToken: boolean;
}

/** First match wins: the more special words are earlier. */
const sentences: readonly { words: RegExp; say: (attempt: GitAttempt) => string }[] = [
  {
    words: /couldn't find remote ref|Remote branch .* not found/i,
    say: ({ branch, url }) => `The branch "${branch}" does not exist in ${url}.`,
  },
  {
    words:
      /Authentication failed|could not read (Username|Password)|returned error: 40[13]|Permission denied/i,
    say: ({ url, hasToken }) =>
      hasToken
        ? `${url} refused the stored git token: it is wrong, expired, or may not read this repository.`
        : `${url} is private or does not exist; store a git token with the service.`,
  },
  {
    words:
      /repository .* not found|Repository not found|returned error: 404|does not appear to be a git repository/i,
    say: ({ url }) => `The repository ${url} was not found, or it is private.`,
  },
  {
    words: /returned error: 30\d|redirect/i,
    say: ({ url }) => `${url} has moved; give the service the repository's new URL.`,
  },
  {
    words: /Could not resolve host|Name or service not known/i,
    say: ({ host }) => `The host ${host} was not found.`,
  },
  {
    words:
      /Failed to connect|Connection refused|Couldn't connect|timed out|No route to host|Network is unreachable|Operation too slow/i,
    say: ({ host }) => `The git host ${host} cannot be reached.`,
  },
  {
    words: /SSL|certificate/i,
    say: ({ host }) => `The certificate of the git host ${host} is not trusted.`,
  },
  { words: /No space left on device/i, say: () => 'The host has no disk space left.' },
];

export function gitFailure(outcome: GitOutcome, attempt: GitAttempt): JobFailure {
  const known = sentences.find(({ words }) => words.test(outcome.stderr));
  const cause = new Error(outcome.stderr.trim());
  if (known) {
    const code = /No space left/i.test(outcome.stderr) ? 'disk_full' : 'source_failed';
    return new JobFailure(code, known.say(attempt), { cause });
  }
  const lastWords =
    outcome.stderr
      .trim()
      .split(/[\r\n]+/)
      .at(-1) ?? `exit code ${outcome.exitCode}`;
  return new JobFailure('source_failed', `git could not fetch ${attempt.url}: ${lastWords}`, { cause });
}
