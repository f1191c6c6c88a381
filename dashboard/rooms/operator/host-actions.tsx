/** Actions on a host: upgrade, drain, revoke. */
import { createSignal } from 'solid-js';
import { operatorApi } from '../../api/operator.ts';
import { t } from '../../text/text.ts';
import { Button } from '../../ui/button.tsx';
import { Confirm } from '../../ui/dialog.tsx';
import { Show } from '../../ui/show.ts';
import { attempt, say } from '../../ui/toasts.tsx';
import { TypeName } from '../../ui/type-name.tsx';
import { type Host, renew } from './queries.ts';

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
      say(drained ? t.hosts.drained(name()) : t.hosts.undrained(name()));
      await renew('hosts');
    });
  const upgrade = () =>
    attempt(async () => {
      const { started } = await operatorApi.call('POST /api/system/runners/:runnerId/upgrade', {
        params: params(),
      });
      say(started ? t.hosts.upgradeStarted(name()) : t.hosts.upgradeRuns(name()));
    });
  const revoke = () =>
    attempt(async () => {
      await operatorApi.call('DELETE /api/system/runners/:runnerId', { params: params() });
      say(t.hosts.revoked(name()));
      await renew('hosts');
    });
  return (
    <div class="actions">
      <Show when={mayUpgrade()}>
        <Button class="small" aria-label={t.hosts.upgradeLabel(name())} onClick={() => void upgrade()}>
          {t.hosts.upgrade}
        </Button>
      </Show>
      <Show
        when={props.host.drained}
        fallback={
          <Button class="small" aria-label={t.hosts.drainLabel(name())} onClick={() => setAsking('drain')}>
            {t.hosts.drain}
          </Button>
        }
      >
        <Button class="small" aria-label={t.hosts.undrainLabel(name())} onClick={() => void drain(false)}>
          {t.hosts.undrain}
        </Button>
      </Show>
      <Button class="small" aria-label={t.hosts.revokeLabel(name())} onClick={() => setAsking('revoke')}>
        {t.hosts.revoke}
      </Button>
      <Show when={asking() === 'drain'}>
        <Confirm
          title={t.hosts.drainTitle(name())}
          help={t.hosts.drainHelp}
          submit={t.hosts.drain}
          onClose={() => setAsking(undefined)}
          onConfirm={() => void drain(true)}
        />
      </Show>
      <Show when={asking() === 'revoke'}>
        <TypeName
          title={t.hosts.revokeTitle(name())}
          help={t.hosts.revokeHelp}
          name={name()}
          submit={t.hosts.revoke}
          onClose={() => setAsking(undefined)}
          onConfirm={() => void revoke()}
        />
      </Show>
    </div>
  );
}
