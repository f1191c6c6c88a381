/** `db upgrade` and `db upgrades`: upgrades a database to a later major version of its engine. */
import { buildCommand } from '../../base/command.ts';
import { usageFailure } from '../../base/failure.ts';
import { confirm } from '../../base/prompts.ts';
import { table } from '../../base/table.ts';
import { findDatabase } from '../../data/databases.ts';
import { type WorkFlags, waitForWork, waitOptions, workFlags } from '../../data/wait.ts';
import { pathOf } from '../../names/find.ts';
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

const read = ({ client }: Session, serviceId: string) =>
  client.all('GET /api/services/:serviceId/database/upgrades', { params: { serviceId } });

export const upgrades = buildCommand({
  docs: { brief: 'List the upgrades of a database, newest first' },
  parameters: { flags: serviceFlags, aliases, positional: databaseArgument },
  async func(this: CommandLine, flags: ServiceFlags, argument?: string) {
    const session = await openSession(this, flags);
    const { service } = await findDatabase(session, flags, argument);
    const reply = await read(session, service.id);
    const rows = reply.upgrades.map((one) => [
      one.id,
      one.action,
      one.status,
      one.fromImage,
      one.toImage,
      one.createdAt,
      one.error ?? '',
    ]);
    session.output.answer(reply, () =>
      table(['ID', 'ACTION', 'STATUS', 'FROM', 'TO', 'CREATED', ''], rows, 'No upgrades.'),
    );
  },
});

interface UpgradeFlags extends ServiceFlags, WorkFlags {
  image?: string;
  dryRun: boolean;
  undo: boolean;
  acceptNotKept: boolean;
  yes: boolean;
}

export const upgrade = buildCommand({
  docs: about(
    'Upgrade a database to a later major version',
    'First the database is backed up, and the backup is loaded into the new version as a test. --dry-run stops after this test. --undo works for 24 hours; data written since the upgrade is lost.',
    'longshore db upgrade db --image postgres:18 --wait',
  ),
  parameters: {
    flags: {
      ...serviceFlags,
      ...workFlags,
      image: textFlag('Image of a later major version of the same engine', 'image'),
      dryRun: switchFlag('Only try it on a copy of the data'),
      undo: switchFlag('Go back to the version before the newest upgrade'),
      acceptNotKept: switchFlag('Upgrade even if the backup would not contain everything'),
      yes: switchFlag('Do not ask for confirmation'),
    },
    aliases: { ...aliases, w: 'wait', y: 'yes' },
    positional: databaseArgument,
  },
  async func(this: CommandLine, flags: UpgradeFlags, argument?: string) {
    if (flags.undo === (flags.image !== undefined))
      throw usageFailure('Give --image for an upgrade, or --undo to go back.');
    const session = await openSession(this, flags);
    const found = await findDatabase(session, flags, argument);
    const path = pathOf(found);
    const params = { serviceId: found.service.id };
    if (flags.undo)
      await confirm(
        this.process,
        `Undo the upgrade of ${path}? Everything written since the upgrade is lost.`,
        flags.yes,
      );
    else if (!flags.dryRun)
      await confirm(
        this.process,
        `Upgrade ${path} to ${flags.image}? The database does not answer during the upgrade.`,
        flags.yes,
      );
    const { upgrade } =
      flags.image === undefined
        ? await session.client.call('POST /api/services/:serviceId/database/upgrade/undo', { params })
        : await session.client.call('POST /api/services/:serviceId/database/upgrade', {
            params,
            body: { imageRef: flags.image, dryRun: flags.dryRun, acceptNotKept: flags.acceptNotKept },
          });
    const shown = { subject: `Upgrade ${upgrade.id}`, comeBack: `longshore db upgrades -s ${path}` };
    const ended = flags.wait
      ? await waitForWork(session, waitOptions(this, flags, shown), async () =>
          (await read(session, params.serviceId)).upgrades.find((one) => one.id === upgrade.id),
        )
      : upgrade;
    session.output.answer({ upgrade: ended }, () => upgrade.id);
  },
});
