/** GitHub Apps: register, list, change, remove, and the repositories that they can read. */

import { z } from 'zod';
import { note } from '../../../protocol/note.ts';
import { absent } from '../../domain/errors.ts';
import { gitHubAppPatchSchema, installUrl, newGitHubAppSchema } from '../../domain/sources/github-app.ts';
import { idOf, notes } from '../../domain/values/field-notes.ts';
import { gitHubAppResource } from '../../http/loaders/tenant-loaders.ts';
import { integerParameter, nextCursor, pageOf, pageQuery } from '../../http/paging.ts';
import { type AnyRoute, defineRoute, keyOf } from '../../http/route.ts';
import { timestamp, timestampSchema } from '../../http/timestamps.ts';
import { type GitHubAppRow, listGitHubApps, updateGitHubApp } from '../../store/sources/github-app-store.ts';
import { listInstallations, listRepositories } from '../../usecases/sources/read-app.ts';
import { beginRegistration } from '../../usecases/sources/register-app.ts';
import { removeGitHubApp } from '../../usecases/sources/remove-app.ts';

const one = '/api/github-apps/:githubAppId';

const gitHubAppSchema = z.strictObject({
  id: idOf('gitHubApp'),
  host: z.string().describe('Host of GitHub, or of a GitHub Enterprise Server.'),
  registered: z.boolean().describe('False until the setup page was followed to its end.'),
  name: z.string().nullable().describe('Name of the app at GitHub; null: it is not registered yet.'),
  owner: z.string().nullable().describe('Account that owns the app; null: it is not registered yet.'),
  installUrl: z
    .string()
    .nullable()
    .meta(
      note(
        'Page on which the owner chooses the repositories; null: the app is not registered yet.',
        'https://github.com/apps/longshore-example-a1b2c3/installations/new',
      ),
    ),
  deployOnPush: z.boolean().describe('Whether a push to the branch of a service deploys it.'),
  commitStatus: z.boolean().describe('Whether GitHub gets the state of each deployment.'),
  createdAt: timestampSchema.meta(notes.createdAt),
  updatedAt: timestampSchema.meta(notes.updatedAt),
});

const list = defineRoute({
  method: 'GET',
  path: '/api/github-apps',
  access: 'read',
  onlyAllProjects: true,
  summary: 'List the GitHub Apps of the tenant. Private keys are never shown.',
  query: pageQuery(500),
  reply: z.strictObject({
    githubApps: z.array(gitHubAppSchema).describe('The GitHub Apps, in the order of their hosts.'),
    ...nextCursor,
  }),
  async handle({ deps, principal, query }) {
    const found = await listGitHubApps(deps.db, keyOf(principal).tenantId, query);
    const { rows, next } = pageOf(found, query, ({ host, id }) => ({ at: host, id }));
    return { githubApps: rows.map(present), ...next };
  },
});

const begin = defineRoute({
  method: 'POST',
  path: '/api/github-apps',
  access: 'write',
  onlyAllProjects: true,
  onlyLastingKeys: true,
  takesBrowsers: true,
  summary:
    'Begin the registration of a GitHub App. Open `setupUrl` in a browser within an hour: its button registers the app at GitHub. Begun in a browser, it ends with the session.',
  body: newGitHubAppSchema,
  // An unfinished registration is replaced.
  creates: {},
  reply: z.strictObject({
    githubApp: gitHubAppSchema,
    setupUrl: z
      .string()
      .meta(
        note(
          'Whoever opens it can finish the registration: share it with nobody else.',
          'https://longshore.example/api/github-setup?state=...',
        ),
      ),
  }),
  async handle({ deps, principal, body, request }) {
    const { tenantId, keyId: requestedBy } = keyOf(principal);
    const { row, state } = await beginRegistration(deps, tenantId, { ...body, requestedBy });
    const setupUrl = `${new URL(request.url).origin}/api/github-setup?state=${state}`;
    return { githubApp: present(row), setupUrl };
  },
});

const change = defineRoute({
  method: 'PATCH',
  path: one,
  access: 'write',
  summary: 'Change what a GitHub App does. Omitted fields keep their values.',
  resource: gitHubAppResource,
  body: gitHubAppPatchSchema,
  reply: z.strictObject({ githubApp: gitHubAppSchema }),
  async handle({ deps, resource, body }) {
    const { deployOnPush, commitStatus } = body;
    const row = await updateGitHubApp(deps.db, resource.gitHubApp.id, {
      ...(deployOnPush === undefined ? {} : { deployOnPush }),
      ...(commitStatus === undefined ? {} : { commitStatus }),
      updatedAt: deps.now(),
    });
    if (!row) throw absent('GitHub App');
    return { githubApp: present(row) };
  },
});

const remove = defineRoute({
  method: 'DELETE',
  path: one,
  access: 'write',
  summary:
    'Uninstall a GitHub App and delete its private key here. Running versions, restarts and rollbacks do not need it.',
  resource: gitHubAppResource,
  reply: z.strictObject({
    ok: z.literal(true).meta(notes.ok),
    detail: z.string().describe('What is left to do at GitHub.'),
  }),
  async handle({ deps, resource }) {
    return { ok: true as const, detail: await removeGitHubApp(deps, resource.gitHubApp) };
  },
});

const installations = defineRoute({
  method: 'GET',
  path: `${one}/installations`,
  access: 'read',
  summary: 'List the accounts at GitHub in which the app is installed, as GitHub has them now.',
  resource: gitHubAppResource,
  reply: z.strictObject({
    installations: z
      .array(
        z.strictObject({
          id: z.number().describe("GitHub's id of the installation."),
          account: z.string().meta(note('Login of the person or organization.', 'acme')),
          repositories: z
            .enum(['all', 'selected'])
            .describe('Which repositories of the account the app can read.'),
          suspended: z.boolean().describe('Whether the owner has suspended it.'),
          settingsUrl: z
            .string()
            .meta(
              note(
                'Page on which the owner changes the repositories.',
                'https://github.com/settings/installations/12345678',
              ),
            ),
        }),
      )
      .describe('The installations of the app.'),
  }),
  handle: async ({ deps, resource }) => ({
    installations: await listInstallations(deps, resource.gitHubApp),
  }),
});

const repositories = defineRoute({
  method: 'GET',
  path: `${one}/repositories`,
  access: 'read',
  summary:
    'List the repositories of an installation, a hundred to a page. To deploy one, create a service with its `fullName` or `url`.',
  resource: gitHubAppResource,
  query: z.strictObject({
    installationId: integerParameter(1, 1e15)
      .optional()
      .describe('Id of the installation; absent: the first one. A private app has only one.'),
    page: integerParameter(1, 1_000).default(1).describe('Page, from 1.'),
  }),
  reply: z.strictObject({
    repositories: z.array(
      z.strictObject({
        fullName: z.string().meta(note('`owner/repo`: the field `repoFullName` of a service.', 'acme/shop')),
        url: z.string().describe('URL by https: the field `repoUrl` of a service.'),
        private: z.boolean().describe('Whether it is private.'),
        archived: z.boolean().describe('Whether it is read-only.'),
        defaultBranch: z.string().meta(note('Its default branch.', 'main')),
      }),
    ),
    total: z.number().describe('Number of repositories of the installation.'),
    nextPage: z.number().nullable().describe('The next page; null: this is the last one.'),
  }),
  handle: ({ deps, resource, query }) => listRepositories(deps, resource.gitHubApp, query),
});

export const gitHubAppRoutes: AnyRoute[] = [list, begin, change, remove, installations, repositories];

function present(row: GitHubAppRow): z.infer<typeof gitHubAppSchema> {
  const { id, host, appId, name, owner, htmlUrl, deployOnPush, commitStatus, createdAt, updatedAt } = row;
  return {
    ...{ id, host, registered: appId !== null, name, owner },
    installUrl: htmlUrl === null ? null : installUrl(htmlUrl),
    ...{ deployOnPush, commitStatus, createdAt: timestamp(createdAt), updatedAt: timestamp(updatedAt) },
  };
}
