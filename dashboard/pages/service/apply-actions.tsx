/** Buttons that apply waiting changes by a restart or a deployment. */
import { useNavigate } from '@solidjs/router';
import { createSignal } from 'solid-js';
import { api } from '../../api/client.ts';
import { renewService, type Service } from '../../api/queries.ts';
import { serviceText, variablesText } from '../../text/service-text.ts';
import { Button } from '../../ui/button.tsx';
import { DeployIcon, RestartIcon } from '../../ui/icons.tsx';
import { Show } from '../../ui/show.ts';
import { attempt, say } from '../../ui/toasts.tsx';

/** @param props.restart whether a restart is enough */
export function ApplyActions(props: { service: Service; restart: boolean }) {
  const navigate = useNavigate();
  const [busy, setBusy] = createSignal<'restart' | 'deploy'>();
  const params = () => ({ serviceId: props.service.id });
  const run = async (what: 'restart' | 'deploy', call: () => Promise<unknown>) => {
    if (busy()) return;
    setBusy(what);
    await attempt(call);
    setBusy(undefined);
    await renewService(props.service.id);
  };
  const restart = () =>
    run('restart', async () => {
      const { detail } = await api.call('POST /api/services/:serviceId/restart', { params: params() });
      say(`${serviceText.actions.restartStarted}. ${detail}`);
    });
  const deploy = () =>
    run('deploy', async () => {
      const { deployment } = await api.call('POST /api/services/:serviceId/deployments', {
        params: params(),
      });
      navigate(`/deployments/${deployment.id}`);
    });
  return (
    <div class="actions">
      <Button
        kind={props.restart ? 'plain' : 'primary'}
        icon={DeployIcon}
        busy={busy() === 'deploy'}
        onClick={() => void deploy()}
      >
        {variablesText.applyDeploy}
      </Button>
      <Show when={props.restart}>
        <Button kind="primary" icon={RestartIcon} busy={busy() === 'restart'} onClick={() => void restart()}>
          {variablesText.applyRestart}
        </Button>
      </Show>
    </div>
  );
}
