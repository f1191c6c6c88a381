/** `db abort`: aborts a backup, restore, import or upgrade of a database. */
import { buildCommand } from '../../base/command.ts';
import { Failure, usageFailure } from '../../base/failure.ts';
import { type FoundDatabase, findDatabase } from '../../data/databases.ts';
import { pathOf } from '../../names/find.ts';
import {
  about,
  serviceAliases as aliases,
  type CommandLine,
  openSession,
  type ServiceFlags,
  type Session,
  serviceFlags,
  textFlag,
} from '../../session.ts';
import { databaseArgument } from './flags.ts';

interface Running {
  id: string;
  kind: 'backup' | 'restore' | 'test restore' | 'import' | 'upgrade';
  /** Prints how the aborted work ended. */
  list: 'backups' | 'imports' | 'upgrades';
  abort(): Promise<unknown>;
}

export const abort = buildCommand({
  docs: about(
    'Abort a running backup, restore, import or upgrade',
    'Does not wait: the lists of backups, imports and upgrades show how the work ended. A restore or an import that was aborted leaves the data as it was before.',
  ),
  parameters: {
    flags: { ...serviceFlags, work: textFlag('Job to abort, if several are running', 'id') },
    aliases,
    positional: databaseArgument,
  },
  async func(this: CommandLine, flags: ServiceFlags & { work?: string }, argument?: string) {
    const session = await openSession(this, flags);
    const found = await findDatabase(session, flags, argument);
    const one = chosen(await running(session, found), found, flags.work);
    await one.abort();
    session.output.answer({ aborted: { id: one.id, kind: one.kind } }, () => one.id);
    session.output.progress(
      `The ${one.kind} is aborted. To see how it ends: longshore db ${one.list} -s ${pathOf(found)}`,
    );
  },
});

/** @throws Failure if nothing runs, or (usage) if the choice is ambiguous */
function chosen(all: readonly Running[], found: FoundDatabase, id: string | undefined): Running {
  const among = id === undefined ? all : all.filter((one) => one.id === id);
  const [first, ...more] = among;
  if (first !== undefined && more.length === 0) return first;
  const named = all.map((one) => `${one.id} (${one.kind})`).join(', ');
  if (all.length === 0)
    throw new Failure(`No backup, restore, import or upgrade of ${pathOf(found)} is running.`, {
      code: 'nothing_to_abort',
    });
  throw usageFailure(
    first === undefined
      ? `"${id}" is not running. Running now: ${named}`
      : `Several are running. Choose one with --work: ${named}`,
  );
}

async function running({ client }: Session, { service }: FoundDatabase): Promise<Running[]> {
  const params = { serviceId: service.id };
  const [{ backups }, { imports }, { upgrades }] = await Promise.all([
    client.call('GET /api/services/:serviceId/database/backups', { params }),
    client.call('GET /api/services/:serviceId/database/imports', { params }),
    client.call('GET /api/services/:serviceId/database/upgrades', { params }),
  ]);
  const ofBackups = backups.flatMap(({ id, status, restore, drill }): Running[] => {
    const of = { params: { ...params, backupId: id } };
    const path = 'POST /api/services/:serviceId/database/backups/:backupId';
    const all: (Running & { state: string | undefined })[] = [
      {
        ...{ id, kind: 'backup', list: 'backups', state: status },
        abort: () => client.call(`${path}/abort`, of),
      },
      {
        ...{ id: restore?.id ?? '', kind: 'restore', list: 'backups', state: restore?.state },
        abort: () => client.call(`${path}/restore/abort`, of),
      },
      {
        ...{ id: drill?.id ?? '', kind: 'test restore', list: 'backups', state: drill?.state },
        abort: () => client.call(`${path}/prove/abort`, of),
      },
    ];
    return all.filter(({ state }) => state === 'running');
  });
  const ofImports = imports
    .filter(({ status }) => status === 'running')
    .map(({ id }): Running => {
      const of = { params: { ...params, importId: id } };
      const abort = () => client.call('POST /api/services/:serviceId/database/imports/:importId/abort', of);
      return { id, kind: 'import', list: 'imports', abort };
    });
  const ofUpgrades = upgrades
    .filter(({ status }) => status === 'running')
    .map(({ id }): Running => {
      const abort = () => client.call('POST /api/services/:serviceId/database/upgrade/abort', { params });
      return { id, kind: 'upgrade', list: 'upgrades', abort };
    });
  return [...ofBackups, ...ofImports, ...ofUpgrades];
}
