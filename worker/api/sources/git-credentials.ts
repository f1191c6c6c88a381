/** Credentials of git hosts: list, create, change, delete. */

import { z } from 'zod';
import { note } from '../../../protocol/note.ts';
import { statusApis } from '../../domain/sources/commit-status/status-apis.ts';
import {
  gitCredentialPatchSchema,
  hostMeta,
  newGitCredentialSchema,
  projectMeta,
} from '../../domain/sources/git-credentials.ts';
import { exampleId, idOf, notes } from '../../domain/values/field-notes.ts';
import { serviceResource } from '../../http/loaders/service-loaders.ts';
import { gitCredentialResource } from '../../http/loaders/tenant-loaders.ts';
import { nextCursor, pageOf, pageQuery } from '../../http/paging.ts';
import { type AnyRoute, defineRoute, keyOf } from '../../http/route.ts';
import { timestamp, timestampSchema } from '../../http/timestamps.ts';
import {
  deleteGitCredential,
  findGitCredential,
  type GitCredentialRow,
  listGitCredentials,
} from '../../store/sources/git-credential-store.ts';
import { makeDeployKey, readDeployKey } from '../../usecases/services/deploy-key.ts';
import {
  changeGitCredential,
  createGitCredential,
  ofGitHubApp,
} from '../../usecases/sources/git-credentials.ts';

const gitCredentialSchema = z.strictObject({
  id: idOf('gitCredential'),
  host: z.string().meta(hostMeta),
  username: z.string().meta(notes.username),
  projectId: z.string().nullable().meta(projectMeta),
  commitStatus: z
    .enum(statusApis)
    .nullable()
    .describe('API by which the git host gets the state of deployments.'),
  commitStatusFailure: z
    .string()
    .nullable()
    .describe('Why the git host did not take the last status; null: it did, or there was none.'),
  githubAppId: z
    .string()
    .nullable()
    .meta(note('The GitHub App that makes its tokens; null: its token is stored.', exampleId('gitHubApp'))),
  createdAt: timestampSchema.meta(notes.createdAt),
  updatedAt: timestampSchema.meta(notes.updatedAt),
});
const gitCredentialReply = z.strictObject({ gitCredential: gitCredentialSchema });

const list = defineRoute({
  method: 'GET',
  path: '/api/git-credentials',
  access: 'read',
  onlyAllProjects: true,
  summary: 'List the git hosts for which a credential is stored. Tokens are never shown.',
  query: pageQuery(500),
  reply: z.strictObject({
    gitCredentials: z
      .array(gitCredentialSchema)
      .describe('The git hosts with a credential, in the order of their names.'),
    ...nextCursor,
  }),
  async handle({ deps, principal, query }) {
    const found = await listGitCredentials(deps.db, keyOf(principal).tenantId, query);
    const { rows, next } = pageOf(found, query, ({ host, id }) => ({ at: host, id }));
    return { gitCredentials: rows.map(presentGitCredential), ...next };
  },
});

const create = defineRoute({
  method: 'POST',
  path: '/api/git-credentials',
  access: 'write',
  onlyAllProjects: true,
  summary:
    'Store a credential of a git host: services without a git token of their own use it for repositories there by https.',
  body: newGitCredentialSchema,
  projectIn: ({ projectId }) => projectId,
  creates: {
    kind: 'gitCredential',
    async find({ deps }, id) {
      const row = await findGitCredential(deps.db, id);
      return row && { gitCredential: presentGitCredential(row) };
    },
  },
  reply: gitCredentialReply,
  async handle({ deps, principal, body }) {
    const row = await createGitCredential(deps, keyOf(principal).tenantId, body);
    return { gitCredential: presentGitCredential(row) };
  },
});

const change = defineRoute({
  method: 'PATCH',
  path: '/api/git-credentials/:gitCredentialId',
  access: 'write',
  summary: 'Change the credential of a git host. Omitted fields keep their values.',
  resource: gitCredentialResource,
  body: gitCredentialPatchSchema,
  reply: gitCredentialReply,
  async handle({ deps, resource, body }) {
    const row = await changeGitCredential(deps, resource.gitCredential, body);
    return { gitCredential: presentGitCredential(row) };
  },
});

const remove = defineRoute({
  method: 'DELETE',
  path: '/api/git-credentials/:gitCredentialId',
  access: 'write',
  summary: 'Delete the credential of a git host. Running versions, restarts and rollbacks do not need it.',
  resource: gitCredentialResource,
  reply: z.strictObject({ ok: z.literal(true).meta(notes.ok) }),
  async handle({ deps, resource }) {
    const { id, gitHubAppId } = resource.gitCredential;
    if (gitHubAppId !== null) throw ofGitHubApp(gitHubAppId);
    await deleteGitCredential(deps.db, id);
    return { ok: true as const };
  },
});

export const gitCredentialRoutes: AnyRoute[] = [list, create, change, remove];

const presentGitCredential = ({
  id,
  host,
  username,
  projectId,
  commitStatus,
  commitStatusFailure,
  gitHubAppId,
  createdAt,
  updatedAt,
}: GitCredentialRow): z.infer<typeof gitCredentialSchema> => ({
  ...{ id, host, username, projectId, commitStatus, commitStatusFailure, githubAppId: gitHubAppId },
  createdAt: timestamp(createdAt),
  updatedAt: timestamp(updatedAt),
});

const path = '/api/services/:serviceId/deploy-key';
const deployKeySchema = z.strictObject({
  publicKey: z
    .string()
    .meta(
      note('Public half of the SSH key, to add to the repository as a deploy key.', 'ssh-ed25519 AAAA...'),
    ),
  fingerprint: z.string().meta(note('SHA-256 fingerprint of the key.', 'SHA256:...')),
});

const make = defineRoute({
  method: 'POST',
  path,
  access: 'write',
  summary:
    'Create an SSH key for the repository; it replaces the stored git token or key. Add the public key to the repository at the git host. PATCH "gitToken": null removes the key.',
  resource: serviceResource,
  creates: {},
  reply: z.strictObject({ deployKey: deployKeySchema.meta(notes.deployKey) }),
  async handle({ deps, resource }) {
    return { deployKey: await makeDeployKey(deps, resource) };
  },
});

const read = defineRoute({
  method: 'GET',
  path,
  access: 'read',
  summary: 'Read the public SSH key of the repository; null if none is stored.',
  resource: serviceResource,
  reply: z.strictObject({ deployKey: deployKeySchema.nullable().meta(notes.deployKey) }),
  async handle({ deps, resource }) {
    return { deployKey: await readDeployKey(deps, resource) };
  },
});

/** Deploy keys for repositories read over SSH. They are generated here, so nobody copies a private key by hand. */
export const deployKeyRoutes: AnyRoute[] = [make, read];
