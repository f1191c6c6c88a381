/** The schedule of backups of a service's volumes, and their drills. */

import type { ReplyOf } from '../../../client/client.ts';
import { buildCommand } from '../../base/command.ts';
import { usageFailure } from '../../base/failure.ts';
import { table } from '../../base/table.ts';
import { type Storage, storageFlag, type WorkFlags, waitForWork, workFlags } from '../../data/wait.ts';
import {
  about,
  serviceAliases as aliases,
  type CommandLine,
  openSession,
  type ServiceFlags,
  serviceArgument,
  serviceFlags,
  textFlag,
} from '../../session.ts';
import {
  backupArgument,
  findVolumeBackup,
  type QuiesceFlags,
  quiesceFlags,
  readBackups,
  waiting,
} from './volume-backups.ts';

type Settings = ReplyOf<'GET /api/services/:serviceId/volume-backups'>['settings'];

const levels = ['daily', 'weekly', 'monthly'] as const;

interface SettingsFlags extends ServiceFlags, QuiesceFlags {
  schedule?: string;
  storage?: Storage;
  drill?: Settings['drill'];
}

export const settings = buildCommand({
  docs: about(
    "Show or change the automatic backups of a service's volumes",
    'The settings apply to all volumes of the service, also to those added later.',
    'longshore volumes settings web --schedule daily,weekly --storage remote --quiesce stop --drill weekly',
  ),
  parameters: {
    flags: {
      ...serviceFlags,
      schedule: textFlag('daily, weekly and monthly, separated by commas, or off', 'levels'),
      storage: storageFlag('unchanged'),
      ...quiesceFlags,
      drill: {
        kind: 'enum',
        values: ['weekly', 'off'],
        brief: 'Test the newest backups by a restore',
        optional: true,
        placeholder: 'when',
      },
    },
    aliases,
    positional: serviceArgument,
  },
  async func(this: CommandLine, flags: SettingsFlags, target?: string) {
    const session = await openSession(this, flags);
    const params = { serviceId: (await session.find(flags, target)).service.id };
    const { storage, quiesce, before, after, drill } = flags;
    const given = { storage, quiesce, before, after, drill, ...levelsIn(flags.schedule) };
    const body = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
    const isChange = Object.keys(body).length > 0;
    const { settings } = isChange
      ? await session.client.call('PATCH /api/services/:serviceId/volume-backups/settings', { params, body })
      : await session.client.call('GET /api/services/:serviceId/volume-backups', { params });
    session.output.answer({ settings }, () => shown(settings));
  },
});

/** @throws Failure (usage) */
function levelsIn(schedule: string | undefined) {
  if (schedule === undefined) return {};
  const wanted = schedule === 'off' ? [] : schedule.split(',').map((one) => one.trim());
  const unknown = wanted.find((one) => !(levels as readonly string[]).includes(one));
  if (unknown !== undefined)
    throw usageFailure(
      `--schedule: "${unknown}" is not known. Give daily, weekly and monthly, separated by commas, or off.`,
    );
  return {
    automaticEnabled: wanted.length > 0,
    ...{ dailyEnabled: wanted.includes('daily'), weeklyEnabled: wanted.includes('weekly') },
    monthlyEnabled: wanted.includes('monthly'),
  };
}

function shown(settings: Settings): string {
  const enabled = settings.automaticEnabled ? levels.filter((level) => settings[`${level}Enabled`]) : [];
  return table(
    ['SCHEDULE', 'STORAGE', 'QUIESCE', 'DRILL', 'NEXT'],
    [
      [
        enabled.join(',') || 'off',
        settings.storage,
        settings.quiesce,
        settings.drill,
        settings.nextBackupAt ?? '',
      ],
    ],
    '',
  );
}

export const prove = buildCommand({
  docs: about(
    'Test that a backup of a volume can be restored',
    'Restores it into a temporary volume and compares every file. The service and its volumes are not changed.',
  ),
  parameters: {
    flags: { ...serviceFlags, ...workFlags },
    aliases: { ...aliases, w: 'wait' },
    positional: backupArgument,
  },
  async func(this: CommandLine, flags: ServiceFlags & WorkFlags, name: string) {
    const session = await openSession(this, flags);
    const found = await session.find(flags);
    const { id } = await findVolumeBackup(session, found, name);
    const params = { serviceId: found.service.id, backupId: id };
    const { drill } = await session.client.call(
      'POST /api/services/:serviceId/volume-backups/:backupId/prove',
      {
        params,
      },
    );
    const ended = flags.wait
      ? await waitForWork(session, waiting(this, flags, `Drill ${drill.id}`, found), async () => {
          const one = (await readBackups(session, found)).find((backup) => backup.id === id)?.drill;
          return one ? { ...one, status: statusOf(one) } : undefined;
        })
      : drill;
    session.output.answer({ drill: ended }, () => drill.id);
  },
});

/** A skipped or aborted drill has proved nothing. */
const statusOf = ({ state }: { state: string }) =>
  state === 'succeeded' || state === 'running' ? state : 'failed';
