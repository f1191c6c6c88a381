/** All texts of the dashboard; large rooms have files of their own. */
import { attentionText } from './attention-text.ts';
import { commandsText } from './commands-text.ts';
import { connectionsText } from './connections-text.ts';
import { count } from './count.ts';
import { credentialsText } from './credentials-text.ts';
import { databaseText } from './database-text.ts';
import { deploymentText } from './deployment-text.ts';
import { deviceText } from './device-text.ts';
import { domainText } from './domain-text.ts';
import { drainsText } from './drains-text.ts';
import { expiryText } from './expiry-text.ts';
import { identitiesText } from './identities-text.ts';
import { importsText } from './imports-text.ts';
import { instanceCareText } from './instance-care-text.ts';
import { instanceText } from './instance-text.ts';
import { membersText } from './members-text.ts';
import { metricsText } from './metrics-text.ts';
import { newServiceText } from './new-service-text.ts';
import { noticesText } from './notices-text.ts';
import { operatorText } from './operator-text.ts';
import { ownKeysText } from './own-keys-text.ts';
import { passkeysText } from './passkeys-text.ts';
import { planText } from './plan-text.ts';
import { projectText } from './project-text.ts';
import { providersText } from './providers-text.ts';
import { removeBackupText } from './remove-backup-text.ts';
import { repositoryText } from './repository-text.ts';
import { serviceText } from './service-text.ts';
import { settingsText } from './settings-text.ts';
import { trustText } from './trust-text.ts';
import { upgradesText } from './upgrades-text.ts';

export const t = {
  product: 'Longshore',
  skip: 'Skip to content',
  close: 'Close',
  cancel: 'Cancel',
  retry: 'Try again',
  loading: 'Loading',
  copied: 'Copied',
  copy: (what: string) => `Copy ${what}`,
  open: 'Open',
  filter: 'Filter',
  none: 'None',
  nothingFound: (words: string) => `Nothing matches “${words}”.`,
  ago: (text: string) => `${text} ago`,
  now: 'just now',
  live: 'Updates live',
  refreshed: (age: string) => `Updated ${age}`,
  more: 'Show more',
  typeName: (name: string) => `Type ${name} to confirm`,

  nav: {
    projects: 'Projects',
    alerts: 'Alerts',
    trash: 'Deleted',
    settings: 'Settings',
    operator: 'Instance',
    docs: 'API reference',
    search: 'Search',
    main: 'Main',
    messages: 'Messages',
    crumbs: 'You are here',
  },

  signIn: {
    title: 'Sign in to Longshore',
    key: 'API key',
    placeholder: 'lsk_…',
    help: 'A key is exchanged for a session of this browser. The key itself is not stored.',
    where:
      'On the machine of this instance, npm start prints a link that signs you in. The key is in .longshore/local.json there.',
    submit: 'Sign in',
    working: 'Signing in',
    linkTitle: 'Sign in with this link?',
    linkHelp: 'The link works once, for this browser.',
    linkSubmit: 'Sign in this browser',
    linkFor: (
      { name, email, tenant }: { name: string; email: string | null; tenant: string },
      host: string,
    ) =>
      `You will act as ${email === null ? `the key “${name}”` : `${name} (${email})`} of the tenant “${tenant}” at ${host}.`,
    linkOfOperator: 'You will act as the operator of this instance, too.',
    linkBy: (names: string) => `${names} created the link.`,
    linkReplaces: 'This browser is already signed in. The new session replaces the old one.',
    linkFromStranger:
      'Continue only if you know who sent the link. The tenant of the link can see everything that you enter here.',
    linkFailed: 'This link has already been used, or has expired. Ask for a new link, or sign in with a key.',
    failed: 'This key is not valid. Check that it is complete, and that it was not revoked.',
    ended: 'Your session has ended. Sign in again.',
    otherWays: 'Sign in without a key',
    at: (name: string) => `Sign in with ${name}`,
    notSignedIn: 'You are not signed in',
    notHere: 'This sign-in was not started in this tab, or is already finished. Start again.',
    again: 'Back to the sign-in',
  },

  connection: {
    offline: 'This device is offline.',
    away: 'The control plane does not answer. Deployed apps keep serving.',
    failing: 'The control plane can’t work right now. Deployed apps keep serving.',
    since: (age: string) => `This page shows the state from ${age}. Trying again.`,
    newVersion: 'Longshore was updated. Reload to continue.',
    reload: 'Reload',
  },

  projects: {
    title: 'Projects',
    filter: 'Filter projects and services',
    services: (n: number) => count(n, 'service'),
    create: 'New project',
    name: 'Name',
    description: 'What is it for? (optional)',
    createSubmit: 'Create project',
    removeHelp:
      'All services, databases, domains, variables and logs of the project are deleted too. The project can be restored for 72 hours.',
    empty: 'No projects yet',
    emptyHelp: 'A project groups services that belong together: an app, its worker, its database.',
    readOnly: 'This key sees no projects.',
    noServices: 'No services yet',
    noServicesHelp:
      'Create one from a repository, an image or a database engine, or run longshore up in a folder.',
    moreServices: (n: number) => `${n} more`,
    summary: (projects: number, services: number) =>
      `${count(projects, 'project')}, ${count(services, 'service')}`,
  },

  ...serviceText,
  ...attentionText,
  ...commandsText,
  ...settingsText,
  ...deploymentText,
  ...connectionsText,
  ...credentialsText,
  ...databaseText,
  ...domainText,
  ...drainsText,
  ...expiryText,
  ...instanceCareText,
  ...instanceText,
  ...membersText,
  ...identitiesText,
  ...ownKeysText,
  ...passkeysText,
  ...deviceText,
  ...providersText,
  ...metricsText,
  ...newServiceText,
  ...noticesText,
  ...projectText,
  ...importsText,
  ...operatorText,
  ...planText,
  ...removeBackupText,
  ...trustText,
  ...upgradesText,
  ...repositoryText,

  trash: {
    title: 'Deleted',
    none: 'Nothing to restore',
    noneHelp:
      'Services, projects, backups and volumes that are deleted can be restored from here for 72 hours.',
    kinds: { service: 'Service', project: 'Project', backup: 'Backup', volume: 'Volume' },
    deleted: 'Deleted',
    until: (when: string) => `until ${when}`,
    restore: 'Restore',
    restoreLabel: (name: string) => `Restore ${name}`,
    restored: (name: string) => `${name} restored`,
    changed: (before: string, after: string | null) =>
      after === null ? `Another service uses ${before} now` : `${before} was replaced by ${after}`,
    undo: 'Undo',
  },

  settings: {
    title: 'Settings',
    more: 'More',
    alertsHelp: 'Problems that need attention now.',
    deletedHelp: 'Everything that can still be restored.',
    you: 'This session',
    access: 'Access',
    accessOf: {
      read: 'Read: look at everything but secrets',
      deploy: 'Deploy: also deploy, restart and roll back',
      write: 'Write: change everything in its projects',
      destroy: 'Destroy: also end the protection of services',
    } as Record<string, string>,
    projects: 'Projects',
    allProjects: 'All projects',
    someProjects: (n: number) => count(n, 'project'),
    ends: 'Ends',
    theme: 'Theme',
    themes: { system: 'System', light: 'Light', dark: 'Dark' },
    sessions: 'Signed-in browsers and command lines',
    sessionsHelp: 'Browsers that signed in with the same key. Revoking or rotating the key ends all of them.',
    ownSessionsHelp: 'Browsers and command lines in which you are signed in.',
    commandLine: 'Command line',
    linkedBy: (names: string) => `Opened by a link that ${names} created`,
    openLink: (names: string) => `A link that ${names} created`,
    openLinkHelp: (end: string) => `Whoever has it can sign in as you, once, until ${end}.`,
    endLink: 'End the link',
    current: 'This browser',
    lastUsed: 'Last used',
    end: 'Sign out',
    endOther: (name: string) => `Sign out ${name}`,
    signOut: 'Sign out',
    signedOut: 'Signed out',
    ended: 'Session ended',
  },

  palette: {
    label: 'Commands',
    placeholder: 'Go to a project or service, or run a command',
    none: 'No command matches.',
    hint: '↑ ↓ to choose, Enter to run, Esc to close',
    groups: { page: 'This page', go: 'Go to', services: 'Services', projects: 'Projects', app: 'Longshore' },
  },

  keys: {
    title: 'Keyboard',
    rows: [
      ['Ctrl K', 'Commands (⌘ K on a Mac)'],
      ['/', 'Filter or search on this page'],
      ['g p', 'Go to projects'],
      ['g a', 'Go to alerts'],
      ['g d', 'Go to deleted things'],
      ['g s', 'Go to settings'],
      ['g o', 'Go to the instance: hosts, keys and audit of the operator'],
      ['g u', 'Up: from a deployment to its service, from a service to its project'],
      ['?', 'This list'],
      ['Esc', 'Close, or leave a field'],
    ] as const,
  },

  errors: {
    title: 'This did not work',
    notFound: 'There is nothing at this address, or this key can’t see it.',
    notFoundTitle: 'Not found',
    back: 'To the projects',
  },
} as const;
