/** Deployments as lines: the version, who started it, when, and the result. */
import type { Deployment } from '../../api/queries.ts';
import { Age, durationText } from '../../ui/age.tsx';
import { Rows } from '../../ui/rows.tsx';
import { Show } from '../../ui/show.ts';
import { Status } from '../../ui/status.tsx';
import { titleOf, tookMs } from './deployment-facts.ts';
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

export function DeploymentList(props: { deployments: readonly Deployment[] }) {
  return (
    <ul class="deployments">
      <Rows each={props.deployments}>
        {(deployment) => (
          <li>
            <Status state={deployment().status} />
            <DeploymentLine deployment={deployment()} />
            <span class="quiet-text end">
              <Age at={deployment().createdAt} />
              <Show when={tookMs(deployment())}>{(ms) => <small>{durationText(ms())}</small>}</Show>
            </span>
          </li>
        )}
      </Rows>
    </ul>
  );
}
