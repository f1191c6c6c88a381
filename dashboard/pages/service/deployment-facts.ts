/** The title and the duration of a deployment. */
import type { Deployment, Service } from '../../api/queries.ts';
import { deploymentText } from '../../text/deployment-text.ts';
import { startedByText } from '../../ui/initiator-text.ts';
import { hasBuilds } from '../../ui/service-kind.ts';
import { triggersText } from './triggers-text.ts';

/** The commit's message, or the reason why there is none. */
export const titleOf = ({ commitMessage, trigger }: Deployment): string =>
  commitMessage || triggersText[trigger];

/** The commit and its message, or whichever is known: what tells two versions apart. */
export const versionOf = (deployment: Deployment): string =>
  [deployment.commitSha?.slice(0, 7), titleOf(deployment)].filter(Boolean).join(' ');

/**
 * What a deployment in progress does, in place of its state; undefined while it waits and after its end.
 * @param service whose deployment it is, if known: an image is not built
 */
export function doingText({ status, trigger }: Deployment, service?: Service): string | undefined {
  if (status !== 'building') return undefined;
  const { doing } = deploymentText;
  if (trigger === 'restart' || trigger === 'rollback' || trigger === 'restore' || trigger === 'image-update')
    return doing[trigger];
  return service && !hasBuilds(service) ? doing.image : doing.build;
}

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
