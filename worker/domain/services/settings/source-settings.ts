/** Settings of a service's source: its repository or image, and its build. */
import { z } from 'zod';
import { buildMethods, runtimeModes } from '../../../../protocol/job-spec.ts';
import { gitBranchSchema, gitUrlSchema, hostedRepositorySchema } from '../../sources/git-source.ts';
import { imageReferenceSchema } from '../../sources/image-reference.ts';
import { patternSyntax } from '../../sources/path-patterns.ts';
import { isSshKeyText, publicPartOf } from '../../sources/ssh-key.ts';
import { nameSchema } from '../../values/name.ts';
import { updateWindowOf, windowRule } from '../../values/update-window.ts';
import { databaseRepoUrl, imageRepoUrl, uploadRepoUrl } from '../service-kind.ts';
import {
  apps,
  built,
  choice,
  onOff,
  optionalText,
  optionalWords,
  orNull,
  relativePath,
  type Setting,
  text,
} from './setting.ts';

const commandMax = 4096;

// biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern looks for them
const controlBesideLines = /[\u0000-\u0008\u000b-\u001f\u007f]/;

const command = orNull(
  z
    .string()
    .max(commandMax, `is too long: at most ${commandMax} characters`)
    .refine((line) => !controlBesideLines.test(line), "can't hold control characters"),
);

/** An access token for https, or a private key for ssh. */
const gitToken = z
  .string()
  .refine(
    (line) => (isSshKeyText(line) ? publicPartOf(line) !== undefined : /^[\x21-\x7e]{1,1000}$/.test(line)),
    'must be 1 to 1000 printable characters without spaces, or an SSH private key in OpenSSH format without a passphrase (ssh-keygen -t ed25519 -N "")',
  )
  .nullable();

const repoFullName = z
  .union([hostedRepositorySchema, z.string().regex(/^(image|database):/)], {
    error: 'must be "<owner>/<repo>" or null',
  })
  .nullable();

const repoUrl = z.union(
  [z.literal(imageRepoUrl), z.literal(databaseRepoUrl), z.literal(uploadRepoUrl), gitUrlSchema],
  {
    error: ({ input }) =>
      input === null
        ? `can't be null: leave it out if "repoFullName" names the repository, otherwise give a Git URL, "${imageRepoUrl}", "${databaseRepoUrl}" or "${uploadRepoUrl}"`
        : `must be an https, ssh or http Git URL without user, query and fragment, "${imageRepoUrl}", "${databaseRepoUrl}" or "${uploadRepoUrl}"`,
  },
);

const ofSource = { appliedBy: 'deployment', stored: 'code' } as const;
const ofFiles = { appliedBy: 'deployment', stored: 'column', group: 'Build', kinds: built } as const;
const ofBuild = { ...ofFiles, spec: 'build' } as const;
const general = { appliedBy: 'nothing', stored: 'column', group: 'General' } as const;
const notBuilt = 'is only for services that are built from a Dockerfile.';
const stageName = orNull(
  z
    .string()
    .regex(
      /^(?:[A-Za-z][A-Za-z0-9_.-]{0,99}|\d{1,3})$/,
      'must be the name of a stage, such as "production", or its number',
    ),
);
const ofFramework = {
  ...ofBuild,
  ...optionalText(command),
  note: 'Command instead of the detected one; not used with a Dockerfile.',
} as const;

export const generalSettings = {
  name: {
    ...text(nameSchema),
    ...general,
    ...{ label: 'Name', example: 'web' },
    note: 'Name, for people. It can be changed.',
  },
  protected: {
    ...onOff(),
    ...general,
    ...{ label: 'Protected from deletion', example: false },
    note: 'Whether it, its project and its backups are kept from deletion.',
    help: 'Ending it needs a key of the level “destroy”.',
  },
} as const satisfies Record<string, Setting>;

export const sourceSettings = {
  repoFullName: {
    ...ofSource,
    ...optionalText(repoFullName),
    note: '`<owner>/<repo>`, `image:<reference>` or `database:<engine>`: postgres, timescale, mysql, redis, mongodb, clickhouse.',
    example: 'database:postgres',
  },
  repoUrl: {
    ...ofSource,
    ...text(repoUrl),
    note: 'Git URL, or `container-image`, `database` or `upload`.',
    example: 'https://github.com/owner/repo.git',
  },
  branch: {
    ...text(gitBranchSchema),
    ...ofFiles,
    kinds: ['git'],
    default: 'main',
    ...{ label: 'Branch', example: 'main' },
    note: 'Branch that is deployed.',
  },
  imageRef: {
    ...ofSource,
    ...optionalText(imageReferenceSchema.nullable()),
    kinds: ['image'],
    group: 'Build',
    ...{ label: 'Image', example: 'nginx:1.29' },
    note: 'Reference of a container image; of a database, the image instead of the default one.',
    help: 'Such as ghcr.io/owner/app:1.2.',
    isRequired: true,
  },
  gitToken: {
    control: 'text',
    schema: gitToken,
    ...ofSource,
    note: 'Access token or SSH private key for the repository. Stored encrypted, never returned.',
    example: 'github_pat_...',
  },
  rootDir: {
    ...optionalText(relativePath),
    ...ofFiles,
    ...{ label: 'Directory', example: 'apps/web' },
    note: 'Directory of the service in its repository; null: the root.',
  },
  runtimeMode: {
    ...choice(runtimeModes),
    ...ofFiles,
    kinds: apps,
    default: 'web',
    spec: 'version',
    ...{ label: 'Kind', example: 'web' },
    note: '`web` answers HTTP, `worker` has no port, `static` serves files.',
  },
  buildMethod: {
    ...ofBuild,
    ...choice(buildMethods),
    default: 'auto',
    ...{ label: 'Build with', example: 'auto' },
    note: '`auto` uses a Dockerfile if there is one, else the analyzer.',
  },
  dockerfilePath: {
    ...ofBuild,
    ...optionalText(relativePath),
    ...{ label: 'Dockerfile', example: 'docker/Dockerfile' },
    note: 'Path of the Dockerfile in the directory of the service; null: `Dockerfile`.',
  },
  buildTarget: {
    ...ofBuild,
    stored: 'buildSettings',
    ...optionalText(stageName),
    refusals: { image: notBuilt, database: notBuilt },
    ...{ label: 'Target stage', example: 'production' },
    note: 'Stage of the Dockerfile that is built, by its name or number; null: the last one.',
  },
  releaseCommand: {
    ...ofBuild,
    kinds: apps,
    stored: 'buildSettings',
    ...optionalText(command),
    refusals: { database: 'is only for apps: a database runs no release command.' },
    ...{ label: 'Release command', example: 'npm run migrate' },
    note: "Runs once in the new image, before a new version starts; its failure keeps the old version. Null: the Procfile's `release`.",
  },
  installCommand: { ...ofFramework, label: 'Install command', example: 'npm ci' },
  buildCommand: { ...ofFramework, label: 'Build command', example: 'npm run build' },
  startCommand: { ...ofFramework, label: 'Start command', example: 'node server.js' },
  staticOutput: {
    ...ofBuild,
    ...optionalText(relativePath),
    ...{ label: 'Output directory', example: 'dist' },
    note: 'Directory whose files are served after the build, for a static site.',
  },
} as const satisfies Record<string, Setting>;

const patternsMax = 50;
const watchPaths = z
  .array(
    z
      .string()
      .max(200, 'is too long: at most 200 characters')
      .regex(
        patternSyntax,
        'must be a pattern such as "apps/web/", "*.ts" or "!docs/", without "[", "]" and "\\"',
      ),
  )
  .min(1, 'must have at least one pattern, or be null to deploy each push')
  .max(patternsMax, `is too long: at most ${patternsMax} patterns`)
  .nullable();

/** Which pushes, or which new digests of an image, deploy a service, and when. */
export interface PushSettings {
  watchPaths?: string[];
  waitForChecks?: boolean;
  imageUpdates?: string;
}

const imageUpdates = orNull(
  z
    .string()
    .max(120, 'is too long: at most 120 characters')
    .refine((text) => updateWindowOf(text) !== undefined, windowRule),
);

const noImage = 'is only for services of a container image: a push or an upload deploys this service.';
const notPushed = 'is only for git repositories: no push deploys this service.';
const ofPushes = {
  appliedBy: 'nothing',
  stored: 'pushSettings',
  kinds: ['git'],
  group: 'Build',
  refusals: { upload: notPushed, image: notPushed, database: notPushed },
} as const;

export const pushSettings = {
  watchPaths: {
    ...optionalWords(watchPaths),
    ...ofPushes,
    ...{ label: 'Watch paths', example: ['apps/web/', 'packages/**', '!*.md'] },
    note: 'Patterns as in .gitignore, from the root of the repository: a push that changes no file they match deploys nothing; null: each push deploys.',
  },
  waitForChecks: {
    ...onOff(),
    answer: z.boolean().nullable(),
    ...ofPushes,
    ...{ label: 'Wait for checks', example: true },
    note: 'Whether a push deploys only when the checks of its commit are green at the git host. Null for other sources than a repository.',
  },
  imageUpdates: {
    ...optionalText(imageUpdates),
    ...{ appliedBy: 'nothing', stored: 'pushSettings', kinds: ['image'], group: 'Build' },
    refusals: {
      git: noImage,
      upload: noImage,
      database:
        'is not for databases: POST /api/services/:serviceId/database/upgrade moves a database to another image, with a backup and an undo.',
    },
    ...{ label: 'Deploy new digests', example: 'sun 03:00-05:00 Europe/Berlin' },
    note: 'When a new digest of the tag deploys by itself: `always`, or days, times and a time zone; null: never.',
  },
} as const satisfies Record<string, Setting>;
