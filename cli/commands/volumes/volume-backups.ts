/** Reads backups of a service's volumes and waits for them, for several commands. */
import type { ReplyOf } from '../../../client/client.ts';
import { usageFailure } from '../../base/failure.ts';
import { type WorkFlags, waitOptions } from '../../data/wait.ts';
import { type Found, pathOf } from '../../names/find.ts';
import { volumeBackupNames } from '../../proposals.ts';
import { type CommandLine, type Session, textFlag } from '../../session.ts';

type Backup = ReplyOf<'GET /api/services/:serviceId/volume-backups'>['backups'][number];

export const readBackups = async ({ client }: Session, { service }: Found): Promise<Backup[]> =>
  (await client.all('GET /api/services/:serviceId/volume-backups', { params: { serviceId: service.id } }))
    .backups;

export const waiting = (command: CommandLine, flags: WorkFlags, subject: string, found: Found) =>
  waitOptions(command, flags, { subject, comeBack: `longshore volumes backups ${pathOf(found)}` });

/** Whether and how the service pauses while its volume is copied. */
export interface QuiesceFlags {
  quiesce?: Backup['quiesce'];
  before?: string;
  after?: string;
}

export const quiesceFlags = {
  quiesce: {
    kind: 'enum',
    values: ['none', 'stop', 'command'],
    brief: 'What the service does during the copy',
    optional: true,
    placeholder: 'mode',
  },
  before: textFlag('For --quiesce command: runs in the container before the copy', 'line'),
  after: textFlag('For --quiesce command: runs after the copy, also if the copy failed', 'line'),
} as const;

export const backupArgument = {
  kind: 'tuple',
  parameters: [
    {
      brief: 'Id of the backup, or latest',
      parse: String,
      placeholder: 'backup',
      proposeCompletions: volumeBackupNames,
    },
  ],
} as const;

/**
 * The backup with this id, or the newest successful backup.
 * @throws Failure (usage); also for `latest` if the service has backups of several volumes
 */
export async function findVolumeBackup(session: Session, found: Found, name: string): Promise<Backup> {
  const backups = await readBackups(session, found);
  const { slug } = found.service;
  const listed = `Its backups: longshore volumes backups ${pathOf(found)}`;
  if (name !== 'latest') {
    const backup = backups.find(({ id }) => id === name);
    if (backup !== undefined) return backup;
    throw usageFailure(`${slug} has no backup "${name}". ${listed}`);
  }
  const whole = backups.filter(({ status, trigger }) => status === 'succeeded' && trigger !== 'pre-restore');
  const [newest] = whole;
  if (newest === undefined)
    throw usageFailure(`${slug} has no backup that succeeded: longshore volumes backup VOLUME --wait`);
  if (whole.every(({ volumeId }) => volumeId === newest.volumeId)) return newest;
  throw usageFailure(
    `${slug} has backups of several volumes, so "latest" could mean each of them: give an id. ${listed}`,
  );
}
