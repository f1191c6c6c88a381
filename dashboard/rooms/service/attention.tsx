/** The next thing to do: a failed deployment with its explanation, warnings, and changes that wait. */
import { createSignal, For, Show } from 'solid-js';
import { api } from '../../api/client.ts';
import { type Deployment, type Overview, renewService } from '../../api/queries.ts';
import { t } from '../../text/text.ts';
import { Age } from '../../ui/age.tsx';
import { Button } from '../../ui/button.tsx';
import { RestartIcon, WarnIcon } from '../../ui/icons.tsx';
import { attempt, say } from '../../ui/toasts.tsx';
import { Explain } from './explain.tsx';

export function Attention(props: { overview: Overview; mayDeploy: boolean; mayExplain: boolean }) {
  const newest = () => props.overview.deployments[0];
  const failed = () => (newest()?.status === 'failed' ? newest() : undefined);
  const pending = () => props.overview.pendingVariables.length + props.overview.pendingFiles.length;
  const isNeeded = () => failed() !== undefined || props.overview.warnings.length > 0 || pending() > 0;
  return (
    <Show when={isNeeded()}>
      <section class="panel attention">
        <h2>
          <WarnIcon /> {t.service.attention}
        </h2>
        <Show when={failed()}>
          {(deployment) => <Failed deployment={deployment()} mayExplain={props.mayExplain} />}
        </Show>
        <For each={props.overview.warnings}>{(warning) => <p class="warning">{warning}</p>}</For>
        <Show when={pending() > 0}>
          <Pending overview={props.overview} mayDeploy={props.mayDeploy} />
        </Show>
      </section>
    </Show>
  );
}

function Failed(props: { deployment: Deployment; mayExplain: boolean }) {
  return (
    <div class="failed">
      <p>
        <strong>{t.service.lastFailed}</strong>{' '}
        <span class="quiet-text">
          <Age at={props.deployment.finishedAt ?? props.deployment.createdAt} />
        </span>
      </p>
      <Show when={props.deployment.failureMessage}>{(message) => <p>{message()}</p>}</Show>
      <Explain deploymentId={props.deployment.id} mayExplain={props.mayExplain}>
        <a class="button plain" href={`/deployments/${props.deployment.id}`}>
          {t.service.openLog}
        </a>
      </Explain>
    </div>
  );
}

function Pending(props: { overview: Overview; mayDeploy: boolean }) {
  const [busy, setBusy] = createSignal(false);
  const service = () => props.overview.service;
  const restart = async () => {
    setBusy(true);
    await attempt(async () => {
      const params = { serviceId: service().id };
      const { detail } = await api.call('POST /api/services/:serviceId/restart', { params });
      say(`${t.service.actions.restartStarted}. ${detail}`);
    });
    setBusy(false);
    await renewService(service().id);
  };
  return (
    <div class="pending">
      <Show when={props.overview.pendingVariables.length}>
        {(n) => (
          <p>
            <strong>{t.service.pending(n())}:</strong>{' '}
            <code>{props.overview.pendingVariables.join(', ')}</code>
          </p>
        )}
      </Show>
      <Show when={props.overview.pendingFiles.length}>
        {(n) => (
          <p>
            <strong>{t.service.pendingFiles(n())}:</strong>{' '}
            <code>{props.overview.pendingFiles.join(', ')}</code>
          </p>
        )}
      </Show>
      <Show when={props.mayDeploy && service().status === 'active'}>
        <Button icon={RestartIcon} busy={busy()} onClick={() => void restart()}>
          {t.service.actions.restart}
        </Button>
      </Show>
    </div>
  );
}
