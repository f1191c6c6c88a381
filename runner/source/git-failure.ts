/** Converts git's error output to a sentence with a solution. */
import { JobFailure } from '../base/job-failure.ts';
import { type GitLogin, whyNoLogin } from './git-login.ts';
import type { RepositoryUrl } from './repository-url.ts';
import type { Outcome } from './run-program.ts';
import { hostKeyName } from './ssh-access.ts';

export interface GitAttempt {
  repository: RepositoryUrl;
  /** The fetched ref or commit, as the start of a sentence: `The branch "main"`. */
  wanted: string;
  /** The service's own repository. */
  main: RepositoryUrl;
  /** True if a key was used for ssh. */
  hasKey: boolean;
  /** The login given to git for a server that asks for it (https). */
  login: GitLogin | null;
}

const missingRef = /couldn't find remote ref|Remote branch .* not found|not our ref/i;

/** True for the failure of a fetch whose ref does not exist. */
export const isMissingRef = ({ cause }: JobFailure) => missingRef.test(String(cause ?? ''));

/** True for a failure that a login, or another one, may end: the repository is private, or does not exist. */
export const wantsLogin = ({ cause }: JobFailure) =>
  /Authentication failed|could not read (?:Username|Password)|returned error: 40[134]|Permission denied|[Rr]epository .* not found|Repository not found|does not appear to be a git repository/i.test(
    String(cause ?? ''),
  );

/** The first match is used, so more specific patterns are first. */
const sentences: readonly { words: RegExp; say: (attempt: GitAttempt) => string }[] = [
  {
    words: missingRef,
    say: ({ wanted, repository }) => `${wanted} does not exist in ${repository.url}.`,
  },
  {
    words: /does not allow request for unadvertised object/i,
    say: ({ wanted, repository }) =>
      `${wanted} can't be fetched from ${repository.host}, which gives only the newest commits of branches and tags: deploy a tag or a branch.`,
  },
  {
    words: /ssh: (command )?not found|cannot run ssh|ssh: No such file/i,
    say: ({ repository }) =>
      `This host has no ssh client, which ${repository.url} needs: install openssh-client on it, or use the repository's https URL.`,
  },
  {
    words: /Host key verification failed|REMOTE HOST IDENTIFICATION HAS CHANGED/,
    say: ({ repository }) =>
      `The git host ${repository.host} showed another SSH host key than the one pinned on this host, so nothing was sent to it. ` +
      `If the git host confirms that its key has changed, the operator can remove the old one: ssh-keygen -R '${hostKeyName(repository)}' -f <data directory>/known_hosts.`,
  },
  {
    words: /error in libcrypto|invalid format|Load key .*: /,
    say: () =>
      'ssh can\'t read the service\'s deploy key: make a new one, or store another key as "gitToken".',
  },
  {
    words: /Permission denied \((publickey|.*publickey)/,
    say: ({ repository, hasKey }) =>
      hasKey
        ? `${repository.host} refused the service's deploy key: add its public part to the repository ${repository.url} at the git host, with read access.`
        : `${repository.url} is private or does not exist, and the service has no deploy key: make one (POST /api/services/:serviceId/deploy-key) and add it to the repository at the git host.`,
  },
  {
    words: /Authentication failed|could not read (Username|Password)|returned error: 401|Permission denied/i,
    say: ({ repository, main, login }) =>
      login
        ? `${repository.url} refused ${login.name}: it is wrong, has expired or was revoked. ${login.replacing}`
        : `${repository.url} is private or does not exist; ${whyNoLogin(main, repository)}`,
  },
  {
    words: /returned error: 403/i,
    say: ({ repository, main, login }) =>
      login
        ? `${repository.url} may not be read with ${login.name}: the git host knows it, and answers 403. Give it read access to this repository at the git host. ${login.replacing}`
        : `${repository.url} may not be read without a login: the git host answers 403; ${whyNoLogin(main, repository)}`,
  },
  {
    words:
      /repository .* not found|Repository not found|returned error: 404|does not appear to be a git repository/i,
    say: ({ repository, main, login }) => {
      const missing = `The repository ${repository.url} was not found`;
      if (repository.protocol === 'ssh') return `${missing}, or it is private.`;
      return login
        ? `${missing} with ${login.name}: the URL is wrong, or the repository is private and this login may not read it.`
        : `${missing}, or it is private; if it is private, ${whyNoLogin(main, repository)}`;
    },
  },
  {
    words: /returned error: 30\d|redirect/i,
    say: ({ repository: { url } }) => `${url} has moved; give the service the repository's new URL.`,
  },
  {
    words: /Could not resolve host|Name or service not known/i,
    say: ({ repository: { host } }) => `The host ${host} was not found.`,
  },
  {
    words:
      /Failed to connect|Connection refused|Couldn't connect|timed out|No route to host|Network is unreachable|Operation too slow/i,
    say: ({ repository: { host } }) => `The git host ${host} cannot be reached.`,
  },
  {
    words: /SSL|certificate/i,
    say: ({ repository: { host } }) => `The certificate of the git host ${host} is not trusted.`,
  },
  {
    words: /attempting to allocate \d+ over limit|out of memory, (malloc|realloc|calloc) failed/i,
    say: ({ repository: { url } }) =>
      `${url} has a file that git can only unpack in memory, and that is too large for it: above 256 MB as a difference to another version, or above 64 MB with the attribute working-tree-encoding. Keep large files in an object store or a volume.`,
  },
  { words: /No space left on device/i, say: () => 'The host has no disk space left.' },
];

export function gitFailure(outcome: Outcome, attempt: GitAttempt): JobFailure {
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
  return new JobFailure('source_failed', `git could not fetch ${attempt.repository.url}: ${lastWords}`, {
    cause,
  });
}
