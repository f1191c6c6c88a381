/** The reason of a failed deployment, and what mends it. */
import type { Deployment } from '../../../api/queries.ts';
import { deploymentText } from '../../../text/deployment-text.ts';
import { WarnIcon } from '../../../ui/icons.tsx';
import { failedOf, type useExplanation } from '../failure/explained-failure.ts';
import { Explanation } from '../failure/explanation.tsx';

interface FailureProps {
  deployment: Deployment;
  query: ReturnType<typeof useExplanation>;
  mayDeploy: boolean;
  mayWrite: boolean;
}

export function Failure(props: FailureProps) {
  return (
    <section class="panel attention">
      <h2>
        <WarnIcon /> {deploymentText.whyFailed}
      </h2>
      <Explanation
        failed={failedOf(props.deployment)}
        query={props.query}
        message={props.deployment.failureMessage}
        mayDeploy={props.mayDeploy}
        mayWrite={props.mayWrite}
        hasLog
      />
    </section>
  );
}
