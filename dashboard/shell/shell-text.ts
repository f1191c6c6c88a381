/** Texts of the frame around every page: the connection, the palette and the keys. */

export const connectionText = {
  offline: 'This device is offline.',
  away: 'The control plane does not answer. Deployed apps keep serving.',
  failing: 'The control plane can’t work right now. Deployed apps keep serving.',
  since: (age: string) => `This page shows the state from ${age}. Trying again.`,
  newVersion: 'Longshore was updated. Reload to continue.',
  reload: 'Reload',
} as const;

export const paletteText = {
  label: 'Commands',
  placeholder: 'Go to a project or service, or run a command',
  none: 'No command matches.',
  hint: '↑ ↓ to choose, Enter to run, Esc to close',
  groups: { page: 'This page', go: 'Go to', services: 'Services', projects: 'Projects', app: 'Longshore' },
} as const;

export const keysText = {
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
    ['v', 'In a project: picture or table'],
    ['?', 'This list'],
    ['Esc', 'Close, or leave a field'],
  ] as const,
} as const;

export const sideText = {
  allProjects: 'All projects',
  otherProject: (name: string) => `${name}: go to another project`,
  account: (name: string) => `Account of ${name}`,
  byKey: 'Signed in with a key',
  may: {
    read: 'May look',
    deploy: 'May deploy',
    write: 'May change everything',
    destroy: 'May change and delete everything',
  } as Record<string, string>,
  settings: 'Account settings',
  credentials: 'Git hosts and registries',
  members: 'Members',
} as const;

/** The pages of a project in the side bar, by the last part of their address; `others` are pages that they lead to. */
export const projectPages: readonly { name: string; label: string; others: readonly string[] }[] = [
  { name: '', label: 'Overview', others: ['new'] },
  { name: 'logs', label: 'Logs', others: [] },
  { name: 'metrics', label: 'Metrics', others: [] },
  { name: 'settings', label: 'Settings', others: ['notifications', 'drains', 'ci'] },
];
