/** The title and the duration of a deployment. */
import type { Deployment } from '../../api/queries.ts';
import { deploymentText } from '../../text/deployment-text.ts';
import { startedByText } from '../../ui/initiator-text.ts';
import { triggersText } from './triggers-text.ts';

/** The commit's message, or the reason why there is none. */
export const titleOf = ({ commitMessage, trigger }: Deployment): string =>
  commitMessage || triggersText[trigger];

/** "Restart by Ada"; without a commit message, the title already says the first part. */
export const startOf = ({ commitMessage, trigger, startedBy }: Deployment): string =>
  [commitMessage ? triggersText[trigger] : '', startedByText(startedBy) ?? ''].filter(Boolean).join(' ');

/** The tag, branch or commit that the request named; undefined if it named none. */
export function wantedText({ ref, commitSha }: Deployment): string | undefined {
  if (ref === null) return undefined;
  return ref === commitSha ? deploymentText.wantedCommit : deploymentText.wanted(ref);
}

/** Milliseconds from the start to the end; undefined before the end. */
export function tookMs({ startedAt, finishedAt }: Deployment): number | undefined {
  if (!startedAt || !finishedAt) return undefined;
  return Date.parse(finishedAt) - Date.parse(startedAt);
}

export const isActive = ({ status }: Deployment): boolean => status === 'queued' || status === 'building';

/** The deployment in progress. @param deployments newest first */
export const activeDeployment = (deployments: readonly Deployment[]): Deployment | undefined =>
  deployments.findLast(isActive);
