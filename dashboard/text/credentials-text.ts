/** Texts of the room for credentials: git hosts, GitHub Apps, registries, encrypted backups. */
import { count } from './count.ts';

export const credentialsText = {
  title: 'Credentials',
  help: 'Longshore uses these to fetch your code and images from git hosts and registries. Tokens and passwords are stored encrypted and never shown again.',
  open: 'Git hosts, GitHub Apps, registries',
  openHelp: 'For private repositories and images.',
  saved: (name: string) => `${name} saved`,
  removed: (name: string) => `${name} deleted`,
  stays: 'Leave it empty to keep the stored one.',
  username: 'User name',
  changed: 'Changed',
  onlyAllProjects: 'Git hosts, registries and encrypted backups need a key for all projects.',

  git: {
    title: 'Git hosts',
    help: 'Services that have no token use these for repositories at the host.',
    add: 'Add git host',
    none: 'No git hosts yet',
    noneHelp:
      'Public repositories need no token. For private repositories, add a token of the host that may read them.',
    host: 'Host',
    hostHelp: 'Such as github.com, with its port unless that is 443.',
    token: 'Access token',
    tokenHelp:
      'It must be allowed to read the repositories. To report the state of deployments, it must also be allowed to write statuses.',
    usernameHelp: 'Leave it empty for GitHub, GitLab, Gitea and Forgejo. For Bitbucket: x-token-auth.',
    project: 'Projects',
    allProjects: 'All projects',
    onlyProject: (name: string) => `Only ${name}`,
    status: 'State of deployments',
    noStatus: 'Not reported',
    statuses: {
      github: 'As commit status of GitHub',
      gitlab: 'As commit status of GitLab',
      gitea: 'As commit status of Gitea or Forgejo',
      bitbucket: 'As commit status of Bitbucket',
    },
    reports: 'Reports deployments',
    ofApp: 'Of a GitHub App',
    removeHelp:
      'Deployments from private repositories of this host fail from now on. Running versions, restarts and rollbacks do not need it.',
  },

  app: {
    title: 'GitHub Apps',
    help: 'An app at GitHub reads only the repositories that you choose, deploys on push, and reports the state of deployments. No token expires.',
    none: 'No GitHub Apps yet',
    noneHelp: 'Connect one, and choose the repositories at GitHub. Nothing has to be copied.',
    add: 'Connect GitHub',
    addTitle: 'Connect GitHub',
    addHelp:
      'The next page leads to GitHub, which makes the app and asks you for its repositories. It is yours alone, and ends with your session if you stop on the way.',
    toGithub: 'Continue to GitHub',
    organization: 'Organization (optional)',
    organizationHelp:
      'For repositories of an organization, the organization must own the app. Empty: your own account.',
    host: 'Host',
    hostHelp: 'github.com, or your GitHub Enterprise Server.',
    leaving: 'Going on to GitHub',
    deployOnPush: 'Deploy on push',
    commitStatus: 'Report the state of deployments',
    unregistered: 'Not set up yet',
    unregisteredHelp: 'The set-up at GitHub was not finished. Connect GitHub once more.',
    ofOwner: (owner: string) => `of ${owner}`,
    choose: 'Choose repositories at GitHub',
    repositories: 'Repositories',
    repositoriesOf: (name: string) => `Repositories of ${name}`,
    noInstallations: 'The app is not installed yet. Choose its repositories at GitHub.',
    suspended: 'Suspended by its owner',
    settings: (account: string) => `Change the repositories of ${account} at GitHub`,
    private: 'Private',
    archived: 'Archived',
    removeHelp:
      'Longshore forgets the app and its key. Deployments of its private repositories fail from now on. Delete it at GitHub too.',
  },

  registry: {
    title: 'Registries',
    help: 'Used for every image whose name begins with the host, also in a Dockerfile.',
    add: 'Add registry',
    none: 'No registries yet',
    noneHelp: 'Public images need no login. For private images, add the login of their registry.',
    host: 'Host',
    hostHelp:
      'The first part of the image name, such as ghcr.io or registry.example.com:5000. For Docker Hub: docker.io.',
    password: 'Password or token',
    removeHelp:
      'Deployments of private images of this host fail from now on. Running versions and rollbacks do not need it.',
  },

  backup: {
    title: 'Encrypted backups',
    help: 'While a key is current, new backups are encrypted with it before they leave the host, in the age format.',
    none: 'Backups are not encrypted',
    noneHelp: 'Create a key with POST /api/backup-keys. This is not possible in a signed-in browser.',
    current: 'Current',
    backups: (n: number) => `Opens ${count(n, 'backup')}`,
    since: 'Created',
    retired: 'Retired',
  },
} as const;
