/** What can be explained, and its explanation by the built-in rules. */

import type { ReplyOf } from '../../../../client/client.ts';
import { api } from '../../../api/client.ts';
import type { Deployment } from '../../../api/queries.ts';
import { follow } from '../../../api/started.ts';
import { useQuery } from '../../../api/use-query.ts';

export type Explained = ReplyOf<'POST /api/deployments/:deploymentId/explain-failure'>;
export type Action = Explained['explanation']['actions'][number];
export type ActionOf<Kind extends Action['kind']> = Extract<Action, { kind: Kind }>;

/** `id`: of the deployment or the command; a crash is of the service. `ref`: what the deployment was asked to build, if it was named. */
export type Failed =
  | { kind: 'deployment' | 'run'; id: string; serviceId: string; ref?: string | null }
  | { kind: 'crash'; serviceId: string };

export const failedOf = ({ id, serviceId, ref }: Deployment): Failed => ({
  kind: 'deployment',
  ...{ id, serviceId, ref },
});

/** @param providerId `builtin`: the rules */
export function explain(failed: Failed, providerId: string): Promise<Explained> {
  const body = { providerId };
  if (failed.kind === 'crash')
    return api.call('POST /api/services/:serviceId/explain-crash', {
      params: { serviceId: failed.serviceId },
      body,
    });
  if (failed.kind === 'run')
    return api.call('POST /api/services/:serviceId/runs/:runId/explain-failure', {
      params: { serviceId: failed.serviceId, runId: failed.id },
      body,
    });
  return api.call('POST /api/deployments/:deploymentId/explain-failure', {
    params: { deploymentId: failed.id },
    body,
  });
}

/** The explanation by the rules, which is asked for at once: they answer from the log alone. Renewed together with its service. */
export const useExplanation = (failed: () => Failed | undefined) =>
  useQuery(() => {
    const one = failed();
    return {
      queryKey: [
        'service',
        one?.serviceId,
        'explanation',
        one?.kind,
        one && 'id' in one ? one.id : undefined,
      ],
      enabled: one !== undefined,
      queryFn: () => explain(one as Failed, 'builtin'),
    };
  });

/** Deploys the service again, and what failed again if that was another version than the newest. @returns the id of the new deployment */
export async function deployAgain(failed: Failed): Promise<string> {
  const ref = failed.kind === 'deployment' ? (failed.ref ?? null) : null;
  const { deployment } = await api.call('POST /api/services/:serviceId/deployments', {
    params: { serviceId: failed.serviceId },
    ...(ref === null ? {} : { body: { ref } }),
  });
  follow(deployment);
  return deployment.id;
}

/** Starts the service again with its present variables and settings. @returns the id of the new deployment */
export async function restartAgain({ serviceId }: Failed): Promise<string> {
  const { deployment } = await api.call('POST /api/services/:serviceId/restart', { params: { serviceId } });
  follow(deployment);
  return deployment.id;
}

/** How the service gets what was changed: the last action of the explanation says it. */
export function applierOf(actions: readonly Action[]): 'deploy' | 'restart' | 'none' {
  const last = actions.findLast(({ kind }) => kind === 'deploy' || kind === 'restart');
  return last?.kind === 'deploy' || last?.kind === 'restart' ? last.kind : 'none';
}

/** Parts like `<token>` are for the user to fill in. */
export const isUnfinished = (value: string | number | null): boolean =>
  typeof value === 'string' && /<[^<>]+>/.test(value);

/** The number of the line that says the error, at which the log opens. */
export const errorLine = (explained: Explained | undefined): number | undefined =>
  explained?.explanation.lines.find(({ isError }) => isError)?.number ?? undefined;
