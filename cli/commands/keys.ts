/** `keys`: API keys. A key manages the keys that it has created; the operator manages all keys. */
import { buildRouteMap } from '@stricli/core';
import { LongshoreError } from '../../client/client.ts';
import { buildCommand } from '../base/command.ts';
import { Failure, usageFailure } from '../base/failure.ts';
import { createOutput } from '../base/output.ts';
import { confirm } from '../base/prompts.ts';
import { table } from '../base/table.ts';
import { idTokenOf } from '../data/id-token.ts';
import { findProject } from '../names/find.ts';
import { findNamed } from '../names/named.ts';
import {
  about,
  type CommandLine,
  type CommonFlags,
  clientOf,
  commonFlags,
  openSession,
  patiently,
  type Session,
  switchFlag,
  textFlag,
  wholeNumber,
} from '../session.ts';
import { originOf } from '../settings/contexts.ts';

type Caller = 'operator' | 'member' | 'key';

/** The operator token is not an API key: only routes below `/api/system` accept it. */
const callerOf = ({ client }: Session): Promise<Caller> =>
  client.call('GET /api/key').then(
    ({ key }) => (key.access === 'operator' ? 'operator' : key.member ? 'member' : 'key'),
    (error: unknown) => {
      if (error instanceof LongshoreError && error.status === 401) return 'operator';
      throw error;
    },
  );

const isOperator = async (session: Session) => (await callerOf(session)) === 'operator';

const makerWords = ({ maker }: { maker?: { type: string; name: string } }) =>
  maker === undefined ? '-' : maker.type === 'member' ? maker.name : `key ${maker.name}`;

const read = async (session: Session) =>
  ((await isOperator(session))
    ? await session.client.all('GET /api/system/keys')
    : await session.client.all('GET /api/keys')
  ).keys;

const list = buildCommand({
  docs: { brief: 'List the keys, without their secrets' },
  parameters: { flags: commonFlags },
  async func(this: CommandLine, flags: CommonFlags) {
    const session = await openSession(this, flags);
    const keys = await read(session);
    // A key sees only keys that it has made itself.
    const showsMaker = new Set(keys.map(({ madeBy }) => madeBy)).size > 1;
    const rows = keys.map((one) => [
      one.name,
      ...(showsMaker ? [makerWords(one)] : []),
      one.access,
      one.prefix,
      one.expiresAt ?? 'never',
      one.lastUsedAt ?? 'never',
      one.id,
    ]);
    session.output.answer({ keys }, () =>
      table(
        ['NAME', ...(showsMaker ? ['MADE BY'] : []), 'ACCESS', 'BEGINS', 'EXPIRES', 'USED', 'ID'],
        rows,
        'No keys: longshore keys create NAME',
      ),
    );
  },
});

const levels = ['read', 'deploy', 'write', 'destroy'] as const;
const minutesPerDay = 24 * 60;
/** Lifetimes without --days. */
const defaultDays = { operator: 30, member: 30, key: 1 };

interface CreateFlags extends CommonFlags {
  access?: (typeof levels)[number];
  days?: number;
  minutes?: number;
  project?: string;
}

const create = buildCommand({
  docs: about(
    'Create a key and print it',
    `The key is shown only once. If you are logged in as a member, it is valid for at most 90 days, cannot do more than you, and ends with your membership. If you are logged in with a key, it is valid for at most one day and cannot do more than yours. With the operator token, it can be valid for any number of days.`,
    `longshore keys create ci --access deploy -p shop
longshore keys create smoke-test --access read --minutes 15`,
  ),
  parameters: {
    flags: {
      ...commonFlags,
      access: {
        kind: 'enum',
        values: levels,
        brief: 'What the key may do (default: deploy)',
        optional: true,
      },
      days: {
        kind: 'parsed',
        parse: wholeNumber,
        brief: `Days until it expires (default: ${defaultDays.operator}, or ${defaultDays.key} with a key)`,
        optional: true,
        placeholder: 'days',
      },
      minutes: {
        kind: 'parsed',
        parse: wholeNumber,
        brief: 'Minutes until it expires, from 5 to a day, in place of --days',
        optional: true,
        placeholder: 'minutes',
      },
      project: textFlag('Only this project', 'project'),
    },
    aliases: { p: 'project' },
    positional: {
      kind: 'tuple',
      parameters: [{ brief: 'Name of the key', parse: String, placeholder: 'name' }],
    },
  },
  async func(this: CommandLine, flags: CreateFlags, name: string) {
    const session = await openSession(this, flags);
    const { client, output } = session;
    const { project, access = 'deploy' } = flags;
    const caller = await callerOf(session);
    const operator = caller === 'operator';
    if (flags.days !== undefined && flags.minutes !== undefined)
      throw usageFailure('--days and --minutes exclude each other: leave one of them out.');
    const days = flags.days ?? defaultDays[caller];
    if (caller === 'key' && flags.minutes === undefined && days > defaultDays.key)
      throw usageFailure(
        'A key that another key creates is valid for one day at most: leave out --days, log in as a member, or use the operator token (LONGSHORE_KEY).',
      );
    const projects =
      project === undefined
        ? ('all' as const)
        : // The operator token can't read projects: its route knows slugs.
          ([operator ? project : findProject(await session.projects(), project).id] satisfies [string]);
    const { minutes } = flags;
    const expiry = minutes === undefined ? { expiresInDays: days } : { expiresInMinutes: minutes };
    const inMinutes = { expiresInMinutes: minutes ?? days * minutesPerDay };
    const reply = operator
      ? await client.call('POST /api/system/keys', { body: { name, access, projects, ...expiry } })
      : await client.call('POST /api/keys', {
          body: { name, access, projects, ...(caller === 'member' ? expiry : inMinutes) },
        });
    output.answer(reply, () => reply.token);
    output.progress(
      `Store it now: it is not shown again. ${reply.key.expiresAt === null ? 'It never expires' : `It expires at ${reply.key.expiresAt}`}.`,
    );
  },
});

const revoke = buildCommand({
  docs: { brief: 'Revoke a key: it stops working at once' },
  parameters: {
    flags: { ...commonFlags, yes: switchFlag('Do not ask for confirmation') },
    aliases: { y: 'yes' },
    positional: { kind: 'tuple', parameters: [{ brief: 'Name or id', parse: String, placeholder: 'key' }] },
  },
  async func(this: CommandLine, flags: CommonFlags & { yes: boolean }, name: string) {
    const session = await openSession(this, flags);
    const key = findNamed('key', await read(session), name, (one) => one.name);
    await confirm(this.process, `Revoke the key ${key.name} (${key.prefix})?`, flags.yes);
    const params = { keyId: key.id };
    const reply = (await isOperator(session))
      ? await session.client.call('DELETE /api/system/keys/:keyId', { params })
      : await session.client.call('DELETE /api/keys/:keyId', { params });
    session.output.answer(reply, () => key.name);
  },
});

interface ExchangeFlags {
  json: boolean;
  project: string;
  audience?: string;
}

const exchange = buildCommand({
  docs: about(
    'Exchange the identity token of a CI job for a key of minutes, and print it',
    'Needs LONGSHORE_URL and a trust policy of the project (longshore trust create), and no stored key. The token is that in LONGSHORE_ID_TOKEN, else one of the Actions service of the job. Each token gives one key, so exchange it once in a job. Where the job runs in Actions, the key is masked in the log.',
    'LONGSHORE_KEY=$(longshore keys exchange -p shop); export LONGSHORE_KEY',
  ),
  parameters: {
    flags: {
      json: commonFlags.json,
      project: {
        kind: 'parsed',
        parse: String,
        brief: 'Project: id; in the default tenant also its name in URLs',
        placeholder: 'project',
      },
      audience: textFlag('Audience of the requested token (default: LONGSHORE_URL)', 'text'),
    },
    aliases: { p: 'project' },
  },
  async func(this: CommandLine, { json, project, audience }: ExchangeFlags) {
    const { env, stderr } = this.process;
    if (!env.LONGSHORE_URL)
      throw usageFailure(
        'LONGSHORE_URL is not set: set it to the URL of your instance, such as https://longshore.example.',
      );
    const url = originOf(env.LONGSHORE_URL);
    const output = createOutput(this.process, json);
    const client = clientOf({ url, key: '' });
    // Each attempt sends another token, where the CI service gives several.
    const reply = await patiently(async () => {
      const token = await idTokenOf(env, audience ?? url);
      return client.call('POST /api/keys/exchange', { body: { token, project } });
    }, output).catch((error: unknown) => {
      // The usual advice is about the key of the caller, and a job has none.
      if (!(error instanceof LongshoreError)) throw error;
      throw new Failure(error.message, { code: error.code });
    });
    // Actions reads its commands from both streams; stdout is the result.
    if (env.GITHUB_ACTIONS === 'true') stderr.write(`::add-mask::${reply.token}\n`);
    output.answer(reply, () => reply.token);
    output.progress(`A key of ${reply.key.name}, valid until ${reply.key.expiresAt}.`);
  },
});

export const keys = buildRouteMap({
  docs: { brief: 'API keys' },
  routes: { list, create, exchange, revoke },
});
