/** Buttons to abort a running deployment, roll back to a replaced one, or retry a failed one. */
import { useNavigate } from '@solidjs/router';
import { createSignal } from 'solid-js';
import { api } from '../../../api/client.ts';
import { type Deployment, renewService } from '../../../api/queries.ts';
import { usePageCommands } from '../../../shell/commands.ts';
import { deploymentText } from '../../../text/deployment-text.ts';
import { Button } from '../../../ui/button.tsx';
import { Confirm } from '../../../ui/dialog.tsx';
import { BackIcon, DeployIcon, StopIcon } from '../../../ui/icons.tsx';
import { Show } from '../../../ui/show.ts';
import { attempt, say } from '../../../ui/toasts.tsx';
import { ConfirmRollback } from '../confirm-rollback.tsx';

export function DeploymentActions(props: { deployment: Deployment; isLive: boolean; isNewest: boolean }) {
  const navigate = useNavigate();
  const [asked, setAsked] = createSignal<'abort' | 'rollback'>();
  const [busy, setBusy] = createSignal(false);
  const params = () => ({ deploymentId: props.deployment.id });
  const isActive = () => ['queued', 'building'].includes(props.deployment.status);
  const mayRepeat = () => props.isNewest && ['failed', 'aborted'].includes(props.deployment.status);
  const mayReturn = () => props.deployment.status === 'superseded' && !props.isLive;

  const run = async (call: () => Promise<unknown>) => {
    setBusy(true);
    await attempt(call);
    setBusy(false);
    await renewService(props.deployment.serviceId);
  };
  const abort = () =>
    run(async () => {
      await api.call('POST /api/deployments/:deploymentId/abort', { params: params() });
      say(deploymentText.abortSent);
    });
  const repeat = () =>
    run(async () => {
      const { ref, serviceId } = props.deployment;
      const { deployment } = await api.call('POST /api/services/:serviceId/deployments', {
        params: { serviceId },
        ...(ref === null ? {} : { body: { ref } }),
      });
      say(deploymentText.redeployStarted);
      navigate(`/deployments/${deployment.id}`);
    });
  usePageCommands(() => [
    ...(isActive() ? [{ label: deploymentText.abort, run: () => setAsked('abort') }] : []),
    ...(mayRepeat() ? [{ label: deploymentText.redeploy, run: () => void repeat() }] : []),
    ...(mayReturn() ? [{ label: deploymentText.rollback, run: () => setAsked('rollback') }] : []),
  ]);
  return (
    <div class="actions">
      <Show when={isActive()}>
        <Button icon={StopIcon} busy={busy()} onClick={() => setAsked('abort')}>
          {deploymentText.abort}
        </Button>
      </Show>
      <Show when={mayRepeat() && props.deployment.status === 'aborted'}>
        <Button kind="primary" icon={DeployIcon} busy={busy()} onClick={() => void repeat()}>
          {deploymentText.redeploy}
        </Button>
      </Show>
      <Show when={mayReturn()}>
        <Button icon={BackIcon} busy={busy()} onClick={() => setAsked('rollback')}>
          {deploymentText.rollback}
        </Button>
      </Show>
      <Show when={asked() === 'abort'}>
        <Confirm
          title={deploymentText.abortTitle}
          help={deploymentText.abortHelp}
          submit={deploymentText.abort}
          danger
          onClose={() => setAsked(undefined)}
          onConfirm={() => void abort()}
        />
      </Show>
      <Show when={asked() === 'rollback'}>
        <ConfirmRollback
          deploymentId={props.deployment.id}
          serviceId={props.deployment.serviceId}
          onClose={() => setAsked(undefined)}
          onBusy={setBusy}
        />
      </Show>
    </div>
  );
}
