/** Failures of fetching the source: deploy keys, submodules, large files, and repositories that are too large. */
import { changeSetting, deployAgain, makeDeployKey, setVariable, showDeployKey } from './commands.ts';
import type { FailureRule } from './failure.ts';

const codes = ['source_failed'] as const;
const useHttps = [changeSetting('repoUrl', '<https url>'), changeSetting('gitToken', '<token>')];
const whereKeysGo =
  'At GitHub: Settings, "Deploy keys" of the repository; at GitLab: Settings, Repository, "Deploy keys"; at Bitbucket: Repository settings, "Access keys". Read access is enough.';

export const sourceRules: readonly FailureRule[] = [
  {
    id: 'submodule-failed',
    codes: ['source_failed', 'source_refused', 'build_failed'],
    says: /(The submodule "[^"]*" could not be fetched: .*|clone of '(?<url>[^']+)' into submodule path|No url found for submodule path|Failed to clone '(?<path>[^']+)'|fatal: .*submodule)/i,
    explain: ({ line, groups }) => ({
      summary: 'A submodule of the repository could not be fetched.',
      likelyCause:
        line.startsWith('The submodule') || !groups.url
          ? line
          : `"${line}". ${groups.url} is private or no longer exists.`,
      suggestedFix:
        'Use https URLs in .gitmodules, give the stored token access to the submodule too, or replace the submodule with a package or a copy of its files.',
      steps: ['git submodule status', 'git config --file .gitmodules --list', deployAgain],
    }),
  },
  {
    id: 'lfs-quota',
    codes: ['source_failed', 'build_failed'],
    says: /over its data quota|smudge filter lfs failed|LFS budget/i,
    explain: ({ line }) => ({
      summary: 'Large files of the repository (Git LFS) could not be downloaded.',
      likelyCause: `The git host refuses the download: "${line}". The account has used up its LFS bandwidth or storage.`,
      suggestedFix:
        'Buy more LFS data at the git host or wait for the next month, or store the large files elsewhere (object storage, the image).',
      steps: ['git lfs ls-files --size', deployAgain],
    }),
  },
  {
    id: 'lfs-failed',
    codes: ['source_failed', 'source_refused'],
    says: /The LFS (file|server of) \S+ (could not be|did not offer)|Files of Git LFS are fetched (only )?by https/,
    explain: ({ line }) => ({
      summary: 'Large files of the repository (Git LFS) could not be fetched.',
      likelyCause: line,
      suggestedFix:
        'Push the files to the LFS server of the repository and give the git token access to them. Or deploy without them: pointer files then take their place.',
      steps: ['git lfs push --all origin', setVariable('GIT_LFS', 'false'), deployAgain],
    }),
  },
  {
    id: 'source-too-large',
    codes: ['source_refused'],
    says: /The repository is too large: (?<numbers>.*?)\./,
    explain: ({ groups }, failure) => ({
      summary: 'The repository is too large to deploy.',
      likelyCause: `Only the newest commit of the branch "${failure.service.branch}" is fetched, and it is too large: ${groups.numbers}.`,
      suggestedFix:
        'Remove files that are not source code (build output, archives, data, videos) from the branch, and store them in object storage or a volume.',
      steps: ['git ls-tree -r -l HEAD | sort -k 4 -n | tail -n 20', 'git rm -r --cached <path>', deployAgain],
    }),
  },
  {
    id: 'ssh-host-key',
    codes,
    says: /another SSH host key than|Host key verification failed|REMOTE HOST IDENTIFICATION HAS CHANGED/,
    explain: () => ({
      summary: 'The git host presented a different SSH host key than before.',
      likelyCause:
        'The key of the git host has changed, or something on the network impersonates it. Nothing was sent.',
      suggestedFix:
        'Compare the key with the one that the git host publishes. If it has changed, ask the operator to remove the old one from known_hosts on the host. An https URL with a git token needs no SSH keys.',
      steps: ["ssh-keygen -R '<git host>' -f <data directory>/known_hosts", ...useHttps, deployAgain],
    }),
  },
  {
    id: 'ssh-key-unreadable',
    codes,
    says: /can't read the service's deploy key/,
    explain: () => ({
      summary: "The service's deploy key can't be read.",
      likelyCause:
        'The stored private key is damaged, or of a type that the ssh client of the host does not support.',
      suggestedFix: `Create a new key and add its public part to the repository. ${whereKeysGo}`,
      steps: [makeDeployKey, deployAgain],
    }),
  },
  {
    id: 'ssh-key-refused',
    codes,
    says: /refused the service's deploy key/,
    explain: () => ({
      summary: "The git host does not accept the service's deploy key.",
      likelyCause:
        'Its public part was not added to the repository, was removed from it, or belongs to another repository.',
      suggestedFix: `Add the public part to the repository. ${whereKeysGo}`,
      steps: [showDeployKey, deployAgain],
    }),
  },
  {
    id: 'ssh-no-key',
    codes,
    says: /has no deploy key|Permission denied \(publickey/,
    explain: () => ({
      summary: 'The git host refused the SSH connection.',
      likelyCause:
        'The service has no SSH key with access to this repository. SSH keys of the host itself are never used.',
      suggestedFix: `Create a deploy key and add its public part to the repository, or use the https URL with a git token. ${whereKeysGo}`,
      steps: [makeDeployKey, deployAgain],
    }),
  },
  {
    id: 'ssh-client-missing',
    codes,
    says: /This host has no ssh client/,
    explain: () => ({
      summary: 'The host has no ssh client, which the URL of the repository needs.',
      likelyCause: 'The package openssh-client is not installed on the host.',
      suggestedFix:
        'Ask the operator to install it, or use the https URL of the repository with a git token.',
      steps: ['sudo apt-get install openssh-client', ...useHttps, deployAgain],
    }),
  },
  {
    id: 'git-key-for-https',
    codes: ['source_refused'],
    says: /The stored git token is an SSH key/,
    explain: (_, failure) => ({
      summary: 'The service has an SSH key, but its repository URL is https.',
      likelyCause: `${failure.service.repoUrl} needs an access token, not an SSH key. The key was not sent.`,
      suggestedFix: 'Set repoUrl to the ssh URL of the repository, or store an access token.',
      steps: [changeSetting('repoUrl', '<ssh url>'), changeSetting('gitToken', '<token>'), deployAgain],
    }),
  },
];
