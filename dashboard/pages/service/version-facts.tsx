/** What a deployment is of, and who started it, as parts of a line of facts. */
import type { Deployment } from '../../api/queries.ts';
import { deploymentText } from '../../text/deployment-text.ts';
import { Show } from '../../ui/show.ts';
import { startOf, wantedText } from './deployment-facts.ts';

export function VersionFacts(props: { deployment: Deployment }) {
  return (
    <>
      <Show when={props.deployment.commitSha}>{(sha) => <code title={sha()}>{sha().slice(0, 7)}</code>}</Show>
      <Show when={props.deployment.branch}>{(branch) => <span>{branch()}</span>}</Show>
      <Show when={wantedText(props.deployment)}>{(text) => <span>{text()}</span>}</Show>
      <Show when={props.deployment.commitAuthor}>
        {(name) => <span>{deploymentText.author(name())}</span>}
      </Show>
      <Show when={startOf(props.deployment)}>{(text) => <span>{text()}</span>}</Show>
    </>
  );
}
