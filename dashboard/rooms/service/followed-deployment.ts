/** Follows the deployment that is in progress by its stream, and renews the page when it ends: nothing is polled. */
import { createEffect, createMemo, onCleanup } from 'solid-js';
import { followDeployment } from '../../api/follow.ts';
import { type Deployment, renewService } from '../../api/queries.ts';

/** Lines at which a deployment that was queued shows that it has begun. */
const renewedAtLines = 1;

const isActive = ({ status }: Deployment) => status === 'queued' || status === 'building';

export const activeDeployment = (deployments: readonly Deployment[]): Deployment | undefined =>
  deployments.findLast(isActive);

/** @param deployments of the service, newest first */
export function useFollowedDeployment(
  serviceId: () => string,
  deployments: () => readonly Deployment[],
): void {
  const followed = createMemo(() => activeDeployment(deployments())?.id);
  createEffect(() => {
    const id = followed();
    if (id === undefined) return;
    const service = serviceId();
    const stop = new AbortController();
    onCleanup(() => stop.abort());
    let lines = 0;
    const renew = () => void renewService(service);
    void followDeployment(
      id,
      {
        onLines(more) {
          if (lines === 0 && more.length >= renewedAtLines) renew();
          lines += more.length;
        },
        onEnd: renew,
        onRefusal: renew,
        onOpen: () => {},
      },
      stop.signal,
    );
  });
}
