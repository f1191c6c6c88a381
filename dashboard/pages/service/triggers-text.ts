/** Texts of services, deployments, logs and variables. */

export const triggersText = {
  manual: 'Deployed',
  rollback: 'Rollback',
  webhook: 'Pushed',
  restore: 'Restore',
  restart: 'Restart',
  'image-update': 'New image',
} as const;
