/** Texts of the rooms of a project. */

export const projectText = {
  tabs: {
    services: 'Services',
    logs: 'Logs',
    drains: 'Log drains',
    notifications: 'Notifications',
    ci: 'CI',
  },
  moreOf: (shown: number, all: number) =>
    `${shown.toLocaleString('en')} of ${all.toLocaleString('en')}: show more`,
} as const;
