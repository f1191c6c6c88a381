/** `settings`: settings for building, starting, checking and limiting a service. */
import { buildRouteMap } from '@stricli/core';
import { buildCommand } from '../base/command.ts';
import { usageFailure } from '../base/failure.ts';
import { readStdin } from '../base/output.ts';
import { table } from '../base/table.ts';
import { commandFor } from '../deployments/next-command.ts';
import { settingAssignments } from '../proposals.ts';
import { type Assignment, assignment, patchOf, settingsOf } from '../service-settings/assignments.ts';
import {
  about,
  serviceAliases as aliases,
  type CommandLine,
  openSession,
  type ServiceFlags,
  serviceArgument,
  serviceFlags,
  switchFlag,
} from '../session.ts';

const show = buildCommand({
  docs: about(
    'Show the settings of a service',
    'Shows the settings that are set, or with --all every setting. longshore settings set accepts the same names.',
  ),
  parameters: {
    flags: { ...serviceFlags, all: switchFlag('Also the settings that are not set') },
    aliases,
    positional: serviceArgument,
  },
  async func(this: CommandLine, flags: ServiceFlags & { all: boolean }, target?: string) {
    const session = await openSession(this, flags);
    const { service } = await session.find(flags, target);
    const settings = settingsOf(service);
    const rows = Object.entries(settings).filter(([, value]) => flags.all || value !== '');
    session.output.answer({ settings }, () => table(['NAME', 'VALUE'], rows, ''));
  },
});

const set = buildCommand({
  docs: about(
    'Change settings of a service',
    'An empty value clears a setting: sleepAfterMinutes=. If one setting is refused, none is changed. A list, such as command, is JSON or words. With --stdin and one name, stdin is the value: use it for gitToken. Settings take effect with the next deployment or restart.',
    'longshore settings set replicas=3 memoryLimitMb=512 -s web',
  ),
  parameters: {
    flags: { ...serviceFlags, stdin: switchFlag('Read the value of one setting from stdin') },
    aliases,
    positional: {
      kind: 'array',
      minimum: 1,
      parameter: {
        brief: 'NAME=VALUE',
        parse: String,
        placeholder: 'assignment',
        proposeCompletions: settingAssignments,
      },
    },
  },
  async func(this: CommandLine, flags: ServiceFlags & { stdin: boolean }, ...given: string[]) {
    const { patch, command } = patchOf(
      flags.stdin ? [await fromStdin(this.process, given)] : given.map(assignment),
    );
    const session = await openSession(this, flags);
    const found = await session.find(flags);
    const reply = await session.client.call('PATCH /api/services/:serviceId', {
      params: { serviceId: found.service.id },
      body: patch,
    });
    session.output.answer(reply, () => Object.keys(patch).join('\n'));
    for (const warning of reply.warnings ?? []) session.output.progress(warning);
    if (command !== undefined)
      session.output.progress(
        `To pass the change to the app: ${commandFor({ ...found, service: reply.service }, patch, command)}`,
      );
  },
});

async function fromStdin(process: CommandLine['process'], given: string[]): Promise<Assignment> {
  const [name = ''] = given;
  if (given.length !== 1 || name.includes('='))
    throw usageFailure('With --stdin, give one name without a value.');
  return { name, value: (await readStdin(process, `the value of ${name}`)).replace(/\r?\n$/, '') };
}

export const settings = buildRouteMap({
  docs: { brief: 'Settings of a service: replicas, sleep, limits, health, commands' },
  routes: { show, set },
});
