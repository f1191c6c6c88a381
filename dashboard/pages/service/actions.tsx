/** Deploy, also a chosen commit; restart, stop, start. */
import { useNavigate } from '@solidjs/router';
import { createSignal } from 'solid-js';
import { api } from '../../api/client.ts';
import { type Overview, renewService } from '../../api/queries.ts';
import { usePageCommands } from '../../shell/commands.ts';
import { serviceText } from '../../text/service-text.ts';
import { Button } from '../../ui/button.tsx';
import { Confirm } from '../../ui/dialog.tsx';
import { DeployIcon, RestartIcon, StartIcon, StopIcon } from '../../ui/icons.tsx';
import { hasRepository } from '../../ui/service-kind.ts';
import { Show } from '../../ui/show.ts';
import { attempt, say } from '../../ui/toasts.tsx';
import { ConfirmRestart, stopsFirst } from './confirm-restart.tsx';
import { DeployRef } from './deploy-ref.tsx';

type Action = 'deploy' | 'restart' | 'stop' | 'start';

export function Actions(props: { overview: Overview }) {
  const navigate = useNavigate();
  const [busy, setBusy] = createSignal<Action>();
  const [isStopping, setIsStopping] = createSignal(false);
  const [isRestarting, setIsRestarting] = createSignal(false);
  const [isChoosing, setIsChoosing] = createSignal(false);
  const service = () => props.overview.service;
  const params = () => ({ serviceId: service().id });
  const isStopped = () => service().status === 'stopped';
  /** A job in progress keeps the buttons in their place, so that the head does not jump. */
  const isBusy = () => service().status === 'queued' || service().status === 'building';
  const isLive = () =>
    ['active', 'crashed', 'degraded'].includes(service().status) ||
    (isBusy() && props.overview.deployments.some(({ status }) => status === 'running'));

  const run = async (action: Action, call: () => Promise<unknown>) => {
    if (busy()) return;
    setBusy(action);
    await attempt(call);
    setBusy(undefined);
    await renewService(service().id);
  };
  const deploy = () =>
    run('deploy', async () => {
      const { deployment } = await api.call('POST /api/services/:serviceId/deployments', {
        params: params(),
      });
      say(serviceText.actions.deployStarted);
      navigate(`/deployments/${deployment.id}`);
    });
  const restart = () =>
    run('restart', async () => {
      const { detail } = await api.call('POST /api/services/:serviceId/restart', { params: params() });
      say(`${serviceText.actions.restartStarted}. ${detail}`);
    });
  const askRestart = () => (stopsFirst(props.overview) ? setIsRestarting(true) : void restart());
  const start = () =>
    run('start', async () => {
      await api.call('POST /api/services/:serviceId/start', { params: params() });
      say(serviceText.actions.startStarted);
    });
  const stop = () =>
    run('stop', async () => {
      await api.call('POST /api/services/:serviceId/stop', { params: params() });
      say(serviceText.actions.stopped);
    });

  usePageCommands(() => [
    { label: serviceText.actions.deploy, detail: service().name, run: () => void deploy() },
    ...(hasRepository(service())
      ? [{ label: serviceText.actions.deployRef, detail: service().name, run: () => setIsChoosing(true) }]
      : []),
    ...(isStopped()
      ? [{ label: serviceText.actions.start, detail: service().name, run: () => void start() }]
      : []),
    ...(isLive() && !isBusy()
      ? [
          { label: serviceText.actions.restart, detail: service().name, run: askRestart },
          { label: serviceText.actions.stop, detail: service().name, run: () => setIsStopping(true) },
        ]
      : []),
  ]);

  return (
    <div class="actions">
      <Show when={isLive()}>
        <Button icon={RestartIcon} busy={busy() === 'restart'} disabled={isBusy()} onClick={askRestart}>
          {serviceText.actions.restart}
        </Button>
        <Button
          icon={StopIcon}
          busy={busy() === 'stop'}
          disabled={isBusy()}
          onClick={() => setIsStopping(true)}
        >
          {serviceText.actions.stop}
        </Button>
      </Show>
      <Show when={isStopped()}>
        <Button icon={StartIcon} busy={busy() === 'start'} onClick={() => void start()}>
          {serviceText.actions.start}
        </Button>
      </Show>
      <Show when={hasRepository(service())}>
        <Button onClick={() => setIsChoosing(true)}>{serviceText.actions.deployRef}</Button>
      </Show>
      <Button kind="primary" icon={DeployIcon} busy={busy() === 'deploy'} onClick={() => void deploy()}>
        {serviceText.actions.deploy}
      </Button>
      <Show when={isChoosing()}>
        <DeployRef service={service()} onClose={() => setIsChoosing(false)} />
      </Show>
      <Show when={isRestarting()}>
        <ConfirmRestart
          overview={props.overview}
          onClose={() => setIsRestarting(false)}
          onConfirm={() => void restart()}
        />
      </Show>
      <Show when={isStopping()}>
        <Confirm
          title={serviceText.stopTitle(service().name)}
          help={serviceText.stopHelp}
          submit={serviceText.actions.stop}
          danger
          onClose={() => setIsStopping(false)}
          onConfirm={() => void stop()}
        />
      </Show>
    </div>
  );
}
