/** `env`: variables of a service. */

import { chmod, readFile, writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { buildRouteMap } from '@stricli/core';
import type { Variable } from '../../client/client.ts';
import { writeEnvText } from '../../protocol/env-text.ts';
import { buildCommand } from '../base/command.ts';
import { exitCodes, usageFailure } from '../base/failure.ts';
import { readStdin } from '../base/output.ts';
import { confirm } from '../base/prompts.ts';
import { table } from '../base/table.ts';
import { nextStep } from '../deployments/next-command.ts';
import type { Found } from '../names/find.ts';
import { variableAssignments, variableNames } from '../proposals.ts';
import {
  about,
  serviceAliases as aliases,
  type CommandLine,
  openSession,
  type ServiceFlags,
  type Session,
  serviceFlags,
  switchFlag,
} from '../session.ts';
import { assignment, compare, readEnvFile, type Values } from '../variables/env-file.ts';
import {
  differenceLines,
  fileValues,
  pick,
  readable,
  readVariables,
  removeVariables,
  setVariables,
  type VariableChoices,
} from '../variables/service-variables.ts';

const list = buildCommand({
  docs: { brief: 'List variables; --values also shows secret values' },
  parameters: {
    flags: { ...serviceFlags, values: switchFlag('Show the values of secret variables') },
    aliases,
  },
  async func(this: CommandLine, flags: ServiceFlags & { values: boolean }) {
    const session = await openSession(this, flags);
    const { service } = await session.find(flags);
    const all = (await readVariables(session, service)).map((one) =>
      one.secret && !flags.values ? { ...one, value: '', resolvedValue: '' } : one,
    );
    const shown = ({ secret, hasValue, value }: Variable) =>
      secret && hasValue && value === '' ? '(secret)' : value;
    const rows = all.map((one) => [one.key, one.scope, JSON.stringify(shown(one)).slice(1, -1)]);
    session.output.answer({ env: all }, () =>
      table(['NAME', 'SCOPE', 'VALUE'], rows, 'No variables: longshore env set KEY=VALUE'),
    );
  },
});

interface SetFlags extends ServiceFlags {
  stdin: boolean;
  secret: boolean;
  scope?: Variable['scope'];
}

const set = buildCommand({
  docs: about(
    'Set variables',
    'If one variable is refused, none is set. With --scope build, only builds get the variables; with --scope run, only containers, commands and schedules. Without --scope, a variable keeps its scope, and a new one applies to both. With --stdin and a name, stdin is the value: other users of this machine cannot see it. With --stdin and no name, stdin is read like a .env file. The app gets the variables with the next deployment or restart, and builds with the next deployment.',
    'longshore env set A=1 B=2',
  ),
  parameters: {
    flags: {
      ...serviceFlags,
      stdin: switchFlag('Read from stdin'),
      secret: switchFlag('Hide the values in logs and from keys that may only read'),
      scope: {
        kind: 'enum',
        values: ['both', 'build', 'run'],
        brief: 'Where the variables apply',
        optional: true,
        placeholder: 'scope',
      },
    },
    aliases,
    positional: {
      kind: 'array',
      parameter: {
        brief: 'KEY=VALUE',
        parse: String,
        placeholder: 'assignment',
        proposeCompletions: variableAssignments,
      },
    },
  },
  async func(this: CommandLine, flags: SetFlags, ...given: string[]) {
    const session = await openSession(this, flags);
    const values = await givenValues(this.process, flags.stdin, given);
    const found = await session.find(flags);
    if (Object.keys(values).length === 0) throw usageFailure('There is nothing to set.');
    await send(session, found, values, flags);
  },
});

async function givenValues(
  process: CommandLine['process'],
  stdin: boolean,
  given: string[],
): Promise<Values> {
  const [name] = given;
  if (!stdin) {
    if (name === undefined) throw usageFailure('Which variables? For example: longshore env set KEY=VALUE');
    return Object.fromEntries(given.map(assignment));
  }
  if (name === undefined) return readEnvFile(await readStdin(process, 'a .env file'), 'stdin');
  if (given.length > 1 || name.includes('='))
    throw usageFailure('With --stdin, give one name without a value, or none.');
  return { [name]: (await readStdin(process, `the value of ${name}`)).replace(/\r?\n$/, '') };
}

/** Sets variables and prints how they reach the app. */
async function send(
  session: Session,
  found: Found,
  values: Values,
  choices: VariableChoices = {},
): Promise<void> {
  const reply = await setVariables(session, found.service, values, choices);
  const names = Object.keys(values);
  session.output.answer(reply, () => names.join('\n'));
  session.output.progress(`Set. ${nextStep(found, reply.env)}`);
}

const unset = buildCommand({
  docs: { brief: 'Remove variables' },
  parameters: {
    flags: serviceFlags,
    aliases,
    positional: {
      kind: 'array',
      minimum: 1,
      parameter: { brief: 'Names', parse: String, placeholder: 'name', proposeCompletions: variableNames },
    },
  },
  async func(this: CommandLine, flags: ServiceFlags, ...names: string[]) {
    const session = await openSession(this, flags);
    const { service } = await session.find(flags);
    const known = new Set((await readVariables(session, service)).map(({ key }) => key));
    const unknown = names.filter((name) => !known.has(name));
    if (unknown.length > 0)
      throw usageFailure(
        `${service.slug} has no ${unknown.join(', ')}. Nothing was removed. It has: ${[...known].join(', ')}`,
      );
    await removeVariables(session, service, names);
    session.output.answer({ removed: names }, () => names.join('\n'));
  },
});

const fileArgument = {
  kind: 'tuple',
  parameters: [{ brief: 'File (.env)', parse: String, optional: true, placeholder: 'file' }],
} as const;

const yes = switchFlag('Do not ask for confirmation');
const withYes = { ...aliases, y: 'yes' } as const;
type FileFlags = ServiceFlags & { yes: boolean };

const pull = buildCommand({
  docs: { brief: 'Write the variables, without their scopes, into a .env file that only you can read' },
  parameters: { flags: { ...serviceFlags, yes }, aliases: withYes, positional: fileArgument },
  async func(this: CommandLine, flags: FileFlags, given?: string) {
    const file = given ?? '.env';
    const session = await openSession(this, flags);
    const { service } = await session.find(flags);
    const values = await readable(session, service);
    const text = writeEnvText(Object.entries(values));
    const path = resolve(session.directory, file);
    const before = await readFile(path, 'utf8').catch(() => undefined);
    if (before !== undefined && before !== text) await confirm(this.process, `Overwrite ${file}?`, flags.yes);
    // The mode of `writeFile` applies only to new files.
    if (before !== undefined) await chmod(path, 0o600);
    if (before !== text) await writeFile(path, text, { mode: 0o600 });
    session.output.answer({ path, names: Object.keys(values) }, () => path);
  },
});

const push = buildCommand({
  docs: about(
    'Set the variables of a .env file',
    'Shows the names that will change, and asks first. Keeps variables that are not in the file, and the scope of those that exist.',
  ),
  parameters: { flags: { ...serviceFlags, yes }, aliases: withYes, positional: fileArgument },
  async func(this: CommandLine, flags: FileFlags, given?: string) {
    const file = given ?? '.env';
    const session = await openSession(this, flags);
    const found = await session.find(flags);
    const { service } = found;
    const values = await fileValues(session, file);
    const { added, changed } = compare(values, await readable(session, service));
    if (added.length + changed.length === 0)
      return session.output.answer({ ok: true, env: [] }, () => 'No differences.');
    for (const line of [...added.map((name) => `+ ${name}`), ...changed.map((name) => `~ ${name}`)])
      session.output.progress(line);
    await confirm(this.process, `Set these variables in ${service.slug}?`, flags.yes);
    await send(session, found, pick(values, [...added, ...changed]));
  },
});

const apply = buildCommand({
  docs: about(
    'Make the variables the same as in a .env file',
    'Like push, but also removes variables that are not in the file. Shows the names that will change, and asks first.',
  ),
  parameters: { flags: { ...serviceFlags, yes }, aliases: withYes, positional: fileArgument },
  async func(this: CommandLine, flags: FileFlags, given?: string) {
    const file = given ?? '.env';
    const session = await openSession(this, flags);
    const found = await session.find(flags);
    const { service } = found;
    const values = await fileValues(session, file);
    const difference = compare(values, await readable(session, service));
    const { added, changed, missing } = difference;
    const lines = differenceLines(difference);
    if (lines.length > 0) {
      session.output.progress(lines.join('\n'));
      await confirm(
        this.process,
        `Change the variables of ${service.slug} so that they are the same as in ${file}?`,
        flags.yes,
      );
      const set = await setVariables(session, service, pick(values, [...added, ...changed]));
      const removed = await removeVariables(session, service, missing);
      session.output.progress(nextStep(found, [...set.env, ...removed]));
    }
    session.output.answer(difference, () => lines.join('\n') || 'No differences.');
  },
});

const diff = buildCommand({
  docs: about(
    'Compare a .env file with the variables of a service',
    'Shows names, never values. + means only in the file, - only in the service, ~ in both with different values. The exit code is 1 if there are differences.',
  ),
  parameters: { flags: serviceFlags, aliases, positional: fileArgument },
  async func(this: CommandLine, flags: ServiceFlags, given?: string) {
    const file = given ?? '.env';
    const session = await openSession(this, flags);
    const { service } = await session.find(flags);
    const difference = compare(await fileValues(session, file), await readable(session, service));
    const lines = differenceLines(difference);
    session.output.answer(difference, () => lines.join('\n'));
    if (lines.length > 0) this.process.exitCode = exitCodes.failed;
  },
});

export const env = buildRouteMap({
  docs: { brief: 'Variables of a service' },
  routes: { list, set, unset, pull, push, apply, diff },
});
