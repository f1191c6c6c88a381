/** Credentials of git hosts: list, create, change, delete. */

import { z } from 'zod';
import { statusApis } from '../../domain/sources/commit-status/status-apis.ts';
import {
  gitCredentialPatchSchema,
  hostMeta,
  newGitCredentialSchema,
  projectMeta,
} from '../../domain/sources/git-credentials.ts';
import { gitCredentialResource } from '../../http/git-credential-resource.ts';
import { nextCursor, pageOf, pageQuery } from '../../http/paging.ts';
import { type AnyRoute, defineRoute, keyOf } from '../../http/route.ts';
import { timestamp, timestampSchema } from '../../http/timestamps.ts';
import {
  deleteGitCredential,
  findGitCredential,
  type GitCredentialRow,
  listGitCredentials,
} from '../../store/sources/git-credential-store.ts';
import {
  changeGitCredential,
  createGitCredential,
  ofGitHubApp,
} from '../../usecases/keys/git-credentials.ts';

const gitCredentialSchema = z.strictObject({
  id: z.string(),
  host: z.string().meta(hostMeta),
  username: z.string(),
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
    .describe('The GitHub App that makes its tokens; null: its token is stored.'),
  createdAt: timestampSchema,
  updatedAt: timestampSchema,
});
const gitCredentialReply = z.strictObject({ gitCredential: gitCredentialSchema });

const list = defineRoute({
  method: 'GET',
  path: '/api/git-credentials',
  access: 'read',
  onlyAllProjects: true,
  summary: 'List the git hosts for which a credential is stored. Tokens are never shown.',
  query: pageQuery(500),
  reply: z.strictObject({ gitCredentials: z.array(gitCredentialSchema), ...nextCursor }),
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
  reply: z.strictObject({ ok: z.literal(true) }),
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
