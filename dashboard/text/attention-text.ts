import { count } from './count.ts';

/** What is out of order now. */

export const attentionText = {
  title: 'Now',
  calm: 'Nothing is wrong',
  settling: 'A host has just connected or disconnected: its services are being checked',
  severities: { down: 'Down', failing: 'Failing', warning: 'Warning' },
  more: (number: number) => `Show ${number} more`,
  number: (number: number) => `${count(number, 'problem')} now`,
  rollback: 'Roll back',
  rollbackLabel: (name: string) => `Roll back ${name} to the version before`,
  actions: {
    explain: 'See why',
    rollback: 'See why',
    logs: 'Open logs',
    metrics: 'Open metrics',
    host: 'Open hosts',
    channel: 'Open notifications',
    'database-backups': 'Open backups',
    'volume-backups': 'Open backups',
    domain: 'Open domains',
    deployments: 'Open deployments',
  },
  actionLabel: (action: string, name: string) => `${action}: ${name}`,
};
