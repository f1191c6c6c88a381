/** What a runner says of a job: phases on the way and one result at the end. */
import { z } from 'zod';

/** Phases of a deployment, in order. `switch` is the commit point: from the granted permission on it can't be aborted. */
export const deployPhases = ['clone', 'build', 'start', 'health', 'switch', 'finish'] as const;

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
  'internal',
] as const;

export const jobResultSchema = z.discriminatedUnion('outcome', [
  z.object({ outcome: z.literal('succeeded'), facts: deployFactsSchema }),
  z.object({
    outcome: z.literal('failed'),
    facts: deployFactsSchema,
    code: z.enum(failureCodes),
    message: z.string(),
  }),
  z.object({ outcome: z.literal('aborted'), facts: deployFactsSchema }),
]);

export const jobEventSchema = z.discriminatedUnion('type', [
  z.object({ type: z.literal('phase'), phase: z.enum(deployPhases), facts: deployFactsSchema }),
  z.object({ type: z.literal('result'), result: jobResultSchema }),
]);

export type DeployPhase = (typeof deployPhases)[number];
export type SuggestedKey = z.infer<typeof suggestedKeySchema>;
export type DeployFacts = z.infer<typeof deployFactsSchema>;
export type FailureCode = (typeof failureCodes)[number];
export type JobResult = z.infer<typeof jobResultSchema>;
export type JobEvent = z.infer<typeof jobEventSchema>;
