/** `volumes`: files that outlive the containers of a service, and their backups. */
import { buildRouteMap } from '@stricli/core';
import type { ReplyOf } from '../../../client/client.ts';
import { buildCommand } from '../../base/command.ts';
import { size } from '../../base/progress.ts';
import { confirm } from '../../base/prompts.ts';
import { table } from '../../base/table.ts';
import { type Storage, storageFlag, type WorkFlags, waitForWork, workFlags } from '../../data/wait.ts';
import type { Found } from '../../names/find.ts';
import { findNamed } from '../../names/named.ts';
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
} from '../../session.ts';
import { change, create, remove } from './create.ts';
import { move } from './move.ts';
import { prove, settings } from './schedule.ts';
import {
  backupArgument,
  findVolumeBackup,
  type QuiesceFlags,
  quiesceFlags,
  readBackups,
  waiting,
} from './volume-backups.ts';

type Volume = ReplyOf<'GET /api/services/:serviceId/volumes'>['volumes'][number];

const readVolumes = async ({ client }: Session, { service }: Found): Promise<Volume[]> =>
  (await client.call('GET /api/services/:serviceId/volumes', { params: { serviceId: service.id } })).volumes;
const list = buildCommand({
  docs: { brief: 'List the volumes of a service' },
  parameters: { flags: serviceFlags, aliases, positional: serviceArgument },
  async func(this: CommandLine, flags: ServiceFlags, target?: string) {
    const session = await openSession(this, flags);
    const volumes = await readVolumes(session, await session.find(flags, target));
    const megabytes = (count: number | null) => (count === null ? '' : `${count} MB`);
    const rows = volumes.map((one) => [
      one.name,
      one.mountPath,
      megabytes(one.usedMb),
      megabytes(one.sizeMb),
    ]);
    session.output.answer({ volumes }, () =>
      table(
        ['NAME', 'PATH', 'USED', 'LIMIT'],
        rows,
        'No volumes: longshore volumes create NAME /path/in/the/container',
      ),
    );
  },
});

const backups = buildCommand({
  docs: { brief: "List the backups of a service's volumes, newest first" },
  parameters: { flags: serviceFlags, aliases, positional: serviceArgument },
  async func(this: CommandLine, flags: ServiceFlags, target?: string) {
    const session = await openSession(this, flags);
    const found = await session.find(flags, target);
    const [volumes, backups] = await Promise.all([readVolumes(session, found), readBackups(session, found)]);
    const names = new Map(volumes.map(({ id, name }) => [id, name]));
    const rows = backups.map((one) => [
      one.id,
      names.get(one.volumeId) ?? one.volumeId,
      one.status,
      one.createdAt,
      size(one.sizeBytes),
      one.lastProvenAt ?? '',
      one.error ?? '',
    ]);
    session.output.answer({ backups }, () =>
      table(
        ['ID', 'VOLUME', 'STATUS', 'CREATED', 'SIZE', 'TESTED', ''],
        rows,
        'No backups: longshore volumes backup VOLUME',
      ),
    );
  },
});

interface BackupFlags extends ServiceFlags, WorkFlags, QuiesceFlags {
  storage?: Storage;
  stop: boolean;
}

const backup = buildCommand({
  docs: about(
    'Back up a volume',
    'Prints the id of the backup. --quiesce stop (or --stop) stops the service while its files are copied, so that all files are from the same moment. --quiesce command runs --before and --after in its container instead.',
  ),
  parameters: {
    flags: {
      ...serviceFlags,
      ...workFlags,
      storage: storageFlag('disk'),
      stop: switchFlag('The same as --quiesce stop'),
      ...quiesceFlags,
    },
    aliases: { ...aliases, w: 'wait' },
    positional: {
      kind: 'tuple',
      parameters: [{ brief: 'Name or id of the volume', parse: String, placeholder: 'volume' }],
    },
  },
  async func(this: CommandLine, flags: BackupFlags, name: string) {
    const session = await openSession(this, flags);
    const found = await session.find(flags);
    const { before, after } = flags;
    const quiesce = flags.quiesce ?? (flags.stop ? 'stop' : 'none');
    const volume = findNamed('volume', await readVolumes(session, found), name, (one) => one.name);
    const { backup } = await session.client.call('POST /api/services/:serviceId/volume-backups', {
      params: { serviceId: found.service.id },
      body: {
        ...{ volumeId: volume.id, storage: flags.storage ?? 'disk', quiesce },
        ...(before === undefined ? {} : { before }),
        ...(after === undefined ? {} : { after }),
      },
    });
    const ended = flags.wait
      ? await waitForWork(session, waiting(this, flags, `Backup ${backup.id}`, found), async () =>
          (await readBackups(session, found)).find((one) => one.id === backup.id),
        )
      : backup;
    session.output.answer({ backup: ended }, () => backup.id);
  },
});

interface RestoreFlags extends ServiceFlags, WorkFlags {
  into?: string;
  yes: boolean;
}

const restore = buildCommand({
  docs: about(
    'Restore a volume from a backup',
    'Replaces all files of the volume, after a backup of these files.',
    'longshore volumes restore latest -s web --wait',
  ),
  parameters: {
    flags: {
      ...serviceFlags,
      ...workFlags,
      into: textFlag('Restore into this volume of the service', 'volume'),
      yes: switchFlag('Do not ask for confirmation'),
    },
    aliases: { ...aliases, w: 'wait', y: 'yes' },
    positional: backupArgument,
  },
  async func(this: CommandLine, flags: RestoreFlags, name: string) {
    const session = await openSession(this, flags);
    const found = await session.find(flags);
    const chosen = await findVolumeBackup(session, found, name);
    const { id } = chosen;
    const target = findNamed(
      'volume',
      await readVolumes(session, found),
      flags.into ?? chosen.volumeId,
      (one) => one.name,
    );
    await confirm(
      this.process,
      `Replace all files of ${target.name} (${target.mountPath}) by the backup of ${chosen.createdAt}?`,
      flags.yes,
    );
    const reply = await session.client.call(
      'POST /api/services/:serviceId/volume-backups/:backupId/restore',
      {
        params: { serviceId: found.service.id, backupId: id },
        body: flags.into === undefined ? {} : { targetVolumeId: target.id },
      },
    );
    if (flags.wait)
      await waitForWork(session, waiting(this, flags, `Restore of ${id}`, found), async () => {
        const restore = (await readBackups(session, found)).find((one) => one.id === id)?.restore;
        const isNew = restore && restore.id !== chosen.restore?.id;
        return isNew
          ? { ...restore, status: restore.state }
          : { status: 'running' as const, progress: null, error: null };
      });
    session.output.answer(reply, () => target.name);
  },
});

export const volumes = buildRouteMap({
  docs: { brief: 'Volumes of a service and their backups' },
  routes: { list, create, change, remove, backup, backups, restore, settings, prove, move },
});
