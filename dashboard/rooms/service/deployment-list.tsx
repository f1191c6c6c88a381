/** Deployments as lines: the version, who started it, when, and the result. */
import type { Deployment } from '../../api/queries.ts';
import { t } from '../../text/text.ts';
import { Age, durationText } from '../../ui/age.tsx';
import { Rows } from '../../ui/rows.tsx';
import { Show } from '../../ui/show.ts';
import { Status } from '../../ui/status.tsx';
import { startOf, titleOf, tookMs } from '../deployment-facts.ts';

export function DeploymentLine(props: { deployment: Deployment }) {
  return (
    <div class="deployment-line">
      <a class="row-link" href={`/deployments/${props.deployment.id}`}>
        {titleOf(props.deployment)}
      </a>
      <p class="quiet-text facts-line">
        <Show when={props.deployment.commitSha}>{(sha) => <code>{sha().slice(0, 7)}</code>}</Show>
        <Show when={props.deployment.branch}>{(branch) => <span>{branch()}</span>}</Show>
        <Show when={props.deployment.commitAuthor}>
          {(name) => <span>{t.deployment.author(name())}</span>}
        </Show>
        <Show when={startOf(props.deployment)}>{(text) => <span>{text()}</span>}</Show>
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
