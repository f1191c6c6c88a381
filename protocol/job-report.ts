/** What a runner says of a job: phases on the way and one result at the end. */
import { z } from 'zod';

/** Phases of each kind of job, in order. `switch` is the commit point: from the granted permission on it can't be aborted. */
export const jobPhases = {
  deploy: ['clone', 'build', 'start', 'health', 'switch', 'finish'],
  backup: ['dump', 'verify', 'upload'],
  restore: ['fetch', 'safeguard', 'verify', 'load', 'prove', 'switch', 'finish'],
  import: ['fetch', 'safeguard', 'verify', 'load', 'prove', 'switch', 'finish'],
  drill: ['fetch', 'load', 'prove'],
} as const;
export const deployPhases = jobPhases.deploy;
/** Every word of them, once. */
export const phaseNames = [
  ...deployPhases,
  ...jobPhases.backup,
  'fetch',
  'safeguard',
  'load',
  'prove',
] as const;

/** A report carries no more keys. */
export const suggestedKeysMax = 100;

/** A variable that the repository names in a file such as `.env.example`. */
export const suggestedKeySchema = z.object({
  key: z
    .string()
    .regex(/^[A-Z_][A-Z0-9_]*$/)
    .max(100),
  /** The comment above or beside it. */
  label: z.string().max(400),
});

/** Facts of a deployment that the API shows; sent as soon as they are known, absent until then. */
export const deployFactsSchema = z.object({
  commitSha: z.string().optional(),
  imageTag: z.string().optional(),
  containerName: z.string().optional(),
  detectedBuildMethod: z.enum(['dockerfile', 'analyzer']).optional(),
  framework: z.string().optional(),
  suggestedKeys: z.array(suggestedKeySchema).max(suggestedKeysMax).optional(),
});

/** How far a data job is. `total`: null while it is not known. */
export const progressSchema = z.object({
  done: z.number().int().nonnegative(),
  total: z.number().int().nonnegative().nullable(),
  unit: z.enum(['bytes', 'rows', 'keys']),
});

/** A backup that was taken and proven: its one file, wherever copies of it lie. */
export const archiveFactsSchema = z.object({
  sizeBytes: z.number().int().positive(),
  /** `sha256:<hex>` of the whole file. */
  checksum: z.string().regex(/^sha256:[0-9a-f]{64}$/),
  /** Absolute path on the host; null when no copy stays there. */
  localPath: z.string().nullable(),
  remoteKey: z.string().nullable(),
  /** What the dump holds, counted from the dump itself. */
  tables: z.number().int().nonnegative(),
  rows: z.number().int().nonnegative(),
});

/** Facts of a job of any kind. `archive`: the backup that it has taken, its own work or the safety copy before a restore or an import. */
export const jobFactsSchema = deployFactsSchema.extend({
  progress: progressSchema.optional(),
  archive: archiveFactsSchema.optional(),
});

/** Why a job failed: machine words; `message` beside it is the sentence for a person. */
export const failureCodes = [
  'source_failed', // git: not reachable, wrong branch, refused token
  'source_refused', // a URL or path that the security rules refuse
  'build_method_missing', // no Dockerfile and nothing else that can be built
  'build_failed',
  'build_out_of_memory', // reached the memory that the host gives one build
  'image_failed', // pull refused or not found
  'image_gone', // a rollback to an image that the host has no more
  'start_failed',
  'health_failed',
  'switch_denied', // no permission within 60 s
  'switch_failed',
  'deadline',
  'disk_full',
  'docker_unavailable',
  'runner_restarted',
  'runner_lost', // said by the control plane, never by a runner
  'queue_timeout', // likewise
  'database_down', // nothing runs that could be dumped or filled
  'dump_failed', // the engine's own tool, or a dump that does not hold what it should
  'upload_failed',
  'backup_damaged', // not there, or other bytes than were written
  'restore_failed', // nothing has changed
  'import_refused', // the source, or what is there already; nothing has changed
  'import_failed', // on the way; nothing has changed
  'drill_failed', // a backup that can't be loaded, or holds other rows than it was taken with
  'drill_skipped', // the host has no room for a second database; nothing is known of the backup
  'internal',
] as const;

export const jobResultSchema = z.discriminatedUnion('outcome', [
  z.object({ outcome: z.literal('succeeded'), facts: jobFactsSchema }),
  z.object({
    outcome: z.literal('failed'),
    facts: jobFactsSchema,
    code: z.enum(failureCodes),
    message: z.string(),
  }),
  z.object({ outcome: z.literal('aborted'), facts: jobFactsSchema }),
]);

export const jobEventSchema = z.discriminatedUnion('type', [
  z.object({ type: z.literal('phase'), phase: z.enum(phaseNames), facts: jobFactsSchema }),
  z.object({ type: z.literal('result'), result: jobResultSchema }),
]);

export type DeployPhase = (typeof deployPhases)[number];
export type SuggestedKey = z.infer<typeof suggestedKeySchema>;
export type JobPhase = (typeof phaseNames)[number];
export type DeployFacts = z.infer<typeof deployFactsSchema>;
export type JobFacts = z.infer<typeof jobFactsSchema>;
export type JobProgress = z.infer<typeof progressSchema>;
export type ArchiveFacts = z.infer<typeof archiveFactsSchema>;
export type FailureCode = (typeof failureCodes)[number];
export type JobResult = z.infer<typeof jobResultSchema>;
export type JobEvent = z.infer<typeof jobEventSchema>;
