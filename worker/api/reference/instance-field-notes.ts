/** Fields of settings, quotas, providers, recovery and facts about hosts. */

/** Meaning and example by field name: a name means the same wherever it occurs. Without an example: undefined. */
export type FieldNotes = Readonly<Record<string, readonly [description: string, example: unknown]>>;

const time = '2026-11-23T09:30:00.000Z';

const settingNotes: FieldNotes = {
  readKeysSee: ['The variables whose values keys with read access see.', 'plain'],
  defaultAiProviderId: [
    'Explains failures if the request names no provider; null: the built-in rules.',
    'llm',
  ],
  allowPrivateAiProviders: ['Allows plain http and private addresses for AI providers.', false],
  allowPrivateEventWebhook: ['Allows plain http and a private address for the event webhook.', false],
  allowPrivateBackupBucket: ['Allows plain http and a private address for the backup bucket.', false],
  eventWebhookSecret: ['Secret that signs events. It is shown once.', 'whsec_...'],
  backupBucket: ["The bucket for backup copies; null: the Worker's own bucket.", undefined],
  endpoint: ['Address of the S3 server.', 'https://s3.example.com'],
  region: ['Region of the bucket.', 'eu-central-1'],
  bucket: ['Name of the bucket.', 'longshore-backups'],
  accessKeyId: ['Id of the access key.', 'AKIAEXAMPLE'],
  secretAccessKey: ['Secret of the access key. Stored encrypted, never returned.', '...'],
  pathStyle: ['Whether the bucket is in the path and not in the host name.', true],
  leaveBackupCopies: ['Whether to change the bucket although copies stay in the old one.', false],
  readsPerMinute: ['Reads per key and minute.', 6000],
  writesPerMinute: ['Writes per key and minute.', 1200],
  failedSignInsPerMinute: ['Failed sign-ins per client address and minute.', 60],
  auditDays: ['Days for which the audit log is kept.', 90],
  logDays: ['Days for which logs of deployments are kept.', 14],
  logArchiveDays: [
    'Days for which a log stays in the archive in the bucket, from its end. Null: no log is archived.',
    365,
  ],
  objectRequestsPerDay: [
    'Requests to objects that the platform allows a day: 100000 on the free plan of Cloudflare. From half of it on, logs come less often. Null: no limit.',
    100_000,
  ],
  retention: [
    'How long history is kept. Fields that are absent in a request stay as they are.',
    { deploymentDays: 90, deploymentsPerService: 50, jobDays: 30, eventDays: 30 },
  ],
  deploymentDays: ['Days for which deployments and commands are kept.', 90],
  deploymentsPerService: [
    'The newest deployments, and as many of the newest commands, of each service that are kept longer.',
    50,
  ],
  jobDays: ['Days for which other jobs are kept.', 30],
  eventDays: ['Days for which events are kept.', 30],
  tenantLimits: ['Limits of every tenant but the default one, unless its quotas say otherwise.', undefined],
  keepDeletedHours: ['Hours for which deleted things can be restored; 0: not at all.', 72],
  hostUpgrades: [
    'When hosts get the release that this control plane offers, one after the other; null: only by hand.',
    { from: '02:00', to: '05:00', timeZone: 'Europe/Berlin', days: ['sun'] },
  ],
  keepDumps: ['Nightly dumps of the database that stay in the bucket; 0: none are made.', 7],
  corsOrigins: ['Web origins that may call the API from a browser.', ['https://admin.example.com']],
};

const quotaNotes: FieldNotes = {
  containerMemoryMb: ['Memory of one container in megabytes.', 2048],
  containerCpus: ['Processors of one container.', 2],
  containerPids: ['Processes and threads of one container.', 4096],
  containerOpenFiles: ['Open files of each process in a container.', 65_536],
  containerDiskMb: ['What one container may write outside of its data volume, in megabytes.', 10_240],
  buildMinutesPerDay: ['Minutes of builds per day (UTC).', 600],
  buildLogBytesPerDay: ['Output of builds that is kept per day (UTC), in bytes.', 104_857_600],
  logReadersPerKey: ['Open streams of one log per key.', 20],
  concurrentBuilds: ['Builds at the same time.', 2],
  backupBytes: ['Bytes of all backups.', 10_737_418_240],
  logBytes: ['Bytes of the stored logs of deployments and commands that have ended.', 1_073_741_824],
  diskMb: ['Disk space of the services in megabytes.', 10_240],
  keptDeletions: ['How many deleted things are kept for a restore.', 2000],
  keptDeletionBytes: ['How much data of deleted things is kept for a restore, in bytes.', 104_857_600],
};

const providerNotes: FieldNotes = {
  accountId: ['Id of the account.', 'a1b2c3'],
  apiKey: ['API key. Stored encrypted, never returned.', '...'],
  apiSecret: ['API secret. Stored encrypted, never returned.', '...'],
  apiToken: ['API token. Stored encrypted, never returned.', '...'],
  apiUser: ['User of the API.', 'ann'],
  userName: ['User name of the account.', 'ann'],
  clientIp: ['Public address of the host that calls the provider.', '203.0.113.7'],
  baseUrl: ['Address of the API of the model.', 'https://llm.example.com/v1'],
  defaultModel: ['Model for requests that name none.', 'small-1'],
  enabled: ['Whether it may be used.', true],
  required: ['Whether the credential must be given.', true],
};

const accountNotes: FieldNotes = {
  may: ['Levels that the key includes.', ['read', 'deploy']],
  deployKey: ['The SSH key of the service; null: none.', undefined],
  addressHash: ['Hash of the client address.', '5f2b...'],
  minute: ['The minute that is counted.', time],
  failedSignIns: ['Failed sign-ins by minute and address.', undefined],
  encryption: ['State of the encryption key.', undefined],
  previousKey: ['The key before the present one, while values under it remain.', null],
  oldestKeyMadeAt: ['When the oldest data key was made.', time],
  dataKeys: ['State of the data keys.', undefined],
  rowsToReseal: ['Values that are still under an older key.', 0],
  rowsWithoutKey: ['Values whose key is missing.', 0],
  projectsInProgress: ['Projects whose data key is being renewed.', 0],
  projectName: ['Name of the project.', 'Shop'],
};

const hostFactNotes: FieldNotes = {
  buildFixes: ['Whether Docker has the fixes of its builder of January 2024; null: unknown.', true],
  runcVersion: ['Version of runc; null: unknown.', '1.3.3'],
  encryptsBackups: ['Whether its runner writes and reads encrypted backups; absent: it is too old.', true],
  backsUpVolumes: [
    'Whether its runner backs up and restores volumes of services; absent: it is too old.',
    true,
  ],
  drillsVolumes: ['Whether its runner tests backups of volumes; absent: it is too old.', true],
  fillsVolumes: [
    'Whether its runner takes volumes of services that move to it; absent: it is too old.',
    true,
  ],
  preparesMoves: [
    'Whether its runner prepares the image of a service that moves to it while the old host still serves; absent: it is too old.',
    true,
  ],
  mountsVolumes: ['Whether its runner mounts volumes of services; absent: it is too old.', true],
  buildsUploads: ['Whether its runner builds uploaded folders; absent: it is too old.', true],
  mountsFiles: ['Whether its runner writes mounted files into containers; absent: it is too old.', true],
  appliesTrafficRules: ['Whether its runner applies traffic rules; absent: it is too old.', true],
  opensShells: ['Whether its runner opens shells; absent: it is too old.', true],
  keepsMetrics: ['Whether its runner keeps metrics; absent: it is too old.', true],
  release: [
    'The release of runners: its version and the first characters of its checksum. Null: none, such as that of a clone; absent: an old runner.',
    '0.2.0-3f2a9c01d4e7',
  ],
  outdatedHosts: ['Hosts that take upgrades and lack the release.', 2],
  rounds: ['The last rounds of upgrades, newest first.', undefined],
  upgraded: ['Hosts that the round has upgraded.', 3],
  takesUpgrades: ['Whether the control plane may upgrade its runner; absent: it is too old.', true],
  at: ['When, in epoch milliseconds.', 1_790_000_000_000],
  lastUpgrade: ['How its last upgrade ended; null: it had none.', null],
  started: ['Whether it began; false: one was running already.', true],
  runcFixes: ['Whether runc has the fixes of November 2025; null: unknown.', true],
  trustedRunc: ['Version of runc that the operator trusts although it reports no fixes.', null],
  firewall: ['State of the firewall rules.', 'in-place'],
  firewallProblem: ['Why the rules are not in place; null: they are.', null],
  userNamespaces: ['Whether Docker maps users of containers to others of the host.', false],
  storageLimits: ['Whether Docker can limit the disk space of a container.', false],
};

const recoveryNotes: FieldNotes = {
  deleted: ['What was deleted, newest first.', undefined],
  purging: ['Whether it is being removed for ever.', false],
  field: ['The field whose value had to change, because another service has it now.', 'hostPort'],
  before: ['The value before.', 'web'],
  after: ['The value after.', 'web-2'],
  received: ['Numbers of the parts that have arrived.', [1, 2]],
  phase: ['The step that runs; null: none.', 'load'],
  restoredAt: ['When it was restored.', time],
  targetServiceId: [
    'Database into which to restore; absent: the one that the backup is of.',
    'svc_3kq9x7m2v5c8b1n4',
  ],
  dumps: ["Dumps of the control plane's database, newest first.", undefined],
  dump: ['The dump.', undefined],
  restored: ['What was put in line after the database went back.', undefined],
  jobs: ['Jobs that were ended.', 2],
  removals: ['Removals on hosts that were called off.', 1],
  moreJobs: ['Whether jobs remain: send the request again.', false],
  backupsWithoutFile: ['Backups whose file is missing.', 0],
  backupsWithoutRow: ['Files of backups that no row names.', undefined],
  hosts: ['The hosts.', undefined],
  runnerIds: ['Hosts that were asked.', ['run_1a2s3d4f5g6h7j8k']],
  strays: ['What is on the host and has no row.', undefined],
  trouble: ['Why the host could not be asked; null: it could.', null],
  otherVersions: ['Services of which the host runs another version than the rows say.', undefined],
  recordedDeploymentId: ['The deployment that the rows call live.', 'dep_5t8r2y6u1i4o7p9a'],
  isRunning: ['Whether it runs.', true],
  hostnames: ['Host names that lead to it.', ['shop.example.com']],
  volumes: ['Names of its data volumes.', ['longshore-svc_3kq9x7m2v5c8b1n4-data']],
  what: ['What is missing on the host.', 'container'],
  withoutRow: ['Keys of objects in the bucket that no row names.', []],
  withoutObject: ['Backups whose object is missing in the bucket.', undefined],
  data: ['Whether its data volumes are removed too.', false],
  queued: ['The removal was queued.', true],
};

export const instanceFieldNotes: FieldNotes = {
  ...settingNotes,
  ...quotaNotes,
  ...providerNotes,
  ...accountNotes,
  ...hostFactNotes,
  ...recoveryNotes,
};
