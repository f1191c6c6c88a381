/** The commands that bring a change to an app. */
import type { Variable } from '../../client/client.ts';
import { type Found, pathOf } from '../names/find.ts';
import { isOfFolder } from './plan.ts';

/** The command of the first deployment: a folder has to be sent. */
export const deployCommand = (found: Found): string =>
  isOfFolder(found.service) ? `longshore up -s ${pathOf(found)}` : `longshore deploy ${pathOf(found)}`;

/**
 * The command that applies a change of settings.
 * @param patch the changed settings: another source has to be sent or fetched first
 */
export const commandFor = (
  found: Found,
  patch: { repoUrl?: unknown },
  least: 'restart' | 'deploy',
): string => (patch.repoUrl === undefined ? applyCommand(found, least) : deployCommand(found));

/**
 * The command that applies a change to the app.
 * @param least the least command that applies the change; a service that was never live has nothing to restart
 */
export const applyCommand = (found: Found, least: 'restart' | 'deploy'): string =>
  found.service.lastDeployedAt === null ? deployCommand(found) : `longshore ${least} ${pathOf(found)}`;

/** A sentence with the command that brings changed variables where they apply. A restart builds nothing. */
export function nextStep(found: Found, changed: readonly Pick<Variable, 'scope'>[]): string {
  const ofBuild = changed.filter(({ scope }) => scope === 'build').length;
  const what = changed.length === 1 ? 'it' : 'them';
  if (ofBuild === 0) return `To pass ${what} to the app: ${applyCommand(found, 'restart')}`;
  if (ofBuild === changed.length) return `To build with ${what}: ${applyCommand(found, 'deploy')}`;
  return `To build with them, and pass them to the app: ${applyCommand(found, 'deploy')}`;
}
