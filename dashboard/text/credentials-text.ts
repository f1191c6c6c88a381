/** Texts of the room for credentials: git hosts, GitHub Apps, registries, encrypted backups, short-lived keys. */
import { count } from './count.ts';

export const credentialsText = {
  credentials: {
    title: 'Credentials',
    help: 'What Longshore shows to git hosts and registries when it fetches your code and images. Tokens and passwords are stored encrypted and never shown again.',
    open: 'Git hosts, registries, keys',
    openHelp: 'For private repositories and images, encrypted backups, and keys that end soon.',
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
      add: 'Add GitHub App',
      none: 'No GitHub Apps yet',
      noneHelp: 'GitHub makes the app for you in two steps; you copy nothing.',
      organization: 'Organization',
      organizationHelp: 'That will own the app. Empty: your own account.',
      host: 'Host',
      hostHelp: 'Of GitHub, or of a GitHub Enterprise Server.',
      deployOnPush: 'Deploy on push',
      commitStatus: 'Report the state of deployments',
      nextTitle: 'Create the app at GitHub',
      nextHelp:
        'Open this page within an hour: it leads to GitHub, where you confirm the app and choose its repositories. Whoever opens it can finish the set-up, so share it with nobody.',
      next: 'Go on at GitHub',
      unregistered: 'Not set up yet',
      unregisteredHelp: 'The page of its set-up was not followed to the end. Delete it and add it again.',
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
      add: 'Make key',
      none: 'Backups are not encrypted',
      noneHelp: 'Make a key, and keep its secret part where this instance is not.',
      makeTitle: 'Encrypt new backups?',
      makeHelp:
        'All new backups are encrypted with the new key. Its secret part is shown once. Keep it: without it and without this instance the backups are lost.',
      secretTitle: 'Secret part of the key',
      secretHelp: 'age -d -i opens backups with it. Copy it now to a safe place: it is shown once.',
      secret: 'Secret part',
      current: 'Current',
      backups: (n: number) => `Opens ${count(n, 'backup')}`,
      since: 'Made',
      retired: 'Retired',
      removeHelp:
        'New backups are not encrypted any more. The key still opens the backups that it has encrypted.',
    },

    short: {
      title: 'Short-lived keys',
      help: 'Keys that this session made, for a CI job or a script. They end with the key of this session.',
      add: 'Make short-lived key',
      none: 'No short-lived keys',
      noneHelp: 'A key with at most your rights, which ends by itself after minutes or hours.',
      name: 'Name',
      access: 'Level',
      minutes: 'Ends after minutes',
      minutesHelp: 'From 5 to 1,440, which is a day.',
      tokenTitle: (name: string) => `Key ${name}`,
      tokenHelp: 'Copy it now: it is shown once.',
      token: 'Key',
      ends: 'Ends',
      ended: 'Ended',
      removeHelp: 'It stops working at once.',
    },
  },
} as const;
