/** The fields of a service that clients can set, with their rules and defaults. */

import { z } from 'zod';
import { idSchema } from '../../../protocol/ids.ts';
import { buildMethods, runtimeModes } from '../../../protocol/job-spec.ts';
import { hostnameSchema } from '../names/hostname.ts';
import { gitBranchSchema, gitUrlSchema, hostedRepositorySchema } from '../sources/git-source.ts';
import { imageReferenceSchema } from '../sources/image-reference.ts';
import { isSshKeyText, publicPartOf } from '../sources/ssh-key.ts';
import { nameOf } from '../values/name.ts';
import { containerFields } from './container-settings.ts';
import { healthFields } from './health-settings.ts';
import { databaseRepoUrl, imageRepoUrl, uploadRepoUrl } from './service-kind.ts';
import { stopFields } from './stop-settings.ts';

const nameMax = 100;
const commandMax = 4096;
const pathMax = 500;
/** Docker refuses less than 6 MB, and no runtime starts with less than 16. */
const memoryMbMin = 16;
const memoryMbMax = 4 * 1024 * 1024;
/** A deployment starts as many new containers beside the old ones. */
const replicasMax = 10;
const sleepMinutesMin = 5;
/** A day. */
const sleepMinutesMax = 1_440;
const cpuMin = 0.01;
const cpuMax = 512;

// biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern looks for them
const controlCharacters = /[\u0000-\u001f\u007f]/;
// biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern looks for them
const controlBesideLines = /[\u0000-\u0008\u000b-\u001f\u007f]/;

/** Names of projects, services, keys and hosts. */
export const nameSchema = nameOf(nameMax);

/** An empty text clears the field, like null. */
const optionalText = (schema: z.ZodType<string>) =>
  z.preprocess((value) => (value === '' ? null : value), schema.nullable());

const command = optionalText(
  z
    .string()
    .max(commandMax, `is too long: at most ${commandMax} characters`)
    .refine((text) => !controlBesideLines.test(text), "can't hold control characters"),
);

/** A path inside the repository; the runner checks it again against the checked-out files. */
const relativePath = optionalText(
  z
    .string()
    .max(pathMax, `is too long: at most ${pathMax} characters`)
    .refine(isRelative, 'must be a path inside the repository: relative, with "/", without ".."'),
);

const healthCheckPath = optionalText(
  z
    .string()
    .max(pathMax, `is too long: at most ${pathMax} characters`)
    .regex(/^\/[\x21-\x7e]*$/, 'must be a path that starts with "/", without spaces'),
);

/** An access token for https, or a private key for ssh. */
const gitToken = z
  .string()
  .refine(
    (text) => (isSshKeyText(text) ? publicPartOf(text) !== undefined : /^[\x21-\x7e]{1,1000}$/.test(text)),
    'must be 1 to 1000 printable characters without spaces, or an SSH private key in OpenSSH format without a passphrase (ssh-keygen -t ed25519 -N "")',
  )
  .nullable();

/** domain/engine-settings decides which names and values an engine accepts. */
const engineSettings = z
  .record(
    z.string().max(nameMax, `is too long: at most ${nameMax} characters`),
    z.union([z.string().max(pathMax), z.number(), z.null()], {
      error: `must be a text of at most ${pathMax} characters, a number, or null, which removes the setting`,
    }),
  )
  .nullable();

/** Every field that a create body or a PATCH can set. */
const settableServiceFields = {
  name: nameSchema,
  repoFullName: z
    .union([hostedRepositorySchema, z.string().regex(/^(image|database):/)], {
      error: 'must be "<owner>/<repo>" or null',
    })
    .nullable(),
  repoUrl: z.union(
    [z.literal(imageRepoUrl), z.literal(databaseRepoUrl), z.literal(uploadRepoUrl), gitUrlSchema],
    {
      error: ({ input }) =>
        input === null
          ? `can't be null: leave it out if "repoFullName" names the repository, otherwise give a Git URL, "${imageRepoUrl}", "${databaseRepoUrl}" or "${uploadRepoUrl}"`
          : `must be an https, ssh or http Git URL without user, query and fragment, "${imageRepoUrl}", "${databaseRepoUrl}" or "${uploadRepoUrl}"`,
    },
  ),
  imageRef: imageReferenceSchema.nullable(),
  branch: gitBranchSchema,
  rootDir: relativePath,
  installCommand: command,
  buildCommand: command,
  startCommand: command,
  staticOutput: relativePath,
  buildMethod: z.enum(buildMethods),
  dockerfilePath: relativePath,
  runtimeMode: z.enum(runtimeModes),
  internalPort: z.int().min(1, 'must be a port from 1 to 65535').max(65535, 'must be a port from 1 to 65535'),
  databasePublicEnabled: z.boolean(),
  databasePublicHostname: hostnameSchema.nullable(),
  postgresLogicalReplicationEnabled: z.boolean(),
  engineSettings,
  gitToken,
  runnerId: idSchema('runner'),
  healthCheckPath,
  ...healthFields,
  ...stopFields,
  ...containerFields,
  replicas: z.int().min(1, 'must be at least 1').max(replicasMax, `must be at most ${replicasMax}`),
  sleepAfterMinutes: z
    .int()
    .min(sleepMinutesMin, `must be at least ${sleepMinutesMin} minutes`)
    .max(sleepMinutesMax, `must be at most ${sleepMinutesMax} minutes, a day`)
    .nullable(),
  memoryLimitMb: z
    .int()
    .min(memoryMbMin, `must be at least ${memoryMbMin} megabytes`)
    .max(memoryMbMax, `must be at most ${memoryMbMax} megabytes`)
    .nullable(),
  cpuLimit: z
    .number()
    .min(cpuMin, `must be at least ${cpuMin} of a processor`)
    .max(cpuMax, `must be at most ${cpuMax} processors`)
    .nullable(),
  protected: z.boolean(),
} as const;

/** Body of a PATCH: absent keeps a field, null clears it. */
export const servicePatchSchema = z.strictObject(settableServiceFields).partial();
export type ServicePatch = z.infer<typeof servicePatchSchema>;

/** Defaults of a create body. */
const serviceDefaults = {
  branch: 'main',
  rootDir: null,
  installCommand: null,
  buildCommand: null,
  startCommand: null,
  staticOutput: null,
  buildMethod: 'auto',
  dockerfilePath: null,
  runtimeMode: 'web',
  internalPort: 8080,
  databasePublicEnabled: false,
  databasePublicHostname: null,
  postgresLogicalReplicationEnabled: false,
  healthCheckPath: null,
  replicas: 1,
  sleepAfterMinutes: null,
  memoryLimitMb: null,
  cpuLimit: null,
  protected: false,
} as const;

/** The independent fields of a create body, with defaults filled in. @param defaultPort for a body without internalPort */
export function withDefaults(body: ServicePatch, defaultPort: number = serviceDefaults.internalPort) {
  const none = serviceDefaults;
  return {
    branch: body.branch ?? none.branch,
    rootDir: body.rootDir ?? none.rootDir,
    installCommand: body.installCommand ?? none.installCommand,
    buildCommand: body.buildCommand ?? none.buildCommand,
    startCommand: body.startCommand ?? none.startCommand,
    staticOutput: body.staticOutput ?? none.staticOutput,
    buildMethod: body.buildMethod ?? none.buildMethod,
    dockerfilePath: body.dockerfilePath ?? none.dockerfilePath,
    runtimeMode: body.runtimeMode ?? none.runtimeMode,
    internalPort: body.internalPort ?? defaultPort,
    databasePublicEnabled: body.databasePublicEnabled ?? none.databasePublicEnabled,
    databasePublicHostname: body.databasePublicHostname ?? none.databasePublicHostname,
    postgresLogicalReplicationEnabled:
      body.postgresLogicalReplicationEnabled ?? none.postgresLogicalReplicationEnabled,
    healthCheckPath: body.healthCheckPath ?? none.healthCheckPath,
    replicas: body.replicas ?? none.replicas,
    sleepAfterMinutes: body.sleepAfterMinutes ?? none.sleepAfterMinutes,
    memoryLimitMb: body.memoryLimitMb ?? none.memoryLimitMb,
    cpuLimit: body.cpuLimit ?? none.cpuLimit,
    protected: body.protected ?? none.protected,
  };
}

function isRelative(path: string): boolean {
  return (
    !controlCharacters.test(path) &&
    !path.includes('\\') &&
    !path.startsWith('/') &&
    !path.split('/').includes('..')
  );
}
