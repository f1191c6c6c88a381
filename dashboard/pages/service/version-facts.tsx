/** What a deployment is of, and who started it, as parts of a line of facts. */
import type { Deployment } from '../../api/queries.ts';
import { deploymentText } from '../../text/deployment-text.ts';
import { OutsideLink } from '../../ui/outside-link.tsx';
import { Show } from '../../ui/show.ts';
import { commitAddress } from './commit-address.ts';
import { startOf, wantedText } from './deployment-facts.ts';

/** @param props.repoUrl makes the commit a link to the git host */
export function VersionFacts(props: { deployment: Deployment; repoUrl?: string | undefined }) {
  return (
    <>
      <Show when={props.deployment.commitSha}>
        {(sha) => (
          <Show
            when={commitAddress(props.repoUrl ?? '', sha())}
            fallback={<code title={sha()}>{sha().slice(0, 7)}</code>}
          >
            {(address) => (
              <OutsideLink href={address()}>
                <code title={deploymentText.commitAt(sha())}>{sha().slice(0, 7)}</code>
              </OutsideLink>
            )}
          </Show>
        )}
      </Show>
      <Show when={props.deployment.branch}>{(branch) => <span>{branch()}</span>}</Show>
      <Show when={wantedText(props.deployment)}>{(text) => <span>{text()}</span>}</Show>
      <Show when={props.deployment.commitAuthor}>
        {(name) => <span>{deploymentText.author(name())}</span>}
      </Show>
      <Show when={startOf(props.deployment)}>{(text) => <span>{text()}</span>}</Show>
    </>
  );
}
