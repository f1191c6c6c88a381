/** What a deployment is called, and how long it took. */
import type { Deployment } from '../api/queries.ts';
import { t } from '../text/text.ts';

/** What a deployment brought: its commit's message, or why there is none. */
export const titleOf = ({ commitMessage, trigger }: Deployment): string =>
  commitMessage || t.triggers[trigger];

/** Milliseconds from the start to the end; undefined while it has not ended. */
export function tookMs({ startedAt, finishedAt }: Deployment): number | undefined {
  if (!startedAt || !finishedAt) return undefined;
  return Date.parse(finishedAt) - Date.parse(startedAt);
}

export const isActive = ({ status }: Deployment): boolean => status === 'queued' || status === 'building';

/** The one in progress. @param deployments newest first */
export const activeDeployment = (deployments: readonly Deployment[]): Deployment | undefined =>
  deployments.findLast(isActive);
