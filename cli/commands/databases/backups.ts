/** Backups of a database: take, list, restore, download. */
import { resolve } from 'node:path';
import type { ReplyOf } from '../../../client/client.ts';
import { buildCommand } from '../../base/command.ts';
import { usageFailure } from '../../base/failure.ts';
import { size } from '../../base/progress.ts';
import { confirm } from '../../base/prompts.ts';
import { table } from '../../base/table.ts';
import { type FoundDatabase, findDatabase } from '../../data/databases.ts';
import { saveAs } from '../../data/download.ts';
import {
  type Storage,
  storageFlag,
  type WorkFlags,
  waitForWork,
  waitOptions,
  workFlags,
} from '../../data/wait.ts';
import { pathOf } from '../../names/find.ts';
import { backupNames } from '../../proposals.ts';
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
} from '../../session.ts';
import { databaseArgument } from './flags.ts';

type Backup = ReplyOf<'GET /api/services/:serviceId/database/backups'>['backups'][number];

const read = ({ client }: Session, serviceId: string) =>
  client.all('GET /api/services/:serviceId/database/backups', { params: { serviceId } });

/** The backup with this id, or the newest successful backup. @throws Failure (usage) */
async function findBackup(session: Session, found: FoundDatabase, name: string): Promise<Backup> {
  const { backups } = await read(session, found.service.id);
  const backup = backups.find((one) =>
    name === 'latest' ? one.status === 'succeeded' && one.trigger !== 'pre-restore' : one.id === name,
  );
  if (backup !== undefined) return backup;
  throw usageFailure(
    name === 'latest'
      ? `${found.service.slug} has no backup that succeeded: longshore db backup -s ${pathOf(found)} --wait`
      : `${found.service.slug} has no backup "${name}". Its backups: longshore db backups -s ${pathOf(found)}`,
  );
}

export const backups = buildCommand({
  docs: { brief: 'List the backups of a database, newest first' },
  parameters: { flags: serviceFlags, aliases, positional: databaseArgument },
  async func(this: CommandLine, flags: ServiceFlags, argument?: string) {
    const session = await openSession(this, flags);
    const found = await findDatabase(session, flags, argument);
    const reply = await read(session, found.service.id);
    const rows = reply.backups.map((one) => [
      one.id,
      one.status,
      one.createdAt,
      size(one.sizeBytes),
      one.storage,
      one.trigger,
      one.error ?? '',
    ]);
    session.output.answer(reply, () =>
      table(
        ['ID', 'STATUS', 'CREATED', 'SIZE', 'STORAGE', 'TRIGGER', ''],
        rows,
        `No backups: longshore db backup -s ${pathOf(found)}`,
      ),
    );
  },
});

export const backup = buildCommand({
  docs: about(
    'Back up a database',
    'Prints the id of the backup. With --wait, the command ends when the backup has succeeded, which means that it was written and read back.',
  ),
  parameters: {
    flags: { ...serviceFlags, ...workFlags, storage: storageFlag('the setting of the database') },
    aliases: { ...aliases, w: 'wait' },
    positional: databaseArgument,
  },
  async func(this: CommandLine, flags: ServiceFlags & WorkFlags & { storage?: Storage }, argument?: string) {
    const session = await openSession(this, flags);
    const found = await findDatabase(session, flags, argument);
    const serviceId = found.service.id;
    const storage = flags.storage ?? (await read(session, serviceId)).settings.storage;
    const { backup } = await session.client.call('POST /api/services/:serviceId/database/backups', {
      params: { serviceId },
      body: { storage },
    });
    const ended = flags.wait
      ? await waitForWork(session, waiting(this, flags, `Backup ${backup.id}`, found), async () =>
          (await read(session, serviceId)).backups.find((one) => one.id === backup.id),
        )
      : backup;
    session.output.answer({ backup: ended }, () => backup.id);
  },
});

const waiting = (command: CommandLine, flags: WorkFlags, subject: string, found: FoundDatabase) =>
  waitOptions(command, flags, { subject, comeBack: `longshore db backups -s ${pathOf(found)}` });

const backupArgument = {
  kind: 'tuple',
  parameters: [
    {
      brief: 'Id of the backup, or latest',
      parse: String,
      placeholder: 'backup',
      proposeCompletions: backupNames,
    },
  ],
} as const;

interface RestoreFlags extends ServiceFlags, WorkFlags {
  into?: string;
  yes: boolean;
}

export const restore = buildCommand({
  docs: about(
    'Restore a database from a backup',
    'Replaces all data of the database, after a backup of that data. --into restores into another database of the same engine.',
    'longshore db restore latest -s db --wait',
  ),
  parameters: {
    flags: {
      ...serviceFlags,
      ...workFlags,
      into: textFlag('Restore into this database', 'database'),
      yes: switchFlag('Do not ask for confirmation'),
    },
    aliases: { ...aliases, w: 'wait', y: 'yes' },
    positional: backupArgument,
  },
  async func(this: CommandLine, flags: RestoreFlags, name: string) {
    const session = await openSession(this, flags);
    const found = await findDatabase(session, flags);
    const chosen = await findBackup(session, found, name);
    const target = flags.into === undefined ? found : await findDatabase(session, flags, flags.into);
    await confirm(
      this.process,
      `Replace all data of ${pathOf(target)} with the backup of ${chosen.createdAt}?`,
      flags.yes,
    );
    const serviceId = found.service.id;
    const before = chosen.restore?.id;
    const reply = await session.client.call(
      'POST /api/services/:serviceId/database/backups/:backupId/restore',
      {
        params: { serviceId, backupId: chosen.id },
        body: flags.into === undefined ? {} : { targetServiceId: target.service.id },
      },
    );
    if (flags.wait) {
      const subject = `Restore of ${chosen.id}`;
      const ended = await waitForWork(session, waiting(this, flags, subject, found), async () => {
        const one = (await read(session, serviceId)).backups.find(({ id }) => id === chosen.id);
        if (one === undefined) return undefined;
        const { restore } = one;
        if (!restore || restore.id === before)
          return { status: 'running' as const, progress: null, error: null, safetyBackupId: null };
        return { ...restore, status: restore.state };
      });
      if (ended.safetyBackupId !== null)
        session.output.progress(
          `To get the former data back: longshore db restore ${ended.safetyBackupId} -s ${pathOf(target)}`,
        );
    }
    session.output.answer(reply, () => pathOf(target));
  },
});

interface DownloadFlags extends ServiceFlags {
  output?: string;
  stored: boolean;
}

export const download = buildCommand({
  docs: about(
    'Save a backup as a file that only you can read',
    'The file appears only when it is complete.',
    'longshore db download latest -s db -o shop.dump',
  ),
  parameters: {
    flags: {
      ...serviceFlags,
      output: textFlag('File to write (default: the id of the backup)', 'file'),
      stored: switchFlag('Save the stored bytes: an encrypted backup stays encrypted'),
    },
    aliases: { ...aliases, o: 'output' },
    positional: backupArgument,
  },
  async func(this: CommandLine, flags: DownloadFlags, name: string) {
    const session = await openSession(this, flags);
    const found = await findDatabase(session, flags);
    const chosen = await findBackup(session, found, name);
    const path = resolve(session.directory, flags.output ?? chosen.id);
    const reply = await session.client.open(
      'GET /api/services/:serviceId/database/backups/:backupId/download',
      {
        params: { serviceId: found.service.id, backupId: chosen.id },
        query: flags.stored ? { stored: 'true' } : {},
      },
    );
    const bytes = await saveAs(session, reply, path, chosen.sizeBytes);
    session.output.answer({ path, sizeBytes: bytes, backup: chosen }, () => path);
  },
});
