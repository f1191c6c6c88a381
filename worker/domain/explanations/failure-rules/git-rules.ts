/** Failures of fetching the source with git. Deploy keys, submodules and large files are in source-rules. */
import {
  changeSetting,
  deployAgain,
  patchGitCredential,
  runnerCommands,
  shellWord,
  storeGitCredential,
} from './commands.ts';
import type { Diagnosis, Failure, FailureRule } from './failure.ts';
import { isUpload, sourceName } from './source-words.ts';

const codes = ['source_failed'] as const;

const listBranches = ({ service }: Failure) => `git ls-remote --heads ${shellWord(service.repoUrl)}`;
const storeToken = changeSetting('gitToken', '<token>');
const tokenRights =
  'At GitHub: a fine-grained token with "Contents: read" for this repository; at GitLab: a project token with "read_repository".';

export const gitRules: readonly FailureRule[] = [
  {
    id: 'branch-not-found',
    codes,
    says: /The branch "(?<branch>[^"]*)" does not exist(?:.*(?:default branch is|branches are) "(?<other>[^"]*)")?/,
    explain: ({ groups }, failure) => ({
      summary: `The repository has no branch "${groups.branch}".`,
      likelyCause: `The service deploys "${failure.service.branch}". The branch was renamed, deleted or never pushed${groups.other ? `; the repository has "${groups.other}"` : ' (many repositories use "master" or "main")'}.`,
      suggestedFix: 'List the branches, and set the service to one that exists.',
      steps: [listBranches(failure), changeSetting('branch', groups.other ?? '<branch>'), deployAgain],
    }),
  },
  {
    id: 'ref-not-found',
    codes,
    says: /(?<!fetched: )The (?:commit (?<commit>[0-9a-f]+)|tag or branch "(?<ref>[^"]*)") (?:does not exist|can't be fetched)/,
    explain: ({ groups, line }, failure) => ({
      summary: `The repository has no ${groups.commit ? `commit ${groups.commit}` : `tag or branch "${groups.ref}"`} that can be fetched.`,
      likelyCause: line,
      suggestedFix:
        'Name a tag or a branch that exists, or a commit by its full id, after you have pushed it. Without a name, the branch of the service is deployed.',
      steps: [`git ls-remote ${shellWord(failure.service.repoUrl)}`, deployAgain],
    }),
  },
  {
    id: 'git-token-refused',
    codes,
    says: /refused the stored git token/,
    explain: () => ({
      summary: 'The git host refused the stored git token.',
      likelyCause: 'The token has expired, was revoked, or is not one of this git host.',
      suggestedFix: `Create a new token and store it in the service. ${tokenRights}`,
      steps: [storeToken, deployAgain],
    }),
  },
  {
    id: 'git-credential-refused',
    codes,
    says: /refused the git credential (?<id>gcr_\w+), which is stored for (?<host>\S+)/,
    explain: ({ groups }) => ({
      summary: `The git host ${groups.host} refused the credential that is stored for it.`,
      likelyCause: 'Its token has expired or was revoked, or the username beside it is wrong.',
      suggestedFix: `Create a new token and store it in the credential. ${tokenRights}`,
      steps: [patchGitCredential(groups.id ?? ''), deployAgain],
    }),
  },
  {
    id: 'git-read-denied',
    codes,
    says: /may not be read (with|without) /,
    explain: ({ line }, failure) => ({
      summary: 'The git host does not let this login read the repository (403).',
      likelyCause: line,
      suggestedFix: `Give the token read access to this repository, and at GitHub authorize it for the organization's single sign-on. ${tokenRights}`,
      steps: [storeGitCredential(failure), storeToken, deployAgain],
    }),
  },
  {
    id: 'git-token-missing',
    codes,
    says: /is private or does not exist; (store a git token|tokens and credentials)/,
    explain: (_, failure) => ({
      summary: 'The repository is private or does not exist.',
      likelyCause: `${failure.service.repoUrl} can't be read without signing in, and neither its service nor its git host has a token stored.`,
      suggestedFix: `Check the URL. If the repository is private, store a token once for its git host, or for this service only. ${tokenRights}`,
      steps: [storeGitCredential(failure), storeToken, deployAgain],
    }),
  },
  {
    id: 'repository-not-found',
    codes,
    says: /The repository (?<url>\S+) was not found/,
    explain: ({ groups }, failure) => ({
      summary: `The repository ${groups.url} was not found.`,
      likelyCause:
        'The URL is mistyped, the repository was renamed or deleted, or the stored token has no access to it (git hosts then answer "not found").',
      suggestedFix: `Open the URL in a browser without signing in. If that fails too, correct the URL or store a token. ${tokenRights}`,
      steps: [listBranches(failure), storeGitCredential(failure), storeToken, deployAgain],
    }),
  },
  {
    id: 'repository-moved',
    codes,
    says: /has moved; give the service/,
    explain: (_, failure) => ({
      summary: 'The repository has moved to another URL.',
      likelyCause: `${failure.service.repoUrl} answers with a redirect, and redirects are not followed.`,
      suggestedFix: 'Set repoUrl to the new URL of the repository.',
      steps: [
        `curl -sI ${shellWord(`${failure.service.repoUrl}/info/refs?service=git-upload-pack`)}`,
        changeSetting('repoUrl', '<new url>'),
        deployAgain,
      ],
    }),
  },
  unreachable(
    'git-host-unknown',
    /The host (?<host>\S+) was not found/,
    'has no address in DNS: the name is mistyped, or DNS does not work on the host',
  ),
  unreachable(
    'git-name-unanswered',
    /name servers of this host gave no answer for (?<host>\S+)/,
    'may have an address, but no name server said so in time: those of the host, or of the name, are slow or down',
  ),
  unreachable(
    'git-host-unreachable',
    /The git host (?<host>\S+) cannot be reached|Fetching \S+ took too long/,
    'did not answer: it is down, or a firewall blocks the connection',
  ),
  unreachable(
    'git-certificate',
    /certificate of the git host (?<host>\S+) is not trusted/,
    'presented a certificate that the host does not trust: it has expired, or a private CA signed it',
  ),
  {
    id: 'root-dir-missing',
    codes,
    says: /has no directory "(?<dir>[^"]*)" \(rootDir\)/,
    explain: ({ groups }, failure) => ({
      summary: `The ${sourceName(failure)} has no directory "${groups.dir}".`,
      likelyCause: `The service's rootDir names a directory that does not exist ${isUpload(failure) ? 'in the folder that was sent' : `on branch "${failure.service.branch}"`} (names are case-sensitive).`,
      suggestedFix: `Correct rootDir, or clear it to build from the root of the ${sourceName(failure)}.`,
      steps: [
        isUpload(failure) ? 'find . -type d' : 'git ls-tree -d -r --name-only HEAD',
        changeSetting('rootDir', null),
        deployAgain,
      ],
    }),
  },
  {
    id: 'private-address',
    codes: ['source_refused'],
    says: /(?<host>\S+) leads to a private address/,
    explain: ({ groups }, failure) => ({
      summary: `${groups.host} has a private address, and this host does not fetch from private addresses.`,
      likelyCause: 'Private addresses are refused to keep services out of the network of their host.',
      suggestedFix:
        'Use a public URL. Or ask the operator of the host to set LONGSHORE_ALLOW_PRIVATE=git in the environment of the runner and restart it.',
      steps: [
        ...runnerCommands(failure, ['systemctl edit longshore-runner', 'systemctl restart longshore-runner']),
        deployAgain,
      ],
    }),
  },
  {
    id: 'plain-http',
    codes: ['source_refused'],
    says: /Plain http repositories are not allowed/,
    explain: (_, failure) => ({
      summary: 'The URL of the repository begins with http://, and this host fetches by https and ssh only.',
      likelyCause: 'Over plain http anyone on the way can read the token and change the code.',
      suggestedFix:
        'Use the https URL. For a git server in your own network, ask the operator of the host to set LONGSHORE_ALLOW_PRIVATE=git in the environment of the runner and restart it.',
      steps: [
        changeSetting('repoUrl', failure.service.repoUrl.replace(/^http:/, 'https:')),
        ...runnerCommands(failure, ['systemctl edit longshore-runner', 'systemctl restart longshore-runner']),
        deployAgain,
      ],
    }),
  },
  {
    id: 'source-refused',
    codes: ['source_refused'],
    explain: ({ line }, failure) => ({
      summary: 'The URL or a path of the source is not accepted.',
      likelyCause: line,
      suggestedFix: 'Correct this field, then deploy again.',
      steps: [
        changeSetting('branch', failure.service.branch),
        changeSetting('rootDir', failure.service.rootDir),
        deployAgain,
      ],
    }),
  },
];

function unreachable(id: string, says: RegExp, why: string): FailureRule {
  return {
    id,
    codes,
    says,
    explain: ({ groups }, failure) => explainUnreachable(groups.host || 'The git host', why, failure),
  };
}

function explainUnreachable(host: string, why: string, failure: Failure): Diagnosis {
  return {
    summary: `${host} could not be reached from the host.`,
    likelyCause: `${host} ${why}.`,
    suggestedFix: 'Check the URL of the repository, test it from the host, then deploy again.',
    steps: [listBranches(failure), deployAgain],
  };
}
