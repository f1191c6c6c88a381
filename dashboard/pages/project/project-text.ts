/** Texts of the rooms of a project. */

export const projectText = {
  tabs: {
    services: 'Overview',
    logs: 'Logs',
    metrics: 'Metrics',
    drains: 'Log drains',
    notifications: 'Notifications',
    ci: 'CI',
    settings: 'Settings',
  },
  settingTabs: { settings: 'General', notifications: 'Notifications', drains: 'Log drains', ci: 'CI' },
  general: 'Name and description',
  noDescription: 'No description.',
  edit: 'Edit',
  danger: 'Delete this project',
  moreOf: (shown: number, all: number) =>
    `${shown.toLocaleString('en')} of ${all.toLocaleString('en')}: show more`,
} as const;
