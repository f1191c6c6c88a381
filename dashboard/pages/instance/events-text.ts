/** Texts of the operator's rooms for events and settings of the instance. */
import { count } from '../../text/count.ts';

export const eventsText = {
  title: 'Events',
  help: 'Failures, recoveries and deletions of the last 30 days, newest first, and whether they reached the event webhook.',
  none: 'No events yet',
  noneHelp: 'Events are, for example, failed backups, crashes, disconnected hosts and deletions.',
  deliveries: { none: 'No webhook', pending: 'Waiting', delivered: 'Sent', undelivered: 'Given up' },
  attempts: (n: number) => count(n, 'attempt'),
  next: (when: string) => `next ${when}`,
} as const;
