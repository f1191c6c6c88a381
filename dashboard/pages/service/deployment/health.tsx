/** Requests, errors and the slowest answers in the ten minutes before a version went live and after it, with the way back if they are worse. */

import { createSignal, For } from 'solid-js';
import { api } from '../../../api/client.ts';
import { known } from '../../../api/known.ts';
import type { Deployment } from '../../../api/queries.ts';
import { useQuery } from '../../../api/use-query.ts';
import { deploymentText } from '../../../text/deployment-text.ts';
import { Button } from '../../../ui/button.tsx';
import { BackIcon } from '../../../ui/icons.tsx';
import { Show } from '../../../ui/show.ts';
import { ConfirmRollback } from '../confirm-rollback.tsx';
import { healthOf, isWorse, minutesAround } from './health-around.ts';

interface HealthProps {
  deployment: Deployment;
  /** The version before, if a rollback to it is possible; undefined: no button. */
  previousId: string | undefined;
}

export function Health(props: HealthProps) {
  const [isAsking, setIsAsking] = createSignal(false);
  const liveAt = () => Date.parse(props.deployment.finishedAt ?? '');
  const metrics = useQuery(() => ({
    queryKey: ['metrics', props.deployment.serviceId, 'around', props.deployment.id],
    retry: false,
    queryFn: async ({ signal }) => {
      const span = minutesAround * 60_000;
      const query = {
        from: new Date(liveAt() - span).toISOString(),
        to: new Date(Math.min(liveAt() + span, Date.now())).toISOString(),
        ...{ series: 'requests,errors,latencyP99', step: 60 },
      };
      const params = { serviceId: props.deployment.serviceId };
      return (await api.call('GET /api/services/:serviceId/metrics', { params, query, signal })).metrics;
    },
  }));
  const health = () => {
    const data = known(metrics);
    return data && healthOf(data, liveAt());
  };
  return (
    <Show when={health()}>
      {(both) => (
        <section class="panel health" classList={{ 'is-worse': isWorse(both()) }}>
          <header>
            <h2>{deploymentText.healthTitle}</h2>
            <Show when={isWorse(both())}>
              <strong class="worse">{deploymentText.worse}</strong>
            </Show>
          </header>
          <dl>
            <For each={deploymentText.healthRows}>
              {([name, label, text]) => (
                <div>
                  <dt>{label}</dt>
                  <dd>
                    <span class="quiet-text">{text(both().before[name])}</span> {deploymentText.after}{' '}
                    <strong>{text(both().after[name])}</strong>
                  </dd>
                </div>
              )}
            </For>
          </dl>
          <Show when={isWorse(both()) && props.previousId}>
            <Button kind="primary" icon={BackIcon} onClick={() => setIsAsking(true)}>
              {deploymentText.rollbackShort}
            </Button>
          </Show>
          <Show when={isAsking() && props.previousId}>
            {(deploymentId) => (
              <ConfirmRollback
                deploymentId={deploymentId()}
                serviceId={props.deployment.serviceId}
                onClose={() => setIsAsking(false)}
              />
            )}
          </Show>
        </section>
      )}
    </Show>
  );
}
