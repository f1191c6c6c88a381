/** `volumes create`, `volumes change` and `volumes remove`. */
import { buildCommand } from '../../base/command.ts';
import { usageFailure } from '../../base/failure.ts';
import { confirm } from '../../base/prompts.ts';
import { applyCommand } from '../../deployments/next-command.ts';
import { pathToRestore } from '../../names/deleted.ts';
import type { Found } from '../../names/find.ts';
import { findNamed } from '../../names/named.ts';
import {
  about,
  serviceAliases as aliases,
  type CommandLine,
  openSession,
  type ServiceFlags,
  type Session,
  serviceFlags,
  switchFlag,
  textFlag,
  wholeNumber,
} from '../../session.ts';

interface CreateFlags extends ServiceFlags {
  size?: number;
}

const volumeArgument = {
  kind: 'tuple',
  parameters: [{ brief: 'Name or id of the volume', parse: String, placeholder: 'volume' }],
} as const;

export const create = buildCommand({
  docs: about(
    'Create a volume for a service',
    'The next deployment or restart mounts it. From then on the old version stops before a new one starts, so that two versions never write to the same files.',
    'longshore volumes create uploads /var/lib/app/uploads -s web',
  ),
  parameters: {
    flags: {
      ...serviceFlags,
      size: {
        kind: 'parsed',
        parse: wholeNumber,
        brief: 'Stop the service when the volume grows larger than this',
        optional: true,
        placeholder: 'MB',
      },
    },
    aliases,
    positional: {
      kind: 'tuple',
      parameters: [
        { brief: 'Name: lower-case letters, digits and hyphens', parse: String, placeholder: 'volume' },
        { brief: 'Absolute path in the container', parse: String, placeholder: 'path' },
      ],
    },
  },
  async func(this: CommandLine, flags: CreateFlags, name: string, mountPath: string) {
    const session = await openSession(this, flags);
    const found = await session.find(flags);
    const reply = await session.client.call('POST /api/services/:serviceId/volumes', {
      params: { serviceId: found.service.id },
      body: { name, mountPath, ...(flags.size === undefined ? {} : { sizeMb: flags.size }) },
    });
    session.output.answer(reply, () => reply.volume.name);
    session.output.progress(
      `To mount it: ${applyCommand(found, 'restart')}. From then on each deployment and restart stops the old version first; requests wait until the new version answers.`,
    );
  },
});

interface ChangeFlags extends ServiceFlags {
  name?: string;
  path?: string;
  size?: number | 'off';
}

/** @throws Error that the framework reports as a usage error */
const sizeOf = (input: string) => (input === 'off' ? input : wholeNumber(input));

export const change = buildCommand({
  docs: about(
    'Change the name, the path or the limit of a volume',
    'Its files stay. The next deployment or restart uses a new path or limit.',
    'longshore volumes change uploads --size 2000 -s web',
  ),
  parameters: {
    flags: {
      ...serviceFlags,
      name: textFlag('New name', 'name'),
      path: textFlag('New absolute path in the container', 'path'),
      size: {
        kind: 'parsed',
        parse: sizeOf,
        brief: 'Stop the service when the volume grows larger than this; off: no limit',
        optional: true,
        placeholder: 'MB',
      },
    },
    aliases,
    positional: volumeArgument,
  },
  async func(this: CommandLine, flags: ChangeFlags, name: string) {
    const body = {
      ...(flags.name === undefined ? {} : { name: flags.name }),
      ...(flags.path === undefined ? {} : { mountPath: flags.path }),
      ...(flags.size === undefined ? {} : { sizeMb: flags.size === 'off' ? null : flags.size }),
    };
    if (Object.keys(body).length === 0)
      throw usageFailure('Nothing to change: give --name, --path or --size.');
    const session = await openSession(this, flags);
    const found = await session.find(flags);
    const { volume, params } = await findVolume(session, found, name);
    const reply = await session.client.call('PATCH /api/services/:serviceId/volumes/:volumeId', {
      params: { ...params, volumeId: volume.id },
      body,
    });
    session.output.answer(reply, () => reply.volume.name);
    if (flags.path !== undefined || flags.size !== undefined)
      session.output.progress(`To use it: ${applyCommand(found, 'restart')}`);
  },
});

async function findVolume({ client }: Session, { service }: Found, name: string) {
  const params = { serviceId: service.id };
  const { volumes } = await client.call('GET /api/services/:serviceId/volumes', { params });
  return { params, volume: findNamed('volume', volumes, name, (one) => one.name) };
}

export const remove = buildCommand({
  docs: about('Remove a volume', 'Its files can be restored for 72 hours.'),
  parameters: {
    flags: { ...serviceFlags, yes: switchFlag('Do not ask for confirmation') },
    aliases: { ...aliases, y: 'yes' },
    positional: volumeArgument,
  },
  async func(this: CommandLine, flags: ServiceFlags & { yes: boolean }, name: string) {
    const session = await openSession(this, flags);
    const found = await session.find(flags);
    const { volume, params } = await findVolume(session, found, name);
    await confirm(this.process, `Remove the volume ${volume.name} (${volume.mountPath})?`, flags.yes);
    const reply = await session.client.call('DELETE /api/services/:serviceId/volumes/:volumeId', {
      params: { ...params, volumeId: volume.id },
    });
    session.output.answer(reply, () => volume.name);
    session.output.progress(
      `To restore it: longshore restore ${pathToRestore(found.project.name, found.service.name, volume.name)}`,
    );
  },
});
