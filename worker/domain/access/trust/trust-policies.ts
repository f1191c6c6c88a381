/** Trust policies of a project: which jobs of a CI service get a key for the project, in exchange for their identity token. */
import { z } from 'zod';
import { note } from '../../../../protocol/note.ts';
import { ApiError } from '../../errors.ts';
import { checkedProviderUrl } from '../identity-providers.ts';
import { type CiProvider, ciProviders, providerOf } from './ci-providers.ts';

/** Policies of a project: some repositories, branches and environments. */
export const trustPoliciesMax = 20;
/** Keys of CI can deploy or change services, but not purge what is protected. */
const trustedLevels = ['read', 'deploy', 'write'] as const;
const trustedMinutes = { min: 5, max: 60 };
/** An identity token may be large: GitLab's contain lists of groups. */
export const idTokenMax = 16_384;
/** Tokens that are valid for longer are refused: each used one is remembered until it expires. GitLab's expire with the job. */
export const idTokenHoursMax = 24;

const listMax = 20;
const pattern = z.string().regex(/^[^\s\p{Cc}]{1,200}$/u, 'must be 1 to 200 characters without spaces');
const patterns = z.array(pattern).max(listMax, `has more than ${listMax} entries`);
const idSchema = z.string().regex(/^[\w-]{1,100}$/, 'must be an id, as in the tokens of the provider');
const minutesRule = `must be a whole number of minutes from ${trustedMinutes.min} to ${trustedMinutes.max}`;

/** Fields that can be changed. */
export const trustRuleFields = {
  audience: z
    .string()
    .regex(/^[\x21-\x7e]{1,500}$/, 'must be 1 to 500 printable characters without spaces')
    .meta(
      note(
        'What `aud` of a token must contain. Default: the address of this instance in the request that creates the policy.',
        'https://longshore.example',
      ),
    ),
  repositoryId: idSchema
    .nullable()
    .meta(
      note(
        'Id of the repository at GitHub or of the project at GitLab. Null: the first accepted token sets it, so that no later repository of the same name is trusted.',
        '456789',
      ),
    ),
  ownerId: idSchema
    .nullable()
    .meta(
      note(
        'Id of the owner at GitHub or of the namespace at GitLab. Null: the first accepted token sets it.',
        '123456',
      ),
    ),
  branches: patterns.meta(
    note('Trusted branches. `*` stands for any characters but `/`, `**` for any characters.', ['main']),
  ),
  tags: patterns.meta(note('Trusted tags, as patterns like those of `branches`.', ['v*'])),
  environment: z
    .string()
    .min(1, 'must not be empty')
    .max(255, 'is too long: at most 255 characters')
    .nullable()
    .meta(
      note('The environment that the job must name, at GitHub and GitLab; null: any or none.', 'production'),
    ),
  events: z
    .array(z.string().regex(/^[a-z_]{1,60}$/, 'must be the name of an event, such as "push"'))
    .max(listMax, `has more than ${listMax} entries`)
    .meta(
      note(
        'Trusted events: `event_name` of GitHub and Forgejo, `pipeline_source` of GitLab. Default: those that need write access to the repository.',
        ['push', 'workflow_dispatch'],
      ),
    ),
  access: z.enum(trustedLevels).meta(note('Level of the keys.', 'deploy')),
  expiresInMinutes: z
    .int(minutesRule)
    .min(trustedMinutes.min, minutesRule)
    .max(trustedMinutes.max, minutesRule)
    .meta(note('Minutes until such a key expires.', 30)),
};

export const newTrustPolicySchema = z.strictObject({
  provider: z
    .enum(ciProviders)
    .meta(note('The CI service; `other`: an issuer whose tokens are recognised by their subject.', 'github')),
  issuer: z
    .string()
    .max(500)
    .optional()
    .meta(
      note(
        'Issuer of the tokens. Default for GitHub and GitLab: the public service. For Forgejo the address of the instance and /api/actions.',
        'https://token.actions.githubusercontent.com',
      ),
    ),
  repository: z
    .string()
    .regex(/^[\w.-]+(\/[\w.-]+)+$/, 'must be an owner and a name, such as "octo-org/shop"')
    .max(400, 'is too long: at most 400 characters')
    .nullable()
    .default(null)
    .meta(
      note('Owner and name of the repository; case does not matter. Null only for `other`.', 'octo-org/shop'),
    ),
  subject: pattern
    .nullable()
    .default(null)
    .meta(
      note('Only for `other`: what `sub` of a token must be, as a pattern like those of `branches`.', null),
    ),
  audience: trustRuleFields.audience.optional(),
  repositoryId: trustRuleFields.repositoryId.default(null),
  ownerId: trustRuleFields.ownerId.default(null),
  branches: trustRuleFields.branches.default([]),
  tags: trustRuleFields.tags.default([]),
  environment: trustRuleFields.environment.default(null),
  events: trustRuleFields.events.optional(),
  access: trustRuleFields.access.default('deploy'),
  expiresInMinutes: trustRuleFields.expiresInMinutes.default(30),
});
export type NewTrustPolicy = z.infer<typeof newTrustPolicySchema>;

export const trustPolicyPatchSchema = z
  .strictObject(trustRuleFields)
  .partial()
  .refine((body) => Object.keys(body).length > 0, 'is empty: name at least one field to change');
export type TrustPolicyPatch = z.infer<typeof trustPolicyPatchSchema>;

/** The rules of a policy. */
export interface TrustRules {
  provider: CiProvider;
  issuer: string;
  audience: string;
  /** For `other`: null. */
  repository: string | null;
  subject: string | null;
  repositoryId: string | null;
  ownerId: string | null;
  branches: string[];
  tags: string[];
  environment: string | null;
  events: string[];
}

/** Issuers are compared without a slash at the end. */
export const issuerName = (issuer: string): string => issuer.replace(/\/$/, '');

/** @throws ApiError `invalid_request` */
export function checkedTrustIssuer(
  provider: CiProvider,
  given: string | undefined,
  allowsPrivate: boolean,
): string {
  const issuer = given ?? providerOf[provider].issuer;
  if (issuer === null)
    throw refusal(
      'issuer',
      `is missing: ${provider === 'forgejo' ? forgejoIssuer : 'name the issuer of the tokens'}`,
    );
  const url = checkedProviderUrl(issuer, 'issuer', allowsPrivate);
  if (url.search) throw refusal('issuer', 'must be a URL without a query');
  if (provider === 'forgejo' && !issuerName(url.pathname).endsWith('/api/actions'))
    throw refusal('issuer', `is not that of a Forgejo instance: ${forgejoIssuer}`);
  // An issuer of another service may end with a slash in its metadata.
  return provider === 'other' ? issuer : issuerName(issuer);
}

const forgejoIssuer =
  'send the address of the instance and /api/actions, such as https://codeberg.org/api/actions';

/**
 * Checks that the rules trust something, but not everything, and that the provider's tokens can fulfil them.
 * @throws ApiError `invalid_request`
 */
export function assertTrustRules(rules: TrustRules): void {
  const { provider, repository, subject, repositoryId, ownerId, branches, tags, environment, events } = rules;
  const { hasIds, hasEnvironments } = providerOf[provider];
  if (provider === 'other') {
    if (repository !== null) throw refusal('repository', 'must be null for "other": send "subject"');
    if (subject === null) throw refusal('subject', 'is missing: say which "sub" is trusted');
    if (/^\**$/.test(subject))
      throw refusal('subject', 'trusts every token of the issuer: write more than wildcards');
    const unused = Object.entries({ branches, tags, events }).find(([, list]) => list.length > 0);
    if (unused)
      throw refusal(unused[0], 'must be empty for "other": its tokens are recognised by their subject only');
  } else {
    if (repository === null) throw refusal('repository', 'is missing: say which repository is trusted');
    if (subject !== null) throw refusal('subject', 'is only for "other": send "repository" and "branches"');
    if (branches.length + tags.length === 0 && environment === null)
      throw refusal(
        'branches',
        'is empty: name branches, tags or an environment; ["**"] trusts all branches',
      );
    if (events.length === 0) throw refusal('events', 'is empty: name at least one event, such as "push"');
  }
  if (environment !== null && !hasEnvironments)
    throw refusal('environment', `must be null: tokens of "${provider}" name no environment`);
  if (!hasIds && repositoryId !== null)
    throw refusal('repositoryId', `must be null: tokens of "${provider}" have no such id`);
  if (!hasIds && ownerId !== null)
    throw refusal('ownerId', `must be null: tokens of "${provider}" have no such id`);
}

function refusal(field: string, predicate: string): ApiError {
  return new ApiError('invalid_request', `The field "${field}" ${predicate}.`);
}
