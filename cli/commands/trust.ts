/** `trust`: which jobs of CI services get a key of minutes for their identity token. */
import { buildRouteMap } from '@stricli/core';
import type { Project, ReplyOf } from '../../client/client.ts';
import { buildCommand } from '../base/command.ts';
import { usageFailure } from '../base/failure.ts';
import { confirm } from '../base/prompts.ts';
import { table } from '../base/table.ts';
import { chosenProject } from '../data/project.ts';
import {
  about,
  type CommandLine,
  type CommonFlags,
  commonFlags,
  openSession,
  type Session,
  serviceFlags,
  switchFlag,
  textFlag,
  wholeNumber,
} from '../session.ts';

interface ProjectFlags extends CommonFlags {
  project?: string;
}

type TrustPolicy = ReplyOf<'GET /api/projects/:projectId/trust-policies'>['trustPolicies'][number];

const projectFlags = { ...commonFlags, project: serviceFlags.project } as const;
const aliases = { p: 'project' } as const;

const read = async ({ client }: Session, { id }: Project) =>
  (await client.call('GET /api/projects/:projectId/trust-policies', { params: { projectId: id } }))
    .trustPolicies;

const whom = ({ repository, subject }: TrustPolicy) => repository ?? subject ?? '';

/** "main, tags v*, environment production" */
const where = ({ branches, tags, environment }: TrustPolicy) =>
  [
    ...branches,
    ...tags.map((tag) => `tag ${tag}`),
    ...(environment === null ? [] : [`environment ${environment}`]),
  ].join(', ');

const list = buildCommand({
  docs: { brief: 'List which CI jobs get keys for a project' },
  parameters: { flags: projectFlags, aliases },
  async func(this: CommandLine, flags: ProjectFlags) {
    const session = await openSession(this, flags);
    const trustPolicies = await read(session, await chosenProject(session, flags));
    const rows = trustPolicies.map((one) => [
      ...[one.provider, whom(one), where(one), one.access, `${one.expiresInMinutes} min`],
      ...[one.lastUsedAt ?? 'never', one.id],
    ]);
    session.output.answer({ trustPolicies }, () =>
      table(
        ['CI', 'REPOSITORY', 'WHERE', 'ACCESS', 'KEYS LAST', 'USED', 'ID'],
        rows,
        'No CI job is trusted: longshore trust create OWNER/NAME --branch main',
      ),
    );
  },
});

const providers = ['github', 'gitlab', 'forgejo', 'other'] as const;
const levels = ['read', 'deploy', 'write'] as const;

interface CreateFlags extends ProjectFlags {
  ci: (typeof providers)[number];
  branch?: string[];
  tag?: string[];
  event?: string[];
  environment?: string;
  issuer?: string;
  audience?: string;
  repositoryId?: string;
  ownerId?: string;
  access?: (typeof levels)[number];
  minutes?: number;
}

const several = (brief: string, placeholder: string) =>
  ({ kind: 'parsed', parse: String, brief, variadic: true, optional: true, placeholder }) as const;

const create = buildCommand({
  docs: about(
    'Trust the CI jobs of a repository',
    'A job exchanges its identity token for a key of minutes (longshore keys exchange), so the CI service stores no secret. The first job fixes the ids of the repository and its owner: a later repository of the same name gets no key.',
    `longshore trust create octo-org/shop --branch main -p shop
longshore trust create my-group/shop --ci gitlab --tag 'v*' --environment production -p shop
longshore trust create me/shop --ci forgejo --issuer https://codeberg.org/api/actions --branch main -p shop`,
  ),
  parameters: {
    flags: {
      ...projectFlags,
      ci: { kind: 'enum', values: providers, brief: 'The CI service', default: 'github' },
      branch: several(
        "Trusted branch or pattern, such as main or 'release/*' (may be given several times)",
        'branch',
      ),
      tag: several("Trusted tag or pattern, such as 'v*' (may be given several times)", 'tag'),
      event: several('Trusted event (default: pushes, schedules and starts by hand)', 'event'),
      environment: textFlag('The environment that the job must name (GitHub, GitLab)', 'name'),
      issuer: textFlag('Issuer of the tokens, for services of your own', 'url'),
      audience: textFlag('Audience of the tokens (default: the URL of the instance)', 'text'),
      repositoryId: textFlag('Id of the repository (default: that of the first job)', 'id'),
      ownerId: textFlag('Id of its owner or namespace (default: that of the first job)', 'id'),
      access: {
        kind: 'enum',
        values: levels,
        brief: 'What the keys may do (default: deploy)',
        optional: true,
      },
      minutes: {
        kind: 'parsed',
        parse: wholeNumber,
        brief: 'Minutes until a key expires, 5 to 60 (default: 30)',
        optional: true,
        placeholder: 'minutes',
      },
    },
    aliases,
    positional: {
      kind: 'tuple',
      parameters: [
        {
          brief: 'Owner and name; with --ci other the subject of the tokens',
          parse: String,
          placeholder: 'repository',
        },
      ],
    },
  },
  async func(this: CommandLine, flags: CreateFlags, name: string) {
    const session = await openSession(this, flags);
    const { ci, branch = [], tag = [], event, environment, minutes, access } = flags;
    const isOther = ci === 'other';
    if (!isOther && branch.length + tag.length === 0 && environment === undefined)
      throw usageFailure(
        "Say where the trusted jobs run: --branch main, --tag 'v*' or --environment production. Every branch: --branch '**'",
      );
    const { issuer, audience = session.context.url, repositoryId, ownerId } = flags;
    const given = Object.fromEntries(
      Object.entries({ issuer, audience, repositoryId, ownerId, environment, access }).filter(
        ([, value]) => value !== undefined,
      ),
    );
    const reply = await session.client.call('POST /api/projects/:projectId/trust-policies', {
      params: { projectId: (await chosenProject(session, flags)).id },
      body: {
        provider: ci,
        ...(isOther ? { subject: name } : { repository: name, branches: branch, tags: tag }),
        ...(event === undefined ? {} : { events: event }),
        ...(minutes === undefined ? {} : { expiresInMinutes: minutes }),
        ...given,
      },
    });
    session.output.answer(reply, () => reply.trustPolicy.id);
    session.output.progress(
      `Jobs request a token for the audience ${reply.trustPolicy.audience} and exchange it: longshore keys exchange -p PROJECT`,
    );
  },
});

const remove = buildCommand({
  docs: { brief: 'Delete a trust policy: its keys end at once' },
  parameters: {
    flags: { ...projectFlags, yes: switchFlag('Do not ask for confirmation') },
    aliases: { ...aliases, y: 'yes' },
    positional: {
      kind: 'tuple',
      parameters: [
        { brief: 'Id, or the repository if it has one policy', parse: String, placeholder: 'policy' },
      ],
    },
  },
  async func(this: CommandLine, flags: ProjectFlags & { yes: boolean }, name: string) {
    const session = await openSession(this, flags);
    const policies = await read(session, await chosenProject(session, flags));
    const found = policies.filter((one) => one.id === name || whom(one).toLowerCase() === name.toLowerCase());
    const [policy] = found;
    if (policy === undefined) throw usageFailure(`There is no trust policy "${name}": longshore trust list`);
    if (found.length > 1)
      throw usageFailure(
        `${found.length} trust policies are about ${name}: give the id of one (longshore trust list).`,
      );
    await confirm(this.process, `Delete the trust policy for ${whom(policy)} (${where(policy)})?`, flags.yes);
    const reply = await session.client.call('DELETE /api/trust-policies/:trustPolicyId', {
      params: { trustPolicyId: policy.id },
    });
    session.output.answer(reply, () => policy.id);
  },
});

export const trust = buildRouteMap({
  docs: { brief: 'CI jobs that need no stored key' },
  routes: { list, create, delete: remove },
});
