/** Deployments as lines: the version, who started it, when, and the result. */
import { createSignal } from 'solid-js';
import type { Deployment, Overview } from '../../api/queries.ts';
import { deploymentText } from '../../text/deployment-text.ts';
import { Age, durationText } from '../../ui/age.tsx';
import { Button } from '../../ui/button.tsx';
import { BackIcon } from '../../ui/icons.tsx';
import { Rows } from '../../ui/rows.tsx';
import { isDatabase } from '../../ui/service-kind.ts';
import { Show } from '../../ui/show.ts';
import { Status } from '../../ui/status.tsx';
import { ConfirmRollback } from './confirm-rollback.tsx';
import { doingText, isActive, titleOf, tookMs, versionOf } from './deployment-facts.ts';
import { VersionFacts } from './version-facts.tsx';

export function DeploymentLine(props: { deployment: Deployment }) {
  return (
    <div class="deployment-line">
      <a class="row-link" href={`/deployments/${props.deployment.id}`}>
        {titleOf(props.deployment)}
      </a>
      <p class="quiet-text facts-line">
        <VersionFacts deployment={props.deployment} />
      </p>
    </div>
  );
}

interface DeploymentListProps {
  deployments: readonly Deployment[];
  overview: Overview;
  /** Whether rows have a button to roll back. */
  mayDeploy: boolean;
}

export function DeploymentList(props: DeploymentListProps) {
  const [backTo, setBackTo] = createSignal<string>();
  const groups = () => groupsOf(props.deployments);
  const row = (deployment: () => Deployment) => (
    <Row
      deployment={deployment()}
      overview={props.overview}
      onRollback={
        props.mayDeploy && mayReturn(deployment(), props.overview)
          ? () => setBackTo(deployment().id)
          : undefined
      }
    />
  );
  return (
    <>
      <ul class="deployments">
        <Rows each={groups()} by={({ first }) => first.id}>
          {(group) => (
            <Show when={group().restarts.length > 0} fallback={row(() => group().first)}>
              <li class="restarts">
                <details>
                  <summary>{deploymentText.restarts(group().restarts.length + 1)}</summary>
                  <ul class="deployments">
                    <Rows each={[group().first, ...group().restarts]}>{row}</Rows>
                  </ul>
                </details>
              </li>
            </Show>
          )}
        </Rows>
      </ul>
      <Show when={backTo()}>
        {(deploymentId) => (
          <ConfirmRollback
            deploymentId={deploymentId()}
            serviceId={props.overview.service.id}
            onClose={() => setBackTo(undefined)}
          />
        )}
      </Show>
    </>
  );
}

interface RowProps {
  deployment: Deployment;
  overview: Overview;
  onRollback: (() => void) | undefined;
}

function Row(props: RowProps) {
  return (
    <li classList={{ 'is-live': props.deployment.status === 'running' }}>
      <Status state={props.deployment.status} text={doingText(props.deployment, props.overview.service)} />
      <DeploymentLine deployment={props.deployment} />
      <span class="back">
        <Show when={props.onRollback}>
          {(ask) => (
            <Button
              class="small"
              kind="quiet"
              icon={BackIcon}
              aria-label={deploymentText.rollbackOf(versionOf(props.deployment))}
              onClick={() => ask()()}
            >
              {deploymentText.rollbackShort}
            </Button>
          )}
        </Show>
      </span>
      <span class="quiet-text end">
        <Age at={props.deployment.createdAt} />
        <Show when={tookMs(props.deployment)}>{(ms) => <small>{durationText(ms())}</small>}</Show>
      </span>
    </li>
  );
}

/** A restart has no version of its own, so that nobody wants to go back to it. */
const mayReturn = ({ status, trigger }: Deployment, { service }: Overview): boolean =>
  status === 'superseded' && trigger !== 'restart' && !isDatabase(service);

interface Group {
  first: Deployment;
  /** Restarts after the first, which is one too. */
  restarts: Deployment[];
}

/** The live one first, and restarts in a row as one line. @param deployments newest first */
function groupsOf(deployments: readonly Deployment[]): Group[] {
  const isLive = ({ status }: Deployment) => status === 'running';
  const isGrouped = ({ trigger, status }: Deployment) => trigger === 'restart' && status === 'superseded';
  const groups: Group[] = [];
  for (const one of [...deployments.filter(isActive), ...deployments.filter(isLive)])
    groups.push({ first: one, restarts: [] });
  let open: Group | undefined;
  for (const one of deployments) {
    if (isLive(one) || isActive(one)) continue;
    if (isGrouped(one) && open && isGrouped(open.first)) open.restarts.push(one);
    else {
      open = { first: one, restarts: [] };
      groups.push(open);
    }
  }
  return groups;
}
