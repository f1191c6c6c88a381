/**
 * The resources in answers of routes, written by hand and not derived from the product: answers must match both.
 * Objects may have more fields than documented.
 */
import { z } from 'zod';

const timestamp = z.string().regex(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);

export const service = z.object({
  id: z.string(),
  projectId: z.string(),
  name: z.string(),
  slug: z.string(),
  repoFullName: z.string().nullable(),
  repoUrl: z.string(),
  imageRef: z.string().nullable(),
  branch: z.string(),
  rootDir: z.string().nullable(),
  hasGitHostToken: z.boolean(),
  installCommand: z.string().nullable(),
  buildCommand: z.string().nullable(),
  startCommand: z.string().nullable(),
  staticOutput: z.string().nullable(),
  buildMethod: z.enum(['auto', 'dockerfile', 'analyzer']),
  dockerfilePath: z.string().nullable(),
  detectedBuildMethod: z.enum(['dockerfile', 'analyzer']).nullable(),
  runtimeMode: z.enum(['web', 'worker', 'static']),
  internalPort: z.int(),
  hostPort: z.int(),
  databasePublicEnabled: z.boolean(),
  databasePublicHostname: z.string().nullable(),
  postgresLogicalReplicationEnabled: z.boolean(),
  status: z.enum(['idle', 'queued', 'building', 'active', 'failed', 'crashed', 'stopped']),
  reachable: z.boolean(),
  localUrl: z.string(),
  primaryUrl: z.string(),
  preferredDomain: z.string().nullable(),
  framework: z.string().nullable(),
  lastDeployedAt: timestamp.nullable(),
  createdAt: timestamp,
  updatedAt: timestamp,
});

export const project = z.object({
  id: z.string(),
  name: z.string(),
  slug: z.string(),
  description: z.string(),
  status: z.enum(['idle', 'building', 'active', 'degraded']),
  serviceCount: z.int(),
  lastUpdatedAt: timestamp,
  services: z.array(service),
});

const variable = z.object({
  id: z.string(),
  key: z.string().regex(/^[A-Z_][A-Z0-9_]*$/),
  hasValue: z.boolean(),
  value: z.string(),
  resolvedValue: z.string(),
  createdAt: timestamp,
  updatedAt: timestamp,
});

const domain = z.object({
  id: z.string(),
  serviceId: z.string(),
  hostname: z.string(),
  status: z.enum(['pending', 'active']),
  createdAt: timestamp,
  updatedAt: timestamp,
});

export const deployment = z.object({
  id: z.string(),
  serviceId: z.string(),
  commitSha: z.string().nullable(),
  status: z.enum(['queued', 'building', 'running', 'superseded', 'failed', 'aborted']),
  trigger: z.enum(['manual', 'rollback', 'webhook', 'restore', 'restart']),
  imageTag: z.string().nullable(),
  containerName: z.string().nullable(),
  startedAt: timestamp.nullable(),
  finishedAt: timestamp.nullable(),
  createdAt: timestamp,
});

export const logEntry = z.object({
  id: z.int(),
  deploymentId: z.string(),
  line: z.string(),
  stream: z.enum(['stdout', 'stderr', 'system']),
  createdAt: timestamp,
});

export const runtimeEntry = logEntry.omit({ deploymentId: true }).strict();

export const proxy = z.object({ ok: z.boolean(), detail: z.string().min(1) });

export const explanation = z.object({
  summary: z.string().min(1),
  likelyCause: z.string().min(1),
  suggestedFix: z.string().min(1),
  commands: z.array(z.string()),
  actions: z.array(z.looseObject({ kind: z.string() })),
  lines: z.array(z.object({ number: z.number().nullable(), text: z.string(), isError: z.boolean() })),
  serving: z
    .object({ deploymentId: z.string(), commit: z.string().nullable(), since: z.iso.datetime() })
    .nullable(),
});

export const databaseSuggestion = z.object({
  key: z.string(),
  value: z.string().regex(/^\$\{[^}]+\.[A-Z_][A-Z0-9_]*\}$/),
  label: z.string(),
});

export const overview = z.object({
  service,
  deployments: z.array(deployment),
  env: z.array(variable),
  domains: z.array(domain),
  publicIp: z.string().min(1),
});

export const errorBody = z.strictObject({
  error: z.string().min(10),
  code: z.string().regex(/^[a-z_]+$/),
  requestId: z.string(),
});

const row = z.record(z.string(), z.unknown());
const engine = z.enum(['postgres', 'timescale', 'mysql', 'redis', 'mongodb', 'clickhouse']);

/** Answers of browsing and querying. */
export const tablesAnswer = z.object({
  engine,
  tables: z.array(z.object({ id: z.string(), name: z.string(), schema: z.string(), rowCount: z.int() })),
});

export const rowsAnswer = z.object({
  engine,
  table: z.string(),
  columns: z.array(z.object({ name: z.string(), type: z.string(), primary: z.boolean() })),
  rows: z.array(row),
  limit: z.int(),
  offset: z.int(),
  total: z.int(),
});

export const queryAnswer = z.object({
  columns: z.array(z.strictObject({ name: z.string(), type: z.string() })),
  rows: z.array(row),
  rowCount: z.int(),
  truncated: z.boolean(),
});

/** A backup; in a list it also has `restore` and `drill`. */
export const backup = z.object({
  id: z.string(),
  serviceId: z.string(),
  engine,
  status: z.enum(['running', 'succeeded', 'failed']),
  trigger: z.enum(['manual', 'daily', 'weekly', 'monthly', 'pre-restore']),
  storage: z.enum(['disk', 'remote', 'disk+remote']),
  format: z.enum(['custom', 'sql', 'rdb', 'archive', 'native']),
  localPath: z.string().nullable(),
  remoteKey: z.string().nullable(),
  sizeBytes: z.int(),
  /** Empty until the file exists. */
  checksum: z.string().regex(/^(sha256:[0-9a-f]{64})?$/),
  error: z.string().nullable(),
  createdAt: timestamp,
  startedAt: timestamp,
  finishedAt: timestamp.nullable(),
});

export const backupSettings = z.object({
  serviceId: z.string(),
  storage: z.enum(['disk', 'remote', 'disk+remote']),
  automaticEnabled: z.boolean(),
  dailyEnabled: z.boolean(),
  weeklyEnabled: z.boolean(),
  monthlyEnabled: z.boolean(),
  createdAt: timestamp,
  updatedAt: timestamp,
});

export const backupsAnswer = z.object({
  backups: z.array(backup),
  settings: backupSettings,
  remote: z.object({ connected: z.boolean() }),
});

export const restoreAnswer = z.strictObject({
  ok: z.literal(true),
  restoredAt: timestamp,
  backup: z.strictObject({ id: z.string(), status: z.string() }),
});
