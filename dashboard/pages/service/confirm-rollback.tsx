/** The question before a rollback: both versions, the variables that go back with the image, and whether visitors notice. Leads to the new deployment. */

import { useNavigate } from '@solidjs/router';
import { For } from 'solid-js';
import { api } from '../../api/client.ts';
import { known } from '../../api/known.ts';
import { type Deployment, renewService, useOverview } from '../../api/queries.ts';
import { follow } from '../../api/started.ts';
import { useQuery } from '../../api/use-query.ts';
import { deploymentText } from '../../text/deployment-text.ts';
import { clockTime, dateText } from '../../ui/age.tsx';
import { Confirm } from '../../ui/dialog.tsx';
import { Show } from '../../ui/show.ts';
import { attempt } from '../../ui/toasts.tsx';
import { versionOf } from './deployment-facts.ts';

/** @param props `deploymentId`: the version that comes back. `onBusy`: whether the request is on its way */
export function ConfirmRollback(props: {
  deploymentId: string;
  serviceId: string;
  onClose(): void;
  onBusy?(isBusy: boolean): void;
}) {
  const navigate = useNavigate();
  const overview = useOverview(() => props.serviceId);
  const liveId = () => known(overview)?.deployments.find(({ status }) => status === 'running')?.id;
  const comparison = useQuery(() => ({
    queryKey: ['service', props.serviceId, 'comparison', props.deploymentId, liveId()],
    enabled: known(overview) !== undefined,
    queryFn: async ({ signal }) => {
      const params = { deploymentId: props.deploymentId };
      const other = liveId();
      const query = other === undefined ? {} : { with: other };
      const name = 'GET /api/deployments/:deploymentId/comparison';
      return (await api.call(name, { params, query, signal })).comparison;
    },
  }));
  const goesBack = () => {
    const names = known(comparison)?.variables;
    return (
      names &&
      (['added', 'changed', 'removed'] as const)
        .filter((kind) => names[kind].length > 0)
        .map((kind) => ({ kind, names: names[kind] }))
    );
  };
  const rollback = async () => {
    const { deploymentId, serviceId } = props;
    props.onBusy?.(true);
    await attempt(async () => {
      const { deployment } = await api.call('POST /api/deployments/:deploymentId/rollback', {
        params: { deploymentId },
      });
      follow(deployment);
      navigate(`/deployments/${deployment.id}`);
    });
    props.onBusy?.(false);
    await renewService(serviceId);
  };
  return (
    <Confirm
      title={deploymentText.rollbackTitle}
      help={deploymentText.rollbackHelp}
      submit={deploymentText.rollback}
      onClose={() => props.onClose()}
      onConfirm={() => void rollback()}
    >
      <Show when={known(comparison)}>
        {(data) => (
          <dl class="facts going-back">
            <Show when={liveId() ? data().before : undefined}>
              {(live) => <Version name={deploymentText.rollbackFrom} deployment={live()} />}
            </Show>
            <Version name={deploymentText.rollbackTo} deployment={data().after} />
            <Show when={goesBack()}>
              {(kinds) => (
                <div>
                  <dt>{deploymentText.rollbackVariables}</dt>
                  <dd>
                    <Show when={kinds().length > 0} fallback={deploymentText.rollbackSameVariables}>
                      <For each={kinds()}>
                        {({ kind, names }) => (
                          <p>
                            {deploymentText.rollbackKinds[kind]}: <code>{names.join(', ')}</code>
                          </p>
                        )}
                      </For>
                    </Show>
                  </dd>
                </div>
              )}
            </Show>
          </dl>
        )}
      </Show>
      <Show when={known(overview)?.switch}>
        {(how) => <p classList={{ warning: how() === 'stop-start' }}>{deploymentText.downtime[how()]}</p>}
      </Show>
    </Confirm>
  );
}

function Version(props: { name: string; deployment: Deployment }) {
  return (
    <div>
      <dt>{props.name}</dt>
      <dd>
        <strong>{versionOf(props.deployment)}</strong>{' '}
        <span class="quiet-text">
          {`${dateText(props.deployment.createdAt)}, ${clockTime(props.deployment.createdAt)}`}
        </span>
      </dd>
    </div>
  );
}
