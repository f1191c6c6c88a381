/** One upgrade, trial or undo: its progress or its result. */
import { t } from '../../../text/text.ts';
import { Age } from '../../../ui/age.tsx';
import { Button } from '../../../ui/button.tsx';
import { Show } from '../../../ui/show.ts';
import type { Upgrade } from './queries.ts';

interface UpgradeLineProps {
  upgrade: Upgrade;
  mayWrite: boolean;
  onAbort(): void;
}

export function UpgradeLine(props: UpgradeLineProps) {
  const one = () => props.upgrade;
  const action = () => t.upgrades.actions[one().action];
  const progress = () => {
    const { phase, progress: counted } = one();
    const words = phase === null ? undefined : t.upgrades.phases[phase];
    return [
      ...(words ? [words] : []),
      ...(counted ? [t.imports.loading(counted.done, counted.total, counted.unit)] : []),
    ].join(': ');
  };
  return (
    <li>
      <div>
        <strong>{action()}</strong>{' '}
        <span class={`tag state-${one().status}`}>{t.upgrades.states[one().status]}</span>
        <p class="quiet-text facts-line">
          <span>
            <Age at={one().createdAt} />
          </span>
          <span>{t.upgrades.from(one().fromImage)}</span>
          <span>{t.upgrades.to(one().toImage)}</span>
          <Show when={one().safetyBackupId}>
            {(id) => (
              <span>
                <a href={`/services/${one().serviceId}/backups#${id()}`}>{t.upgrades.safety}</a>
              </span>
            )}
          </Show>
        </p>
        <Show when={one().status === 'running' && progress()}>
          {(words) => <p role="status">{words()}</p>}
        </Show>
        <Show when={one().action === 'dry-run' && one().status === 'succeeded'}>
          <p>{t.upgrades.trialDone}</p>
        </Show>
        <Show when={one().error}>
          {(error) => (
            <p>
              <span class="field-failure">{error()}</span>{' '}
              <span class="quiet-text">{t.upgrades.unchanged}</span>
            </p>
          )}
        </Show>
      </div>
      <Show when={props.mayWrite && one().status === 'running'}>
        <div class="actions">
          <Button class="small" aria-label={t.upgrades.abortLabel(action())} onClick={props.onAbort}>
            {t.upgrades.abort}
          </Button>
        </div>
      </Show>
    </li>
  );
}
