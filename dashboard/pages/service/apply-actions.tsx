/** Buttons that apply waiting changes by a restart or a deployment. */
import { useNavigate } from '@solidjs/router';
import { createSignal } from 'solid-js';
import { api } from '../../api/client.ts';
import { type Overview, renewService } from '../../api/queries.ts';
import { serviceText, variablesText } from '../../text/service-text.ts';
import { Button } from '../../ui/button.tsx';
import { DeployIcon, RestartIcon } from '../../ui/icons.tsx';
import { Show } from '../../ui/show.ts';
import { attempt, say } from '../../ui/toasts.tsx';
import { ConfirmRestart, stopsFirst } from './confirm-restart.tsx';

/** @param props.restart whether a restart is enough */
export function ApplyActions(props: { overview: Overview; restart: boolean }) {
  const navigate = useNavigate();
  const [isAsking, setIsAsking] = createSignal(false);
  const [busy, setBusy] = createSignal<'restart' | 'deploy'>();
  const params = () => ({ serviceId: props.overview.service.id });
  const run = async (what: 'restart' | 'deploy', call: () => Promise<unknown>) => {
    if (busy()) return;
    setBusy(what);
    await attempt(call);
    setBusy(undefined);
    await renewService(props.overview.service.id);
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
  const askRestart = () => (stopsFirst(props.overview) ? setIsAsking(true) : void restart());
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
        <Button kind="primary" icon={RestartIcon} busy={busy() === 'restart'} onClick={askRestart}>
          {variablesText.applyRestart}
        </Button>
      </Show>
      <Show when={isAsking()}>
        <ConfirmRestart
          overview={props.overview}
          onClose={() => setIsAsking(false)}
          onConfirm={() => void restart()}
        />
      </Show>
    </div>
  );
}
