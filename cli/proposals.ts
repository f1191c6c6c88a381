/** Proposals for the completion of shells, for names that only the chosen service or this machine knows. */

import { setTimeout as pause } from 'node:timers/promises';
import { knownHosts } from './data/hosts.ts';
import { type CommandLine, namesTimeoutMs, openSession, type Session, textFlag } from './session.ts';
import { readContexts } from './settings/contexts.ts';

/** The contexts of this user. */
export async function contextNames(this: CommandLine, partial: string): Promise<string[]> {
  const { contexts } = await readContexts(this.process.env).catch(() => ({ contexts: {} }));
  return Object.keys(contexts).filter((name) => name.startsWith(partial));
}

/** The hosts that the key's services can use. */
export function hostNames(this: CommandLine, partial: string): Promise<string[]> {
  const names = openSession(this, { json: false })
    .then(knownHosts)
    .then((hosts) => hosts.map(({ name }) => name));
  return inTime(names, partial);
}

/** A flag whose value is the name of a host. */
export const hostFlag = (brief: string) =>
  ({ ...textFlag(brief, 'host'), proposeCompletions: hostNames }) as const;

/** The schedules of the service in the words typed so far, or in the folder's link. */
export function scheduleNames(this: CommandLine, partial: string): Promise<string[]> {
  return ofService(this, partial, async ({ client }, serviceId) => {
    const params = { serviceId };
    const { schedules } = await client.call('GET /api/services/:serviceId/schedules', { params });
    return schedules.map(({ name }) => name);
  });
}

/** `latest`, and the successful backups, newest first, of the database in the words typed so far. */
export function backupNames(this: CommandLine, partial: string): Promise<string[]> {
  return ofService(this, partial, async ({ client }, serviceId) => {
    const params = { serviceId };
    const { backups } = await client.call('GET /api/services/:serviceId/database/backups', { params });
    return ['latest', ...backups.filter(({ status }) => status === 'succeeded').map(({ id }) => id)];
  });
}

/** The same for a service's volumes. */
export function volumeBackupNames(this: CommandLine, partial: string): Promise<string[]> {
  return ofService(this, partial, async ({ client }, serviceId) => {
    const params = { serviceId };
    const { backups } = await client.call('GET /api/services/:serviceId/volume-backups', { params });
    return ['latest', ...backups.filter(({ status }) => status === 'succeeded').map(({ id }) => id)];
  });
}

/** Hides errors, as completion does; proposes nothing if the service is not known. */
async function ofService(
  command: CommandLine,
  partial: string,
  names: (session: Session, serviceId: string) => Promise<string[]>,
): Promise<string[]> {
  const { argv = [] } = command.process;
  const found = openSession(command, { json: false }).then(async (session) => {
    const project = flagIn(argv, '-p', '--project');
    const wanted = { json: false, ...(project === undefined ? {} : { project }) };
    const { service } = await session.find(wanted, flagIn(argv, '-s', '--service'));
    return names(session, service.id);
  });
  return inTime(found, partial);
}

async function inTime(found: Promise<string[]>, partial: string): Promise<string[]> {
  const late = pause(namesTimeoutMs, [], { ref: false });
  return (await Promise.race([found, late]).catch(() => [])).filter((name) => name.startsWith(partial));
}

/** The value of a flag in words that are not parsed yet. */
function flagIn(words: readonly string[], ...names: string[]): string | undefined {
  const at = words.findIndex((word) => names.includes(word.split('=', 1)[0] ?? ''));
  if (at < 0) return undefined;
  return words[at]?.includes('=') ? words[at].slice(words[at].indexOf('=') + 1) : words[at + 1];
}
