/** `traffic`: rules that the host applies to requests before they reach the app. */
import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { buildRouteMap } from '@stricli/core';
import type { ReplyOf } from '../../client/client.ts';
import { buildCommand } from '../base/command.ts';
import { usageFailure } from '../base/failure.ts';
import { readStdin } from '../base/output.ts';
import { confirm } from '../base/prompts.ts';
import { pathOf } from '../names/find.ts';
import {
  about,
  serviceAliases as aliases,
  type CommandLine,
  openSession,
  type ServiceFlags,
  type Session,
  serviceArgument,
  serviceFlags,
  switchFlag,
  textFlag,
} from '../session.ts';

type Rules = ReplyOf<'GET /api/services/:serviceId/traffic-rules'>['rules'];
type SetReply = ReplyOf<'PUT /api/services/:serviceId/traffic-rules'>;

const read = async ({ client }: Session, serviceId: string): Promise<Rules> =>
  (await client.call('GET /api/services/:serviceId/traffic-rules', { params: { serviceId } })).rules;

const write = ({ client }: Session, serviceId: string, rules: Rules): Promise<SetReply> =>
  client.call('PUT /api/services/:serviceId/traffic-rules', { params: { serviceId }, body: rules });

/** The rules as lines of JSON that `set` accepts. */
const shown = (rules: Rules) => JSON.stringify(rules, null, 2);

function answer({ output }: Session, reply: SetReply): void {
  output.answer(reply, () => shown(reply.rules));
  if (!reply.proxy.ok) output.progress(reply.proxy.detail);
}

/** Whether a rule applies to the name. A rule without names applies to all. */
const appliesTo = (name: string) => (rule: { domains?: string[] } | null | undefined) =>
  rule?.domains === undefined || rule.domains.includes(name);

/** The rules that apply to one name of the service. */
function rulesOf(rules: Rules, name: string): Rules {
  const { redirects, basicAuth, maintenance } = rules;
  const applies = appliesTo(name);
  return {
    ...rules,
    ...(redirects ? { redirects: redirects.filter(applies) } : {}),
    ...(basicAuth ? { basicAuth: applies(basicAuth) ? basicAuth : null } : {}),
    ...(maintenance ? { maintenance: applies(maintenance) ? maintenance : null } : {}),
  };
}

const show = buildCommand({
  docs: about(
    'Show the traffic rules of a service',
    'Prints JSON that longshore traffic set accepts, without passwords. --domain shows only the rules that apply to this name.',
  ),
  parameters: {
    flags: { ...serviceFlags, domain: textFlag('Only rules that apply to this name', 'name') },
    aliases,
    positional: serviceArgument,
  },
  async func(this: CommandLine, flags: ServiceFlags & { domain?: string }, target?: string) {
    const session = await openSession(this, flags);
    const { service } = await session.find(flags, target);
    const all = await read(session, service.id);
    const rules = flags.domain === undefined ? all : rulesOf(all, flags.domain);
    session.output.answer({ rules }, () => shown(rules));
  },
});

const set = buildCommand({
  docs: about(
    'Replace the traffic rules of a service',
    'Rules that are not in the file are removed. A user of basicAuth without a password in the file keeps the old password. The rules apply at once. To change one rule: longshore traffic show web > rules.json, edit the file, and set it.',
    'longshore traffic set rules.json -s web, or on stdin',
  ),
  parameters: {
    flags: serviceFlags,
    aliases,
    positional: {
      kind: 'tuple',
      parameters: [
        { brief: 'File with JSON (default: stdin)', parse: String, optional: true, placeholder: 'file' },
      ],
    },
  },
  async func(this: CommandLine, flags: ServiceFlags, from?: string) {
    const session = await openSession(this, flags);
    const { service } = await session.find(flags);
    const text =
      from === undefined || from === '-'
        ? await readStdin(this.process, 'the rules as JSON')
        : await readFile(resolve(session.directory, from), 'utf8').catch((error: Error) => {
            throw usageFailure(`${from} cannot be read: ${error.message}`);
          });
    answer(session, await write(session, service.id, parsed(text, from ?? 'stdin')));
  },
});

/** @throws Failure (usage) if the text is not a JSON object; the API reports which field is wrong */
function parsed(text: string, from: string): Rules {
  let rules: unknown;
  try {
    rules = JSON.parse(text);
  } catch (error) {
    throw usageFailure(`${from} is not JSON: ${(error as Error).message}`);
  }
  if (typeof rules === 'object' && rules !== null && !Array.isArray(rules)) return rules as Rules;
  throw usageFailure(`${from} is not an object. For example: {"maxBodyMegabytes":10}`);
}

const onOff = ['on', 'off'] as const;

const maintenance = buildCommand({
  docs: about(
    'Show a maintenance page instead of the app, or end it',
    'Applies at once to all names of the service, or with --domain to one name. Other rules do not change.',
    'longshore traffic maintenance on -s web --allow 203.0.113.7',
  ),
  parameters: {
    flags: {
      ...serviceFlags,
      domain: textFlag('Only for this name', 'name'),
      allow: {
        kind: 'parsed',
        parse: String,
        brief: 'Address or network whose visitors still reach the app; can be repeated',
        optional: true,
        variadic: true,
        placeholder: 'address',
      },
      yes: switchFlag('Do not ask for confirmation'),
    },
    aliases: { ...aliases, y: 'yes' },
    positional: {
      kind: 'tuple',
      parameters: [{ brief: 'on or off', parse: oneOf(onOff), placeholder: 'on|off' }],
    },
  },
  async func(
    this: CommandLine,
    flags: ServiceFlags & { domain?: string; allow?: readonly string[]; yes: boolean },
    state: (typeof onOff)[number],
  ) {
    const session = await openSession(this, flags);
    const found = await session.find(flags);
    const { maintenance: before, ...others } = await read(session, found.service.id);
    if (state === 'on')
      await confirm(
        this.process,
        `Visitors of ${flags.domain ?? pathOf(found)} get a maintenance page.`,
        flags.yes,
      );
    const { domain, allow = [] } = flags;
    const page = {
      ...(domain === undefined ? {} : { domains: [domain] as [string] }),
      ...(allow.length > 0 ? { allowedAddresses: [...allow] } : {}),
    };
    if (state === 'off' && domain !== undefined && before?.domains?.join() !== domain)
      throw usageFailure(
        `The maintenance page is shown for other names too, not only for ${domain}. End it for all names without --domain, or change it: longshore traffic show, longshore traffic set`,
      );
    const rules = { ...others, maintenance: state === 'on' ? page : null } as Rules;
    answer(session, await write(session, found.service.id, rules));
  },
});

/** @throws Error that the framework reports as a usage error */
function oneOf<Value extends string>(values: readonly Value[]) {
  return (input: string): Value => {
    const found = values.find((value) => value === input);
    if (found === undefined) throw new Error(`"${input}" is none of: ${values.join(', ')}`);
    return found;
  };
}

export const traffic = buildRouteMap({
  docs: { brief: 'Redirects, passwords, maintenance, headers and limits of a service' },
  routes: { show, set, maintenance },
});
