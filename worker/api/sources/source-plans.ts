/** Plans of sources: what would be built, before there is a service. */
import { z } from 'zod';
import { engineNames } from '../../../protocol/database.ts';
import { note } from '../../../protocol/note.ts';
import {
  builtBySchema,
  type PlannedSource,
  planFailures,
  variablePlaces,
} from '../../../protocol/sources/source-plan.ts';
import { ApiError } from '../../domain/errors.ts';
import { settingsOf } from '../../domain/instance/settings.ts';
import { databaseOffers, portOf } from '../../domain/projects/planned-service.ts';
import { projectServicesOf } from '../../domain/projects/project-services.ts';
import { servicePatchSchema } from '../../domain/services/settings/service-settings.ts';
import { gitUrlSchema } from '../../domain/sources/git-source.ts';
import { nameOfSource, readSourceAddress, type SourceAddress } from '../../domain/sources/source-address.ts';
import { exampleId, notes } from '../../domain/values/field-notes.ts';
import { referenceTo } from '../../domain/values/value-parts.ts';
import { parameter } from '../../http/loaders/loader.ts';
import { projectResource } from '../../http/loaders/service-loaders.ts';
import { type AnyRoute, defineRoute } from '../../http/route.ts';
import { scopedProjectId } from '../../store/sql/scoped-store.ts';
import { suggestionStatements } from '../../usecases/services/read-suggestions.ts';
import { readSource } from '../../usecases/sources/read-source.ts';

const { branch, rootDir, gitToken, runnerId } = servicePatchSchema.shape;
const sourceMax = 2_048;
/** The whole body has at most 256 KB. */
const pathsMax = 20_000;
const textsMax = 300;

const exampleReference = referenceTo('db', 'DATABASE_URL');

const isInside = (path: string) =>
  !path.startsWith('/') &&
  !path.includes('\\') &&
  !path.split('/').some((part) => part === '' || part === '..' || part === '.');
const path = z
  .string()
  .min(1, 'must not be empty')
  .max(1_000, 'is too long: at most 1000 characters')
  .refine(isInside, 'must be a path inside the folder, with "/", such as "src/index.js"');

const bodySchema = z
  .strictObject({
    source: z
      .string()
      .max(sourceMax, `is too long: at most ${sourceMax} characters`)
      .optional()
      .meta(
        note(
          'Address of a repository in any form (`https://`, ssh, `owner/repo` at GitHub, the page of a branch or folder), or an image.',
          'github.com/acme/shop/tree/main/apps/web',
        ),
      ),
    files: z
      .strictObject({
        paths: z
          .array(path)
          .max(pathsMax, `are too many: at most ${pathsMax}`)
          .describe('Paths of the files that would be sent.')
          .meta({ examples: [['package.json', 'src/index.js']] }),
        texts: z
          .array(
            z.strictObject({
              path: path.meta(note('Path of the file.', 'package.json')),
              text: z.string().describe('Its text.'),
            }),
          )
          .max(textsMax, `are too many: at most ${textsMax}`)
          .describe('Texts of manifests, example files and code. The whole body may have 256 KB.'),
      })
      .optional()
      .describe('A folder instead of `source`. Nothing of it is stored.'),
    branch: branch.describe('Branch; absent: that of the address, or else the default one.'),
    rootDir: rootDir.describe('Folder of the service; absent or null: that of the address, or else the top.'),
    gitToken: gitToken.describe('Token or key for this repository alone; used only for this request.'),
    runnerId: runnerId.describe('Host that reads; absent: the one that a new service would get.'),
  })
  .refine(
    (body) => (body.source === undefined) !== (body.files === undefined),
    'needs either "source" or "files"',
  );

const referenceSchema = z.strictObject({
  serviceId: z.string().meta(note('The database.', exampleId('service'))),
  name: z.string().meta(notes.name),
  value: z.string().meta(note('The value to set.', exampleReference)),
});

const planSchema = z.strictObject({
  name: z.string().meta(note('A name for the service.', 'shop')),
  repoUrl: z.string().nullable().describe('The field `repoUrl` of the service; null: a folder.'),
  imageRef: z.string().nullable().describe('The field `imageRef` of the service; null: not an image.'),
  branch: z.string().nullable().describe('The branch that was read; null: not a repository.'),
  branches: z
    .array(z.string())
    .describe('Branches, the default one first; not all of a large repository.')
    .meta({ examples: [['main']] }),
  rootDir: z.string().nullable().describe('The folder that was read; null: the top.'),
  commitSha: z.string().nullable().describe('The commit that was read; null: not a repository.'),
  commitMessage: z.string().nullable().describe('First line of its message; null: not a repository.'),
  imageDigest: z
    .string()
    .nullable()
    .describe('Digest of the image; null: not an image, or a copy on the host was read.'),
  builtBy: builtBySchema.describe('What makes the image of a version.'),
  dockerfilePath: z.string().nullable().describe('The Dockerfile; null: none is used.'),
  language: z
    .string()
    .nullable()
    .meta(note('Language or tool, as the analyzer names it; null: not known.', 'node')),
  framework: z.string().nullable().meta(note('Framework; null: none was found.', 'nextjs')),
  installCommand: z.string().nullable().meta(note('Fetches dependencies; null: not known.', 'npm ci')),
  buildCommand: z.string().nullable().meta(note('Builds; null: nothing, or not known.', 'npm run build')),
  startCommand: z
    .string()
    .nullable()
    .meta(note('Starts the app; null: nothing runs, or not known.', 'npm start')),
  releaseCommand: z.string().nullable().describe('Runs once before a version serves; null: none.'),
  staticOutput: z.string().nullable().describe('Directory that the host serves; null: a program runs.'),
  kind: z
    .enum(['web', 'worker', 'static'])
    .describe('`web` answers requests, `worker` gets none, `static` is only files.'),
  kindReason: z.string().nullable().describe('Why it is of this kind; null: nothing speaks for another.'),
  port: z.number().nullable().meta(note('The field `internalPort`; null: none is needed.', 3000)),
  portReason: z.string().describe('Where the port is from, as a sentence.'),
  notes: z.array(z.string()).describe('What was found and decided.'),
  variables: z
    .array(
      z.strictObject({
        key: z.string().meta(notes.key),
        label: z.string().describe('The comment of the example file; empty: none.'),
        places: z
          .array(z.string())
          .describe('Where it is read or named.')
          .meta({ examples: [['src/db.ts:12']] }),
        example: z
          .string()
          .nullable()
          .describe('Value of the example file; null: none, or it may be a secret.'),
        of: z.enum(variablePlaces).describe('What names it.'),
      }),
    )
    .describe('Variables that the source reads or names.'),
  databases: z
    .array(
      z.strictObject({
        engine: z.enum(engineNames).meta(notes.engine),
        title: z.string().meta(note('Name of the engine.', 'PostgreSQL')),
        why: z.string().meta(note('The sign.', 'pg in package.json')),
        key: z.string().meta(note('The variable for its address.', 'DATABASE_URL')),
        existing: z.array(referenceSchema).describe('Databases of the project that fit.'),
        create: z
          .strictObject({
            name: z.string().meta(note('A name for it.', 'db')),
            repoFullName: z
              .string()
              .meta(note('The field `repoFullName` of the database.', 'database:postgres')),
            value: z
              .string()
              .meta(note('The value to set if the name is still free then.', exampleReference)),
          })
          .describe('A new one.'),
      }),
    )
    .describe('Databases that the source wants.'),
  volumes: z.array(z.string()).describe('Paths that the image or Dockerfile declares as data.'),
  user: z.string().nullable().describe('User of the image; null: none is named.'),
  folders: z
    .array(
      z.strictObject({
        path: z.string().meta(note('For the field `rootDir`.', 'apps/web')),
        what: z.string().meta(note('Framework, language or `Dockerfile`.', 'nextjs')),
      }),
    )
    .describe('Folders of the repository that can be services of their own.'),
  warnings: z.array(z.string()).describe('What will surprise, each with a way out.'),
  obstacle: z
    .string()
    .nullable()
    .describe('Why it can not be built as it is; null: nothing speaks against it.'),
});

const plan = defineRoute({
  method: 'POST',
  path: '/api/projects/:projectId/source-plans',
  access: 'write',
  summary:
    'Read a repository, an image or a list of files, and say what would be built and what it needs. Nothing is created or stored.',
  resource: projectResource,
  body: bodySchema,
  reads: (db, { tokenId, params }) =>
    suggestionStatements(db, scopedProjectId(db, tokenId, parameter(params, 'projectId'))),
  reply: z.strictObject({
    plan: planSchema.nullable().describe('The plan; null: the source could not be read.'),
    problem: z
      .strictObject({
        reason: z.enum(planFailures).describe('`login`: it is private or does not exist.'),
        message: z.string().describe('What is wrong and what to do, as a sentence.'),
      })
      .nullable()
      .describe('Why there is no plan; null: there is one.'),
  }),
  async handle({ deps, resource: { project }, body, read }) {
    const address = body.source === undefined ? undefined : addressOf(body.source);
    const source = plannedSource(body, address);
    const wanted = { gitToken: body.gitToken ?? null, runnerId: body.runnerId };
    const { plan: found, problem } = await readSource(deps, project, source, wanted);
    if (!found) return { plan: null, problem };
    const services = projectServicesOf(read.serviceRows, settingsOf(read.settings));
    const { digest, databases, ...rest } = found;
    const repoUrl = address?.kind === 'repository' ? address.repoUrl : null;
    const imageRef = address?.kind === 'image' ? address.imageRef : null;
    return {
      plan: {
        ...rest,
        ...portOf(found),
        name: nameOfSource(found.rootDir ?? repoUrl ?? imageRef ?? 'app'),
        ...{ repoUrl, imageRef, imageDigest: digest },
        databases: databaseOffers(databases, services),
      },
      problem: null,
    };
  },
});

export const sourcePlanRoutes: AnyRoute[] = [plan];

/** @throws ApiError `invalid_request` */
function addressOf(text: string): SourceAddress {
  const address = readSourceAddress(text);
  const isUsable = address?.kind !== 'repository' || gitUrlSchema.safeParse(address.repoUrl).success;
  if (address && isUsable) return address;
  throw new ApiError(
    'invalid_request',
    'The field "source" must be the address of a repository, such as "https://github.com/acme/shop" or "git@git.example.com:acme/shop.git", or an image, such as "nginx:1.29". An access token belongs in "gitToken".',
  );
}

function plannedSource(
  { files, branch: wantedBranch, rootDir: wantedRoot }: z.infer<typeof bodySchema>,
  address: SourceAddress | undefined,
): PlannedSource {
  const root = wantedRoot ?? null;
  if (files) {
    const texts = Object.fromEntries(files.texts.map(({ path: name, text }) => [name, text]));
    return { type: 'folder', paths: files.paths, texts, rootDir: root };
  }
  if (address?.kind === 'image') return { type: 'image', imageRef: address.imageRef };
  const { repoUrl = '', treePath } = address ?? {};
  const tree = wantedBranch === undefined && treePath !== undefined ? { treePath } : {};
  return { type: 'git', url: repoUrl, branch: wantedBranch ?? null, rootDir: root, ...tree };
}
