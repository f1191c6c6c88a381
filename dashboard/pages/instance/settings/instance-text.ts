/** Texts of the operator's rooms for events and settings of the instance. */

export const costsText = {
  title: 'Costs at Cloudflare',
  estimate: 'Estimate. No bill has confirmed it.',
  month: (dollars: string) => `About ${dollars} a month`,
  plan: (dollars: string) =>
    `with the paid plan, including its basic price of ${dollars}. The free plan costs nothing and stops at its limits. An instance on your own machine costs nothing.`,
  items: {
    objectRequests: 'Requests for logs',
    logBytes: 'Stored deployment logs',
    databaseBytes: 'Database',
    backupBytes: 'Backups in the bucket',
    workerRequests: 'Requests to the Worker',
    workerCpuMs: 'Processor time of the Worker',
    objectSeconds: 'Time of Durable Objects',
    rowsRead: 'Rows read',
    rowsWritten: 'Rows written',
    objectRowsRead: 'Rows read in objects',
    objectRowsWritten: 'Rows written in objects',
  },
  counted: 'Counted by this instance',
  measured: 'Measured by Cloudflare, for the whole account with its other Workers',
  included: (amount: string) => `${amount} are included`,
  days: (n: number) =>
    `Storage is the present amount. Everything else is for the last ${n} days. Requests for logs are estimated from samples.`,
  notCounted: (names: string) => `Billed too, and not counted here: ${names}.`,
  others: {
    workerRequests: 'requests to the Worker',
    workerCpuMs: 'processor time of the Worker',
    objectSeconds: 'time of Durable Objects',
    rowsRead: 'rows read',
    rowsWritten: 'rows written',
    objectRowsRead: 'rows read in objects',
    objectRowsWritten: 'rows written in objects',
    logArchive: 'archived logs',
  },
  connect:
    'If the control plane runs on Cloudflare, its numbers can be shown here. Create a token with the permission Account Analytics: Read, and put it and the id of the account into the secrets of the Worker:',
  connectHow: [
    'npx wrangler secret put CLOUDFLARE_ACCOUNT_ID',
    'npx wrangler secret put CLOUDFLARE_ANALYTICS_TOKEN',
  ],
  command: 'Command',
  problem: (reason: string) => `Numbers of Cloudflare are missing. ${reason}`,
  prices: (day: string) => `Prices of ${day}`,
} as const;

export const instanceSettingsText = {
  title: 'Settings of the instance',
  help: 'Settings apply at once, to all tenants. A new root domain applies only to services that are created later.',
  saved: 'Settings saved.',
  others:
    'The backup bucket and the limits of every tenant are set with the API (PATCH /api/system/settings).',
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
      help: 'Domains should point to this address. Leave it empty to use the address that each host reports.',
    },
    readsPerMinute: { label: 'Reads a minute', help: 'Of one key.' },
    writesPerMinute: { label: 'Writes a minute', help: 'Of one key.' },
    failedSignInsPerMinute: { label: 'Failed sign-ins a minute', help: 'Of one address.' },
    objectRequestsPerDay: {
      label: 'Requests to log objects a day',
      help: 'Close to this limit, followed logs are updated less often. 100,000 on the free plan. Leave it empty for no limit.',
    },
    auditDays: { label: 'Days of the audit log', help: undefined },
    logDays: { label: 'Days of deployment logs', help: 'At least 7.' },
    logArchiveDays: {
      label: 'Days of archived logs',
      help: 'More than the days of deployment logs. Leave it empty to archive nothing.',
    },
    keepDeletedHours: {
      label: 'Hours to undo deletions',
      help: 'At most 720. With 0, everything is deleted permanently at once.',
    },
    deploymentDays: { label: 'Days of ended deployments', help: 'In the lists of services.' },
    deploymentsPerService: {
      label: 'Deployments of a service',
      help: 'This number is kept even if they are older.',
    },
    jobDays: { label: 'Days of ended commands and jobs', help: undefined },
    eventDays: { label: 'Days of events', help: undefined },
    keepDumps: { label: 'Nightly dumps of the database', help: '0 turns the dumps off.' },
    readKeysSee: { label: 'Keys of the level “read” see', help: undefined },
    corsOrigins: {
      label: 'Web origins that may call the API',
      help: 'One on each line, such as https://app.example.com.',
    },
    allowPrivateEventWebhook: {
      label: 'Private receivers',
      help: 'Allow plain http and private addresses for events, messages and logs of the default tenant.',
    },
    allowPrivateAiProviders: {
      label: 'Private AI providers',
      help: 'Allow plain http and private addresses.',
    },
    allowPrivateSignInProviders: {
      label: 'Private identity providers',
      help: 'Allow plain http and private addresses, such as a Keycloak in your network.',
    },
    allowPrivateBackupBucket: {
      label: 'A private backup bucket',
      help: 'Allow plain http and private addresses.',
    },
  },
  webhook: 'Event webhook',
  webhookHelp: 'Every event is sent to this address as a signed POST.',
  webhookUrl: 'Address',
  webhookUrlHelp: 'https, with a public address. Empty: no webhook.',
  webhookTest: 'Send test event',
  webhookSecretTitle: 'Signing secret of the event webhook',
  webhookSecret: 'Signing secret',
  webhookSecretHelp:
    'With this secret, your receiver checks that events come from this instance (Standard Webhooks). Copy it now: it is shown only once.',
} as const;
