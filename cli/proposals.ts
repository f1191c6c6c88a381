/** Proposals for the completion of shells, for names that only the chosen service or this machine knows. */

import { setTimeout as pause } from 'node:timers/promises';
import { serviceSettings } from '../client/service-settings.ts';
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

/** A flag whose value is the id of a deployment of the service in the words typed so far, newest first. */
export const deploymentFlag = (brief: string) =>
  ({ ...textFlag(brief, 'deployment'), proposeCompletions: deploymentIds }) as const;

function deploymentIds(this: CommandLine, partial: string): Promise<string[]> {
  return ofService(this, partial, async ({ client }, serviceId) => {
    const params = { serviceId };
    const { deployments } = await client.call('GET /api/services/:serviceId/deployments', { params });
    return deployments.map(({ id }) => id);
  });
}

/** The variables of the service in the words typed so far. */
export function variableNames(this: CommandLine, partial: string): Promise<string[]> {
  return ofService(this, partial, async ({ client }, serviceId) => {
    const { env } = await client.all('GET /api/services/:serviceId/env', { params: { serviceId } });
    return env.map(({ key }) => key);
  });
}

/** The same with `=`, ready for a new value. */
export async function variableAssignments(this: CommandLine, partial: string): Promise<string[]> {
  return (await variableNames.call(this, partial)).map((name) => `${name}=`);
}

/** The settings of services with `=`, or the values of the setting that is typed already. */
export function settingAssignments(this: CommandLine, partial: string): string[] {
  const [name = '', value] = partial.split('=', 2);
  const found = Object.entries(serviceSettings).find(([known]) => known === name)?.[1];
  const all =
    value === undefined
      ? Object.keys(serviceSettings).map((known) => (known === 'engineSettings' ? `${known}.` : `${known}=`))
      : (found?.choices ?? []).map((choice) => `${name}=${choice}`);
  return all.filter((one) => one.startsWith(partial));
}

/** The hostnames of the service in the words typed so far. */
export function hostnames(this: CommandLine, partial: string): Promise<string[]> {
  return ofService(this, partial, async ({ client }, serviceId) => {
    const { domains } = await client.call('GET /api/services/:serviceId/overview', { params: { serviceId } });
    return domains.map(({ hostname }) => hostname);
  });
}

/** The paths of the instance's API that have the method typed before. An id that is typed stands for the parameter of a path. */
export function apiPaths(this: CommandLine, partial: string): Promise<string[]> {
  const { argv = [] } = this.process;
  const method = argv[argv.indexOf('api') + 1]?.toLowerCase() ?? '';
  const found = openSession(this, { json: false }).then(async ({ context }) => {
    const reply = await fetch(`${context.url}/openapi.json`);
    const { paths } = (await reply.json()) as { paths: Record<string, object> };
    return Object.keys(paths)
      .filter((path) => method in (paths[path] ?? {}))
      .map((path) => continued(partial, path.replaceAll(/\{(\w+)\}/g, ':$1')));
  });
  return inTime(found, partial);
}

/** @returns the path, with the words that are typed instead of its parameters */
function continued(partial: string, path: string): string {
  const typed = partial.split('/');
  const words = path.split('/');
  const whole = typed.slice(0, -1);
  return words.map((word, index) => (word.startsWith(':') && whole[index] ? whole[index] : word)).join('/');
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
