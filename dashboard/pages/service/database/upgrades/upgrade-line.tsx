/** One upgrade, trial or undo: its progress or its result. */

import { Age } from '../../../../ui/age.tsx';
import { Button } from '../../../../ui/button.tsx';
import { Show } from '../../../../ui/show.ts';
import { importsText } from '../imports-text.ts';
import type { Upgrade } from './upgrade-queries.ts';
import { upgradesText } from './upgrades-text.ts';

interface UpgradeLineProps {
  upgrade: Upgrade;
  mayWrite: boolean;
  onAbort(): void;
}

export function UpgradeLine(props: UpgradeLineProps) {
  const one = () => props.upgrade;
  const action = () => upgradesText.actions[one().action];
  const progress = () => {
    const { phase, progress: counted } = one();
    const words = phase === null ? undefined : upgradesText.phases[phase];
    return [
      ...(words ? [words] : []),
      ...(counted ? [importsText.loading(counted.done, counted.total, counted.unit)] : []),
    ].join(': ');
  };
  return (
    <li>
      <div>
        <strong>{action()}</strong>{' '}
        <span class={`tag state-${one().status}`}>{upgradesText.states[one().status]}</span>
        <p class="quiet-text facts-line">
          <span>
            <Age at={one().createdAt} />
          </span>
          <span>{upgradesText.from(one().fromImage)}</span>
          <span>{upgradesText.to(one().toImage)}</span>
          <Show when={one().safetyBackupId}>
            {(id) => (
              <span>
                <a href={`/services/${one().serviceId}/backups#${id()}`}>{upgradesText.safety}</a>
              </span>
            )}
          </Show>
        </p>
        <Show when={one().status === 'running' && progress()}>
          {(words) => <p role="status">{words()}</p>}
        </Show>
        <Show when={one().action === 'dry-run' && one().status === 'succeeded'}>
          <p>{upgradesText.trialDone}</p>
        </Show>
        <Show when={one().error}>
          {(error) => (
            <p>
              <span class="field-failure">{error()}</span>{' '}
              <span class="quiet-text">{upgradesText.unchanged}</span>
            </p>
          )}
        </Show>
      </div>
      <Show when={props.mayWrite && one().status === 'running'}>
        <div class="actions">
          <Button class="small" aria-label={upgradesText.abortLabel(action())} onClick={props.onAbort}>
            {upgradesText.abort}
          </Button>
        </div>
      </Show>
    </li>
  );
}
