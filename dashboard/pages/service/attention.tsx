/** The next thing to do: a failed deployment with its explanation, warnings, and changes that wait. */
import { For } from 'solid-js';
import type { Deployment, Overview } from '../../api/queries.ts';
import { serviceText } from '../../text/service-text.ts';
import { Age } from '../../ui/age.tsx';
import { WarnIcon } from '../../ui/icons.tsx';
import { Show } from '../../ui/show.ts';
import { ApplyActions } from './apply-actions.tsx';
import { type Failed as FailedThing, failedOf, useExplanation } from './failure/explained-failure.ts';
import { Explanation } from './failure/explanation.tsx';
import { settingLabel } from './settings/setting-groups.ts';

const appliers = ['restart', 'deployment'] as const;

export function Attention(props: { overview: Overview; mayDeploy: boolean; mayWrite: boolean }) {
  const newest = () => props.overview.deployments[0];
  const failed = () => (newest()?.status === 'failed' ? newest() : undefined);
  const pending = () =>
    props.overview.pendingVariables.length +
    props.overview.pendingBuildVariables.length +
    props.overview.pendingFiles.length +
    props.overview.pendingSettings.length;
  const rights = () => ({ mayDeploy: props.mayDeploy, mayWrite: props.mayWrite });
  const isNeeded = () => failed() !== undefined || props.overview.warnings.length > 0 || pending() > 0;
  return (
    <Show when={isNeeded()}>
      <section class="panel attention">
        <h2>
          <WarnIcon /> {serviceText.attention}
        </h2>
        <Show when={failed()}>{(deployment) => <Failed deployment={deployment()} {...rights()} />}</Show>
        <For each={props.overview.warnings}>{(warning) => <p class="warning">{warning}</p>}</For>
        <Show when={props.overview.crashExplainable}>
          <Explained
            failed={{ kind: 'crash', serviceId: props.overview.service.id }}
            message={null}
            {...rights()}
          />
        </Show>
        <Show when={pending() > 0}>
          <Pending overview={props.overview} mayDeploy={props.mayDeploy} />
        </Show>
      </section>
    </Show>
  );
}

interface Rights {
  mayDeploy: boolean;
  mayWrite: boolean;
}

function Failed(props: { deployment: Deployment } & Rights) {
  return (
    <div class="failed">
      <p>
        <strong>{serviceText.lastFailed}</strong>{' '}
        <span class="quiet-text">
          <Age at={props.deployment.finishedAt ?? props.deployment.createdAt} />
        </span>
      </p>
      <Explained
        failed={failedOf(props.deployment)}
        message={props.deployment.failureMessage}
        mayDeploy={props.mayDeploy}
        mayWrite={props.mayWrite}
      />
    </div>
  );
}

function Explained(props: { failed: FailedThing; message: string | null } & Rights) {
  const query = useExplanation(() => props.failed);
  return (
    <Explanation
      failed={props.failed}
      query={query}
      message={props.message}
      mayDeploy={props.mayDeploy}
      mayWrite={props.mayWrite}
      hasLog={false}
    />
  );
}

function Pending(props: { overview: Overview; mayDeploy: boolean }) {
  const settings = (applier: (typeof appliers)[number]) =>
    props.overview.pendingSettings.filter(({ appliedBy }) => appliedBy === applier);
  const restartApplies = () =>
    settings('deployment').length + props.overview.pendingBuildVariables.length === 0;
  return (
    <div class="pending">
      <Show when={props.overview.pendingVariables.length}>
        {(n) => (
          <p>
            <strong>{serviceText.pending(n())}:</strong>{' '}
            <code>{props.overview.pendingVariables.join(', ')}</code>
          </p>
        )}
      </Show>
      <Show when={props.overview.pendingBuildVariables.length}>
        {(n) => (
          <p>
            <strong>{serviceText.pendingBuild(n())}:</strong>{' '}
            <code>{props.overview.pendingBuildVariables.join(', ')}</code>
          </p>
        )}
      </Show>
      <Show when={props.overview.pendingFiles.length}>
        {(n) => (
          <p>
            <strong>{serviceText.pendingFiles(n())}:</strong>{' '}
            <code>{props.overview.pendingFiles.join(', ')}</code>
          </p>
        )}
      </Show>
      <For each={appliers}>
        {(applier) => (
          <Show when={settings(applier).length}>
            {(n) => (
              <p>
                <strong>{serviceText.pendingSettings(n(), applier)}:</strong>{' '}
                {settings(applier)
                  .map(({ name }) => settingLabel(name))
                  .join(', ')}
              </p>
            )}
          </Show>
        )}
      </For>
      <Show when={props.mayDeploy && props.overview.service.status === 'active'}>
        <ApplyActions overview={props.overview} restart={restartApplies()} />
      </Show>
    </div>
  );
}
