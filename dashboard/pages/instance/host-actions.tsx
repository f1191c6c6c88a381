/** Actions on a host: upgrade, drain, revoke. */
import { createSignal } from 'solid-js';
import { operatorApi } from '../../api/operator.ts';
import { hostsText } from '../../text/operator-text.ts';
import { Button } from '../../ui/button.tsx';
import { Confirm } from '../../ui/dialog.tsx';
import { Show } from '../../ui/show.ts';
import { attempt, say } from '../../ui/toasts.tsx';
import { TypeName } from '../../ui/type-name.tsx';
import { type Host, renew } from './instance-queries.ts';

export function HostActions(props: { host: Host; offered: string | null }) {
  const [asking, setAsking] = createSignal<'drain' | 'revoke'>();
  const params = () => ({ runnerId: props.host.id });
  const name = () => props.host.name;
  const mayUpgrade = () =>
    props.host.connected &&
    props.host.facts.takesUpgrades &&
    props.offered !== null &&
    props.host.facts.release !== props.offered;
  const drain = (drained: boolean) =>
    attempt(async () => {
      await operatorApi.call('PATCH /api/system/runners/:runnerId', { params: params(), body: { drained } });
      say(drained ? hostsText.drained(name()) : hostsText.undrained(name()));
      await renew('hosts');
    });
  const upgrade = () =>
    attempt(async () => {
      const { started } = await operatorApi.call('POST /api/system/runners/:runnerId/upgrade', {
        params: params(),
      });
      say(started ? hostsText.upgradeStarted(name()) : hostsText.upgradeRuns(name()));
    });
  const revoke = () =>
    attempt(async () => {
      await operatorApi.call('DELETE /api/system/runners/:runnerId', { params: params() });
      say(hostsText.revoked(name()));
      await renew('hosts');
    });
  return (
    <div class="actions">
      <Show when={mayUpgrade()}>
        <Button class="small" aria-label={hostsText.upgradeLabel(name())} onClick={() => void upgrade()}>
          {hostsText.upgrade}
        </Button>
      </Show>
      <Show
        when={props.host.drained}
        fallback={
          <Button class="small" aria-label={hostsText.drainLabel(name())} onClick={() => setAsking('drain')}>
            {hostsText.drain}
          </Button>
        }
      >
        <Button class="small" aria-label={hostsText.undrainLabel(name())} onClick={() => void drain(false)}>
          {hostsText.undrain}
        </Button>
      </Show>
      <Button class="small" aria-label={hostsText.revokeLabel(name())} onClick={() => setAsking('revoke')}>
        {hostsText.revoke}
      </Button>
      <Show when={asking() === 'drain'}>
        <Confirm
          title={hostsText.drainTitle(name())}
          help={hostsText.drainHelp}
          submit={hostsText.drain}
          onClose={() => setAsking(undefined)}
          onConfirm={() => void drain(true)}
        />
      </Show>
      <Show when={asking() === 'revoke'}>
        <TypeName
          title={hostsText.revokeTitle(name())}
          help={hostsText.revokeHelp}
          name={name()}
          submit={hostsText.revoke}
          onClose={() => setAsking(undefined)}
          onConfirm={() => void revoke()}
        />
      </Show>
    </div>
  );
}
