/** Texts of the room for credentials: git hosts, GitHub Apps, registries, encrypted backups. */
import { count } from './count.ts';

export const credentialsText = {
  credentials: {
    title: 'Credentials',
    help: 'What Longshore shows to git hosts and registries when it fetches your code and images. Tokens and passwords are stored encrypted and never shown again.',
    open: 'Git hosts, GitHub Apps, registries',
    openHelp: 'For private repositories and images.',
    saved: (name: string) => `${name} saved`,
    removed: (name: string) => `${name} deleted`,
    stays: 'Empty: it stays as it is.',
    username: 'User name',
    changed: 'Changed',
    onlyAllProjects: 'Git hosts, registries and encrypted backups need a key for all projects.',

    git: {
      title: 'Git hosts',
      help: 'Services without a token of their own use it for repositories at this host.',
      add: 'Add git host',
      none: 'No git hosts yet',
      noneHelp:
        'Public repositories need none. For private ones, add a token of the host that may read them.',
      host: 'Host',
      hostHelp: 'Such as github.com, with its port unless that is 443.',
      token: 'Access token',
      tokenHelp: 'It may read the repositories. For the state of deployments it also may write statuses.',
      usernameHelp: 'Empty: the one that GitHub, GitLab, Gitea and Forgejo accept. Bitbucket: x-token-auth.',
      project: 'Projects',
      allProjects: 'All projects',
      onlyProject: (name: string) => `Only ${name}`,
      status: 'State of deployments',
      noStatus: 'Is not reported',
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
      noneHelp: 'Make one with a key: POST /api/github-apps. A signed-in browser may not.',
      deployOnPush: 'Deploy on push',
      commitStatus: 'Report the state of deployments',
      unregistered: 'Not set up yet',
      unregisteredHelp: 'The page of its set-up was not followed to the end. Delete it and make it again.',
      ofOwner: (owner: string) => `of ${owner}`,
      choose: 'Choose repositories at GitHub',
      repositories: 'Repositories',
      repositoriesOf: (name: string) => `Repositories of ${name}`,
      noInstallations: 'It is not installed yet: choose its repositories at GitHub.',
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
      noneHelp: 'Public images need none. For private ones, add the login of their registry.',
      host: 'Host',
      hostHelp:
        'As names of images begin with it, such as ghcr.io or registry.example.com:5000. Docker Hub: docker.io.',
      password: 'Password or token',
      removeHelp:
        'Deployments of private images of this host fail from now on. Running versions and rollbacks do not need it.',
    },

    backup: {
      title: 'Encrypted backups',
      help: 'While a key is current, new backups are encrypted with it before they leave the host, in the age format.',
      none: 'Backups are not encrypted',
      noneHelp: 'Make a key with POST /api/backup-keys. A signed-in browser may not.',
      current: 'Current',
      backups: (n: number) => `Opens ${count(n, 'backup')}`,
      since: 'Made',
      retired: 'Retired',
    },
  },
} as const;
