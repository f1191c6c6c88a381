/** What is not as it should be on a host, for the operator. */
import type { RunnerFacts } from '../../../protocol/runner-facts.ts';
import { type SharedPlace, sharingWarning } from './host-sharing.ts';

/** @returns sentences; null if all is well */
export function hostWarning(host: Pick<SharedPlace, 'shared' | 'facts' | 'trustedRunc'>): string | null {
  const sentences = [sharingWarning(host), initWarning(host.facts)].filter((one) => one !== null);
  return sentences.length === 0 ? null : sentences.join(' ');
}

/** Old runners and a Docker that does not answer report nothing about it. */
function initWarning({ initProcess }: RunnerFacts): string | null {
  if (initProcess !== false) return null;
  return 'initProcess is false because Docker has no docker-init. So a Node app that does not handle SIGTERM is killed when it is stopped, and zombie processes stay. Install it: the packages docker.io (with tini) and docker-ce have it. Then deploy or restart the services.';
}
