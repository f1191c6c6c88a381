/** A runner's reports about a job: phases, and one result at the end. */

import { z } from 'zod';
import { variableName } from './env-text.ts';
import { idSchema } from './ids.ts';
import { imageDigestSchema } from './image-digest.ts';
import { note } from './note.ts';

/** Phases of each kind of job, in order. `switch` is the commit point: once it is granted, the job can't be aborted. */
export const jobPhases = {
  deploy: ['clone', 'build', 'start', 'health', 'switch', 'finish'],
  backup: ['dump', 'verify', 'upload'],
  restore: ['fetch', 'safeguard', 'verify', 'load', 'prove', 'switch', 'finish'],
  'volume-backup': ['dump', 'verify', 'upload'],
  'volume-restore': ['fetch', 'load', 'prove', 'safeguard', 'verify', 'switch', 'finish'],
  'volume-drill': ['fetch', 'load', 'prove'],
  'volume-fill': ['fetch', 'load', 'prove'],
  import: ['fetch', 'safeguard', 'verify', 'load', 'prove', 'switch', 'finish'],
  drill: ['fetch', 'load', 'prove'],
  run: ['run'],
  upgrade: ['fetch', 'safeguard', 'verify', 'load', 'prove', 'dump', 'switch', 'finish'],
} as const;
export const deployPhases = jobPhases.deploy;
/** All phase names, without duplicates. */
export const phaseNames = [
  ...deployPhases,
  ...jobPhases.backup,
  'fetch',
  'safeguard',
  'load',
  'prove',
  'run',
] as const;

/** Maximum number of suggested keys in a report. */
export const suggestedKeysMax = 100;

/** A variable that occurs in a file of the repository such as `.env.example`. */
export const suggestedKeySchema = z.object({
  key: z.string().regex(variableName).max(100),
  /** The comment above or next to it. */
  label: z.string().max(400),
});

/** Maximum number of names in `sourceFiles`; a runner looks for fewer. */
const sourceFilesMax = 200;

/** Maximum number of characters; a runner shortens longer values. */
export const commitTextMax = 300;

/** Facts about a deployment that the API shows; sent as soon as they are known, absent until then. */
export const deployFactsSchema = z.object({
  commitSha: z.string().optional(),
  /** The commit's first line, its author's name, and the branch that was fetched. */
  commitMessage: z.string().max(commitTextMax).optional(),
  commitAuthor: z.string().max(commitTextMax).optional(),
  branch: z.string().optional(),
  imageTag: z.string().optional(),
  /** Digest at its registry of the image that was pulled. Absent: a copy that was already on the host, or no pulled image. */
  imageDigest: imageDigestSchema.optional(),
  containerName: z.string().optional(),
  detectedBuildMethod: z.enum(['dockerfile', 'analyzer']).optional(),
  framework: z.string().optional(),
  suggestedKeys: z.array(suggestedKeySchema).max(suggestedKeysMax).optional(),
  /** Those of the files in source-files.ts that exist in the service root or the repository's root. */
  sourceFiles: z.array(z.string().max(100)).max(sourceFilesMax).optional(),
  /** Bytes of the job's log; known at its end. */
  logBytes: z.number().int().nonnegative().optional(),
});

/** Progress of a data job. `total`: null while unknown. */
export const progressSchema = z.object({
  done: z.number().int().nonnegative().meta(note('What is done so far.', 500)),
  total: z.number().int().nonnegative().nullable().meta(note('The whole; null while unknown.', 1000)),
  unit: z.enum(['bytes', 'rows', 'keys']).describe('What is counted.'),
});

/** Limits of `notKept` and `skipped`. A runner shortens longer ones, so that its report is never refused. */
export const notKeptMax = 50;
export const notKeptCharsMax = 500;

/** A backup that was taken and verified: its single file, with or without copies elsewhere. */
export const archiveFactsSchema = z.object({
  sizeBytes: z.number().int().positive(),
  /** `sha256:<hex>` of the whole file. */
  checksum: z.string().regex(/^sha256:[0-9a-f]{64}$/),
  /** Absolute path on the host; null if the host keeps no copy. */
  localPath: z.string().nullable(),
  remoteKey: z.string().nullable(),
  /** The key with which the file is encrypted. Absent: it is not encrypted. */
  encryptedWith: idSchema('backupKey').optional(),
  /** Contents of the dump, counted in the dump itself. */
  tables: z.number().int().nonnegative(),
  rows: z.number().int().nonnegative(),
  /** Data and settings of the database that the backup does not contain, one sentence each. Absent: nothing is known to be missing. */
  notKept: z.array(z.string().max(notKeptCharsMax)).max(notKeptMax).optional(),
});

/** Facts about a job of any kind. `archive`: the backup that it took, as its own work or as the safety copy before a restore or import. */
export const jobFactsSchema = deployFactsSchema.extend({
  progress: progressSchema.optional(),
  archive: archiveFactsSchema.optional(),
  /** Only for a command that ended by itself. */
  exitCode: z.number().int().optional(),
  /** For an import: parts of the file that the database has refused, one sentence each. Absent: none. */
  skipped: z.array(z.string().max(notKeptCharsMax)).max(notKeptMax).optional(),
});

/** Why a job failed, for programs; `message` is the sentence for people. */
export const failureCodes = [
  'source_failed', // git: unreachable, wrong branch, refused token
  'source_refused', // a URL or path that the security rules refuse
  'source_damaged', // an uploaded folder differs from the announced bytes
  'build_method_missing', // no Dockerfile and nothing else that can be built
  'build_failed',
  'build_out_of_memory', // exceeded the host's memory limit per build
  'image_failed', // pull refused or not found
  'registry_unauthorized', // the registry refuses the stored login, or requires one
  'registry_rate_limited', // the registry's limit of pulls is reached
  'image_gone', // a rollback to an image that the host no longer has
  'start_failed',
  'health_failed',
  'switch_denied', // no permission within 60 s
  'switch_failed',
  'deadline',
  'disk_full',
  'docker_unavailable',
  'runner_restarted',
  'runner_lost', // set by the control plane, never by a runner
  'queue_timeout', // the same
  'move_failed', // the same: the service stays on its old host
  'not_isolated', // the same: other tenants use the host, and it does not isolate them
  'database_down', // the database is not running
  'dump_failed', // the engine's tool failed, or the dump is incomplete
  'upload_failed',
  'backup_damaged', // missing, or different from the written bytes
  'restore_failed', // the data is unchanged
  'import_refused', // because of the source or existing data; the data is unchanged
  'import_failed', // failed while running; the data is unchanged
  'drill_failed', // the backup can't be loaded, or has other row counts than when it was taken
  'upgrade_refused', // the drill with the new image failed; the database was not touched
  'upgrade_failed', // the old version is live, with all its data
  'drill_skipped', // too little space on the host for a second database; says nothing about the backup
  'run_failed', // the command ended with another exit code than 0
  'internal',
] as const;

/** In characters. Tools print the reason of a failure last, and the last 16 KB of their output are quoted. */
export const failureMessageMax = 20_000;

export const jobResultSchema = z.discriminatedUnion('outcome', [
  z.object({ outcome: z.literal('succeeded'), facts: jobFactsSchema }),
  z.object({
    outcome: z.literal('failed'),
    facts: jobFactsSchema,
    code: z.enum(failureCodes),
    // Shortened instead of refused, because a refused report would be sent again and again.
    message: z.string().overwrite((text) => text.slice(0, failureMessageMax).toWellFormed()),
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
