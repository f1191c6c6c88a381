/** The push that waits for the checks of its commit, or that they keep from being deployed. */
import { useNavigate } from '@solidjs/router';
import { createSignal } from 'solid-js';
import { api } from '../../api/client.ts';
import { type Overview, renewService } from '../../api/queries.ts';
import { follow } from '../../api/started.ts';
import { serviceText } from '../../text/service-text.ts';
import { Age } from '../../ui/age.tsx';
import { Button } from '../../ui/button.tsx';
import { initiatorText } from '../../ui/initiator-text.ts';
import { Show } from '../../ui/show.ts';
import { attempt, say } from '../../ui/toasts.tsx';

export function AwaitedPush(props: { overview: Overview; mayDeploy: boolean }) {
  const navigate = useNavigate();
  const [busy, setBusy] = createSignal<'deploy' | 'drop'>();
  const params = () => ({ serviceId: props.overview.service.id });
  const run = async (what: 'deploy' | 'drop', call: () => Promise<unknown>) => {
    if (busy()) return;
    setBusy(what);
    await attempt(call);
    setBusy(undefined);
    await renewService(props.overview.service.id);
  };
  const deploy = (commitSha: string) =>
    run('deploy', async () => {
      const { deployment } = await api.call('POST /api/services/:serviceId/deployments', {
        params: params(),
        body: { commitSha },
      });
      follow(deployment);
      navigate(`/deployments/${deployment.id}`);
    });
  const drop = () =>
    run('drop', async () => {
      await api.call('DELETE /api/services/:serviceId/awaited-push', { params: params() });
      say(serviceText.awaited.dropped);
    });
  return (
    <Show when={props.overview.awaitedPush}>
      {(push) => (
        <section class={push().state === 'waiting' ? 'panel busy' : 'panel attention'}>
          <h2>{serviceText.awaited.title[push().state]}</h2>
          <p>
            <code>{push().commitSha.slice(0, 7)}</code> {push().commitMessage}
          </p>
          <p class="quiet-text facts-line">
            <span>{push().branch}</span>
            <Show when={push().startedBy}>{(who) => <span>{initiatorText(who())}</span>}</Show>
            <Age at={push().createdAt} />
          </p>
          <p>{push().detail ?? serviceText.awaited.soon}</p>
          <Show when={props.mayDeploy}>
            <div class="actions">
              <Button busy={busy() === 'deploy'} onClick={() => void deploy(push().commitSha)}>
                {serviceText.awaited.deploy}
              </Button>
              <Button busy={busy() === 'drop'} onClick={() => void drop()}>
                {push().state === 'waiting' ? serviceText.awaited.drop : serviceText.awaited.hide}
              </Button>
            </div>
          </Show>
        </section>
      )}
    </Show>
  );
}
