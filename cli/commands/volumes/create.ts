/** `volumes create` and `volumes remove`. */
import { buildCommand } from '@stricli/core';
import { confirm } from '../../base/prompts.ts';
import { pathOf } from '../../names/find.ts';
import { findNamed } from '../../names/named.ts';
import {
  about,
  serviceAliases as aliases,
  type CommandLine,
  openSession,
  type ServiceFlags,
  serviceFlags,
  switchFlag,
  wholeNumber,
} from '../../session.ts';

interface CreateFlags extends ServiceFlags {
  size?: number;
}

export const create = buildCommand({
  docs: about(
    'Create a volume for a service',
    'longshore volumes create uploads /var/lib/app/uploads -s web. The next deployment or restart mounts it. From then on the old version stops before a new one starts, so that two versions never write to the same files.',
  ),
  parameters: {
    flags: {
      ...serviceFlags,
      size: {
        kind: 'parsed',
        parse: wholeNumber,
        brief: 'Stop the service when the volume holds more',
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
    session.output.progress(`To mount it: longshore restart ${pathOf(found)}`);
  },
});

export const remove = buildCommand({
  docs: about('Remove a volume', 'Its files can be restored for 72 hours.'),
  parameters: {
    flags: { ...serviceFlags, yes: switchFlag('Do not ask for confirmation') },
    aliases: { ...aliases, y: 'yes' },
    positional: {
      kind: 'tuple',
      parameters: [{ brief: 'Name or id of the volume', parse: String, placeholder: 'volume' }],
    },
  },
  async func(this: CommandLine, flags: ServiceFlags & { yes: boolean }, name: string) {
    const session = await openSession(this, flags);
    const found = await session.find(flags);
    const params = { serviceId: found.service.id };
    const { volumes } = await session.client.call('GET /api/services/:serviceId/volumes', { params });
    const volume = findNamed('volume', volumes, name, (one) => one.name);
    await confirm(this.process, `Remove the volume ${volume.name} (${volume.mountPath})?`, flags.yes);
    const reply = await session.client.call('DELETE /api/services/:serviceId/volumes/:volumeId', {
      params: { ...params, volumeId: volume.id },
    });
    session.output.answer(reply, () => volume.name);
    session.output.progress(`To restore it: longshore restore ${pathOf(found)}/${volume.name}`);
  },
});
