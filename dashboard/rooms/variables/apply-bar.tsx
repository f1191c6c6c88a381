/** What differs from the live version, and how to apply it. */
import { useNavigate } from '@solidjs/router';
import { createSignal, Show } from 'solid-js';
import { api } from '../../api/client.ts';
import { type Overview, renewService } from '../../api/queries.ts';
import { t } from '../../text/text.ts';
import { Button } from '../../ui/button.tsx';
import { DeployIcon, RestartIcon } from '../../ui/icons.tsx';
import { attempt, say } from '../../ui/toasts.tsx';

export function ApplyBar(props: { overview: Overview; mayDeploy: boolean }) {
  const navigate = useNavigate();
  const [busy, setBusy] = createSignal<'restart' | 'deploy'>();
  const service = () => props.overview.service;
  const params = () => ({ serviceId: service().id });
  const run = async (what: 'restart' | 'deploy', call: () => Promise<unknown>) => {
    if (busy()) return;
    setBusy(what);
    await attempt(call);
    setBusy(undefined);
    await renewService(service().id);
  };
  const restart = () =>
    run('restart', async () => {
      const { detail } = await api.call('POST /api/services/:serviceId/restart', { params: params() });
      say(`${t.service.actions.restartStarted}. ${detail}`);
    });
  const deploy = () =>
    run('deploy', async () => {
      const { deployment } = await api.call('POST /api/services/:serviceId/deployments', {
        params: params(),
      });
      navigate(`/deployments/${deployment.id}`);
    });
  return (
    <Show when={props.overview.pendingVariables.length}>
      {(n) => (
        <section class="panel attention apply">
          <div>
            <p>
              <strong>{t.variables.applyTitle(n())}</strong>
            </p>
            <p>
              <code>{props.overview.pendingVariables.join(', ')}</code>
            </p>
          </div>
          <Show when={props.mayDeploy}>
            <div class="actions">
              <Button icon={DeployIcon} busy={busy() === 'deploy'} onClick={() => void deploy()}>
                {t.variables.applyDeploy}
              </Button>
              <Button
                kind="primary"
                icon={RestartIcon}
                busy={busy() === 'restart'}
                onClick={() => void restart()}
              >
                {t.variables.applyRestart}
              </Button>
            </div>
          </Show>
        </section>
      )}
    </Show>
  );
}
