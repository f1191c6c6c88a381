/** Deployments that this tab has started, followed until they end, whatever page is shown. */
import { LongshoreError } from '../../client/client.ts';
import { api } from './client.ts';
import { pause } from './pause.ts';
import { type Deployment, type Overview, renewService } from './queries.ts';
import { queries } from './query-client.ts';
import { type Started, setStarted, started } from './started-list.ts';
import { waitAgainMs } from './wait-again.ts';

/** Seconds that the server waits for an end before it answers. */
const waitSeconds = 25;
/** The first and the longest wait before a retry. */
const retryMs = { first: 500, most: 10_000 };
/** A success is read in this time. A failure stays until it is closed or mended. */
const shownMs = 8_000;
const shownMax = 4;

export const isOver = ({ status }: Deployment): boolean => status !== 'queued' && status !== 'building';
export const isWell = ({ status }: Deployment): boolean => status === 'running' || status === 'superseded';

export const dismiss = (id: string) =>
  setStarted((all) => all.filter(({ deployment }) => deployment.id !== id));

const change = (id: string, more: Partial<Started>) =>
  setStarted((all) => all.map((one) => (one.deployment.id === id ? { ...one, ...more } : one)));

const neverStopped = new AbortController().signal;

/** Called with each deployment that has ended, for a notice of the browser. */
let ended: (one: Started) => void = () => {};
export const onEnded = (call: (one: Started) => void): void => {
  ended = call;
};

/** Shows the deployment until it has ended. An earlier one of the service that failed is forgotten: this one is the retry. @param name of the service, if its page was not shown */
export function follow(deployment: Deployment, name?: string): void {
  const { id, serviceId } = deployment;
  const known = queries.getQueryData<Overview>(['service', serviceId]);
  const one = {
    deployment,
    serviceName: name ?? known?.service.name ?? '',
    startedAt: Date.now(),
    endedAt: undefined,
  };
  setStarted((all) =>
    [...all.filter((other) => other.deployment.serviceId !== serviceId || !other.endedAt), one].slice(
      -shownMax,
    ),
  );
  void followToEnd(id, serviceId);
}

async function followToEnd(id: string, serviceId: string): Promise<void> {
  const isShown = () => started().some(({ deployment }) => deployment.id === id);
  for (let wait = retryMs.first; isShown(); ) {
    try {
      const { deployment } = await api.call('GET /api/deployments/:deploymentId', {
        params: { deploymentId: id },
        query: { wait: waitSeconds },
      });
      wait = retryMs.first;
      change(id, { deployment });
      if (!isOver(deployment)) continue;
      change(id, { endedAt: Date.now() });
      const one = started().find((other) => other.deployment.id === id);
      if (one) ended(one);
      if (isWell(deployment)) setTimeout(() => dismiss(id), shownMs);
      return await renewService(serviceId);
    } catch (error) {
      if (error instanceof LongshoreError && error.status < 500 && error.status !== 429)
        return void dismiss(id);
      await pause(waitAgainMs(wait, error), neverStopped);
      wait = Math.min(wait * 2, retryMs.most);
    }
  }
}
