/** The reason of a failed deployment in a sentence, and on request what to do. */
import type { Deployment } from '../../../api/queries.ts';
import { deploymentText } from '../../../text/deployment-text.ts';
import { WarnIcon } from '../../../ui/icons.tsx';
import { Explain, explainDeployment } from '../explain.tsx';

export function Failure(props: { deployment: Deployment }) {
  return (
    <section class="panel attention">
      <h2>
        <WarnIcon /> {deploymentText.whyFailed}
      </h2>
      <p>{props.deployment.failureMessage ?? ''}</p>
      <Explain ask={() => explainDeployment(props.deployment.id)} />
    </section>
  );
}
