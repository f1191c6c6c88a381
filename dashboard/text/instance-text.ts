/** Texts of the operator's rooms for events and settings of the instance. */
import { count } from './count.ts';

export const instanceText = {
  events: {
    title: 'Events',
    help: 'Failures, recoveries and deletions of the last 30 days, newest first, and whether the event webhook got them.',
    none: 'No events yet',
    noneHelp: 'A failed backup, a crash, a host that is away or a deletion is an event.',
    deliveries: { none: 'No webhook', pending: 'Waits', delivered: 'Sent', undelivered: 'Given up' },
    attempts: (n: number) => count(n, 'attempt'),
    next: (when: string) => `next ${when}`,
  },

  instance: {
    title: 'Settings of the instance',
    help: 'They apply at once, to all tenants.',
    saved: 'Settings saved.',
    others:
      'The backup bucket, limits of tenants, retention and AI providers are set with the API (PATCH /api/system/settings).',
    groups: {
      names: 'Names and addresses',
      limits: 'Limits',
      keeping: 'What is kept',
      access: 'Access',
    },
    reads: {
      plain: 'Plain variables',
      all: 'All variables, also secrets',
      none: 'No values',
    },
    fields: {
      rootDomain: { label: 'Root domain', help: 'New services get names below it. Empty: localhost.' },
      publicIp: {
        label: 'Public address',
        help: 'Where domains should point. Empty: the address that each host reports.',
      },
      readsPerMinute: { label: 'Reads per key and minute', help: undefined },
      writesPerMinute: { label: 'Writes per key and minute', help: undefined },
      failedSignInsPerMinute: { label: 'Failed sign-ins per address and minute', help: undefined },
      objectRequestsPerDay: {
        label: 'Requests to log objects a day',
        help: 'Followed logs slow down before. 100,000 on the free plan. Empty: no limit.',
      },
      auditDays: { label: 'Days of the audit log', help: undefined },
      logDays: { label: 'Days of deployment logs', help: 'At least 7.' },
      logArchiveDays: {
        label: 'Days of archived logs',
        help: 'More than those above. Empty: none is archived.',
      },
      keepDeletedHours: {
        label: 'Hours in which deletions can be undone',
        help: 'At most 720. 0: deleted for good at once.',
      },
      keepDumps: { label: 'Nightly dumps of the database', help: '0: none are made.' },
      readKeysSee: { label: 'Keys of the level “read” see', help: undefined },
      corsOrigins: {
        label: 'Web origins that may call the API',
        help: 'One on each line, such as https://app.example.com.',
      },
      allowPrivateEventWebhook: {
        label: 'Private receivers of events, messages and logs',
        help: 'Plain http and private addresses, for the default tenant.',
      },
      allowPrivateAiProviders: { label: 'Private AI providers', help: 'Plain http and private addresses.' },
      allowPrivateBackupBucket: {
        label: 'A private backup bucket',
        help: 'Plain http and private addresses.',
      },
    },
    webhook: 'Event webhook',
    webhookHelp: 'Gets every event as a signed POST.',
    webhookUrl: 'Address',
    webhookUrlHelp: 'https, with a public address. Empty: no webhook.',
    webhookTest: 'Send test event',
    webhookSecretTitle: 'Signing secret of the event webhook',
    webhookSecret: 'Signing secret',
    webhookSecretHelp:
      'Your receiver checks with it that events come from here (Standard Webhooks). Copy it now: it is shown once.',
  },
} as const;
