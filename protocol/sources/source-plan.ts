/** What a host reads from a source before there is a service: how it would be built, and what it needs. */
import { z } from 'zod';
import { gitCredentialSchema, registryLoginSchema } from '../credentials.ts';
import { engineNames } from '../database.ts';
import { variableName } from '../env-text.ts';
import { imageDigestSchema } from '../image-digest.ts';

/** Bounds of an answer; what is beyond them is left out. */
export const planLimits = {
  notes: 20,
  variables: 100,
  places: 3,
  folders: 24,
  branches: 200,
  volumes: 20,
  warnings: 10,
  databases: 12,
  textChars: 600,
  nameChars: 300,
} as const;

/** The source of a plan. */
export const plannedSourceSchema = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('git'),
    url: z.string(),
    /** null: the default branch of the repository. */
    branch: z.string().nullable(),
    rootDir: z.string().nullable(),
    /** Branch and directory as in the address of a page, `feature/login/apps/web`: only the list of branches tells where the directory begins. */
    treePath: z.string().optional(),
  }),
  z.object({ type: z.literal('image'), imageRef: z.string() }),
  /** A folder that was not sent: the paths of its files, and the texts of the few that a plan is made from. */
  z.object({
    type: z.literal('folder'),
    paths: z.array(z.string()),
    texts: z.record(z.string(), z.string()),
    rootDir: z.string().nullable(),
  }),
]);
export type PlannedSource = z.infer<typeof plannedSourceSchema>;

/** The sealed part of a request for a plan. */
export const planSecretsSchema = z.object({
  gitToken: z.string().nullable(),
  gitCredential: gitCredentialSchema.optional(),
  registries: z.array(registryLoginSchema),
});
export type PlanSecrets = z.infer<typeof planSecretsSchema>;

const text = z.string().max(planLimits.textChars);
const name = z.string().max(planLimits.nameChars);

/** What reads a variable, or names it. */
export const variablePlaces = ['example', 'code', 'dockerfile', 'image'] as const;

export const plannedVariableSchema = z.object({
  key: z.string().regex(variableName).max(100),
  /** The comment of the example file; empty if there is none. */
  label: z.string().max(400),
  /** `.env.example`, `src/db.ts:12`. */
  places: z.array(name).max(planLimits.places),
  /** The value of the example file, if it can't be a secret. */
  example: z.string().max(100).nullable(),
  of: z.enum(variablePlaces),
});
export type PlannedVariable = z.infer<typeof plannedVariableSchema>;

export const wantedDatabaseSchema = z.object({
  engine: z.enum(engineNames),
  /** The sign: `pg in package.json`. */
  why: text,
  /** The variable in which the source expects its address; null: it names none. */
  key: z.string().regex(variableName).max(100).nullable(),
});
export type WantedDatabase = z.infer<typeof wantedDatabaseSchema>;

export const builtBySchema = z.enum(['dockerfile', 'analyzer', 'image']);

export const sourcePlanSchema = z.object({
  builtBy: builtBySchema,
  /** Absent parts are not known, or decided by the Dockerfile or the image. */
  dockerfilePath: name.nullable(),
  /** `node`, `python`; null for a Dockerfile or an image. */
  language: name.nullable(),
  framework: name.nullable(),
  installCommand: text.nullable(),
  buildCommand: text.nullable(),
  startCommand: text.nullable(),
  releaseCommand: text.nullable(),
  /** Directory of a static site; null: a program runs. */
  staticOutput: name.nullable(),
  kind: z.enum(['web', 'worker', 'static']),
  kindReason: text.nullable(),
  /** The port on which the app listens; null: not known, so that of new services. */
  port: z.number().int().min(1).max(65_535).nullable(),
  portReason: text.nullable(),
  notes: z.array(text).max(planLimits.notes),
  variables: z.array(plannedVariableSchema).max(planLimits.variables),
  databases: z.array(wantedDatabaseSchema).max(planLimits.databases),
  /** Paths in the container that the source declares to hold data. */
  volumes: z.array(name).max(planLimits.volumes),
  warnings: z.array(text).max(planLimits.warnings),
  /** Why it can't be built as it is, with the way out; null: nothing speaks against it. */
  obstacle: text.nullable(),
  /** Directories that can be services of their own. */
  folders: z.array(z.object({ path: name, what: name })).max(planLimits.folders),
  /** The repository: empty or null for a folder or an image. */
  branch: name.nullable(),
  rootDir: z.string().max(1_000).nullable(),
  branches: z.array(name).max(planLimits.branches),
  commitSha: name.nullable(),
  commitMessage: z.string().max(planLimits.nameChars).nullable(),
  digest: imageDigestSchema.nullable(),
  /** The user of the image or Dockerfile; null: none is named, so root. */
  user: name.nullable(),
});
export type SourcePlan = z.infer<typeof sourcePlanSchema>;

/** `login`: the source is private or does not exist, and a login would tell. */
export const planFailures = ['login', 'branch', 'empty', 'directory', 'unreadable', 'busy'] as const;

/** A host's answer to `read-source`. */
export const sourcePlanAnswerSchema = z.discriminatedUnion('found', [
  z.object({ found: z.literal('plan'), plan: sourcePlanSchema }),
  z.object({ found: z.literal('failure'), reason: z.enum(planFailures), message: z.string().max(2_000) }),
]);
export type SourcePlanAnswer = z.infer<typeof sourcePlanAnswerSchema>;
