/**
 * A GitHub App of a tenant: its registration, the address of its API, and the content of the
 * answers.
 * https://docs.github.com/en/apps/sharing-github-apps/registering-a-github-app-from-a-manifest
 */
import { z } from 'zod';

/** A registration must be finished within an hour (the page above). */
export const registrationLimitMs = 3_600_000;

const switches = {
  deployOnPush: z
    .boolean()
    .describe(
      'Whether a push to the branch of a service deploys it. A webhook of the service itself is not needed then.',
    ),
  commitStatus: z
    .boolean()
    .describe('Whether GitHub gets the state of each deployment, as a status of its commit.'),
};

export const newGitHubAppSchema = z.strictObject({
  organization: z
    .string()
    .regex(
      /^[A-Za-z0-9](?:[A-Za-z0-9-]{0,37}[A-Za-z0-9])?$/,
      'must be the login of an organization at GitHub',
    )
    .nullable()
    .default(null)
    .meta({
      description: 'Organization at GitHub that will own the app; null: the person who opens the page.',
      examples: ['acme'],
    }),
  host: z
    .string()
    .max(253, 'is too long: at most 253 characters')
    .regex(
      /^[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?(?::\d{1,5})?$/,
      'must be the host of GitHub or of a GitHub Enterprise Server',
    )
    .default('github.com')
    .meta({ description: 'Host of GitHub, or of a GitHub Enterprise Server.', examples: ['github.com'] }),
  deployOnPush: switches.deployOnPush.default(true),
  commitStatus: switches.commitStatus.default(true),
});

export const gitHubAppPatchSchema = z
  .strictObject(switches)
  .partial()
  .refine((body) => Object.keys(body).length > 0, 'is empty: give at least one field to change');

/** The secrets that GitHub gives a registered app, stored as sealed JSON. */
export const gitHubSecretsSchema = z.object({ privateKey: z.string(), webhookSecret: z.string() });

/** https://docs.github.com/en/rest/apps/apps#create-a-github-app-from-a-manifest; the client's id and secret are not used. */
export const conversionSchema = z
  .object({
    id: z.int().positive(),
    slug: z.string().min(1).max(200),
    name: z.string().min(1).max(200),
    html_url: z
      .string()
      .max(500)
      .regex(/^https:\/\/[^\s"'<>]+$/),
    owner: z.object({ login: z.string().min(1).max(200) }),
    pem: z.string().min(1).max(16_384),
    webhook_secret: z.string().min(1).max(500),
  })
  .transform(({ id, slug, name, html_url, owner, pem, webhook_secret }) => ({
    facts: { appId: String(id), slug, name, htmlUrl: html_url, owner: owner.login },
    secrets: { privateKey: pem, webhookSecret: webhook_secret },
  }));

/**
 * A GitHub Enterprise Server has the API below `/api/v3` (https://docs.github.com/en/enterprise-server/rest/overview/resources-in-the-rest-api),
 * an enterprise with data residency at `api.SUBDOMAIN.ghe.com` (https://docs.github.com/en/enterprise-cloud@latest/admin/data-residency).
 */
export const gitHubApiOf = (host: string) =>
  host === 'github.com' || host.endsWith('.ghe.com') ? `https://api.${host}` : `https://${host}/api/v3`;

/** The address to which the manifest is posted, with a state that GitHub returns. */
export function registrationUrl(host: string, organization: string | null, state: string): string {
  const owner = organization === null ? '' : `organizations/${organization}/`;
  return `https://${host}/${owner}settings/apps/new?state=${encodeURIComponent(state)}`;
}

/** The page where the app's owner chooses the repositories. */
export const installUrl = (htmlUrl: string) => `${htmlUrl}/installations/new`;

/** Names of apps are unique at GitHub, and have at most 34 characters. */
const nameMax = 34;

/**
 * Only necessary events and permissions: for clones, pushes, commit statuses and checks of commits. Each of them includes "Metadata: read".
 * @param origin public address of this API @param mark makes the name unique
 */
export function manifestOf(origin: string, { id, mark }: { id: string; mark: string }) {
  return {
    name: `Longshore ${new URL(origin).hostname}`.slice(0, nameMax - mark.length - 1).concat(`-${mark}`),
    url: origin,
    description: 'Deploys repositories with Longshore.',
    hook_attributes: { url: `${origin}/api/hooks/github/${id}`, active: true },
    redirect_url: `${origin}/api/github-setup/done`,
    // Only the app's owner can install it, so no other account's repositories get into this tenant.
    public: false,
    default_events: ['push', 'check_suite', 'status'],
    default_permissions: { contents: 'read', metadata: 'read', statuses: 'write', checks: 'read' },
  };
}

/** https://docs.github.com/en/rest/apps/apps#list-installations-for-the-authenticated-app */
export const installationsSchema = z.array(
  z
    .object({
      id: z.int().positive(),
      account: z.object({ login: z.string() }).nullable(),
      repository_selection: z.enum(['all', 'selected']),
      suspended_at: z.string().nullable().optional(),
      html_url: z.string(),
    })
    .transform(({ id, account, repository_selection, suspended_at, html_url }) => ({
      id,
      account: account?.login ?? '',
      repositories: repository_selection,
      suspended: Boolean(suspended_at),
      settingsUrl: html_url,
    })),
);

/** https://docs.github.com/en/rest/apps/installations#list-repositories-accessible-to-the-app-installation */
export const repositoriesSchema = z.object({
  total_count: z.int(),
  repositories: z.array(
    z
      .object({
        full_name: z.string(),
        clone_url: z.string(),
        private: z.boolean(),
        archived: z.boolean().optional(),
        default_branch: z.string(),
      })
      .transform((one) => ({
        fullName: one.full_name,
        url: one.clone_url,
        private: one.private,
        archived: one.archived ?? false,
        defaultBranch: one.default_branch,
      })),
  ),
});

/** https://docs.github.com/en/rest/apps/apps#get-a-repository-installation-for-the-authenticated-app */
export const installationSchema = z.object({ id: z.int().positive() });

/** https://docs.github.com/en/rest/apps/apps#create-an-installation-access-token-for-an-app */
export const installationTokenSchema = z.object({
  token: z
    .string()
    .min(1)
    .max(1_000)
    .regex(/^[\x21-\x7e]+$/),
  expires_at: z.iso.datetime({ offset: true }),
});

/** The repository of a push: https://docs.github.com/en/webhooks/webhook-events-and-payloads#push */
export const pushedRepositorySchema = z.object({
  repository: z.object({ full_name: z.string().regex(/^[A-Za-z0-9_.-]{1,100}\/[A-Za-z0-9_.-]{1,100}$/) }),
});

/** The fields of a registered app that a token needs. */
export interface UsableGitHubApp {
  id: string;
  host: string;
  /** GitHub's id of the app. */
  appId: string;
  name: string;
  sealedSecrets: string;
}
