/** Requests the explanation of a failed deployment, a failed command or a crash, and shows the answer. */
import { createSignal, For, type JSX } from 'solid-js';
import type { ReplyOf } from '../../../client/client.ts';
import { api } from '../../api/client.ts';
import { serviceText } from '../../text/service-text.ts';
import { Button } from '../../ui/button.tsx';
import { Copyable } from '../../ui/copy.tsx';
import { Show } from '../../ui/show.ts';
import { attempt } from '../../ui/toasts.tsx';

type Explanation = ReplyOf<'POST /api/deployments/:deploymentId/explain-failure'>['explanation'];

export const explainDeployment = async (deploymentId: string): Promise<Explanation> => {
  const options = { params: { deploymentId }, body: {} };
  return (await api.call('POST /api/deployments/:deploymentId/explain-failure', options)).explanation;
};

export const explainCrash = async (serviceId: string): Promise<Explanation> => {
  const options = { params: { serviceId }, body: {} };
  return (await api.call('POST /api/services/:serviceId/explain-crash', options)).explanation;
};

export const explainRun = async (run: { serviceId: string; id: string }): Promise<Explanation> => {
  const options = { params: { serviceId: run.serviceId, runId: run.id }, body: {} };
  const route = 'POST /api/services/:serviceId/runs/:runId/explain-failure';
  return (await api.call(route, options)).explanation;
};

interface ExplainProps {
  ask(): Promise<Explanation>;
  /** Buttons next to it. */
  children?: JSX.Element;
}

export function Explain(props: ExplainProps) {
  const [explanation, setExplanation] = createSignal<Explanation>();
  const [busy, setBusy] = createSignal(false);
  const explain = async () => {
    setBusy(true);
    await attempt(async () => setExplanation(await props.ask()));
    setBusy(false);
  };
  return (
    <>
      <Show when={explanation()}>{(found) => <Explained explanation={found()} />}</Show>
      <div class="actions">
        <Show when={!explanation()}>
          <Button busy={busy()} onClick={() => void explain()}>
            {busy() ? serviceText.explaining : serviceText.explain}
          </Button>
        </Show>
        {props.children}
      </div>
    </>
  );
}

function Explained(props: { explanation: Explanation }) {
  return (
    <div class="explained" role="status">
      <p>{props.explanation.summary}</p>
      <dl>
        <dt>{serviceText.explainCause}</dt>
        <dd>{props.explanation.likelyCause}</dd>
        <dt>{serviceText.explainFix}</dt>
        <dd>{props.explanation.suggestedFix}</dd>
      </dl>
      <For each={props.explanation.commands}>
        {(command) => (
          <p>
            <Copyable text={command} what={serviceText.command} />
          </p>
        )}
      </For>
    </div>
  );
}
