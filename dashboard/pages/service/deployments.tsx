/** All deployments of a service, newest first; older ones are loaded on request. */
import { createSignal } from 'solid-js';
import { api } from '../../api/client.ts';
import type { Deployment, Overview } from '../../api/queries.ts';
import { deploymentText } from '../../text/deployment-text.ts';
import { serviceText } from '../../text/service-text.ts';
import { t } from '../../text/text.ts';
import { Button } from '../../ui/button.tsx';
import { Empty } from '../../ui/empty.tsx';
import { Show } from '../../ui/show.ts';
import { attempt } from '../../ui/toasts.tsx';
import { DeploymentList } from './deployment-list.tsx';

const pageSize = 50;

export function Deployments(props: { overview: Overview; mayDeploy: boolean }) {
  const [older, setOlder] = createSignal<readonly Deployment[]>([]);
  const [isWhole, setIsWhole] = createSignal(false);
  const [busy, setBusy] = createSignal(false);
  const all = () => {
    const newest = props.overview.deployments;
    const known = new Set(newest.map(({ id }) => id));
    return [...newest, ...older().filter(({ id }) => !known.has(id))];
  };
  const more = async () => {
    setBusy(true);
    await attempt(async () => {
      const before = all().at(-1)?.id;
      const { deployments } = await api.call('GET /api/services/:serviceId/deployments', {
        params: { serviceId: props.overview.service.id },
        query: { limit: pageSize, ...(before ? { before } : {}) },
      });
      setOlder((known) => [...known, ...deployments]);
      setIsWhole(deployments.length < pageSize);
    });
    setBusy(false);
  };
  return (
    <Show
      when={all().length > 0}
      fallback={<Empty title={deploymentText.none} help={deploymentText.noneHelp} />}
    >
      <section class="panel">
        <h2 class="visually-hidden">{serviceText.tabs.deployments}</h2>
        <DeploymentList deployments={all()} overview={props.overview} mayDeploy={props.mayDeploy} />
        <Show when={!isWhole() && all().length >= 10}>
          <Button busy={busy()} onClick={() => void more()}>
            {t.more}
          </Button>
        </Show>
      </section>
    </Show>
  );
}
