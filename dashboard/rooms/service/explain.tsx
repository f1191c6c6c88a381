/** Asks the control plane why a deployment failed, and shows its answer. */
import { createSignal, For, type JSX, Show } from 'solid-js';
import type { ReplyOf } from '../../../client/client.ts';
import { api } from '../../api/client.ts';
import { t } from '../../text/text.ts';
import { Button } from '../../ui/button.tsx';
import { Copyable } from '../../ui/copy.tsx';
import { attempt } from '../../ui/toasts.tsx';

type Explanation = ReplyOf<'POST /api/deployments/:deploymentId/explain-failure'>['explanation'];

export function Explain(props: { deploymentId: string; mayExplain: boolean; children?: JSX.Element }) {
  const [explanation, setExplanation] = createSignal<Explanation>();
  const [busy, setBusy] = createSignal(false);
  const explain = async () => {
    setBusy(true);
    await attempt(async () => {
      const options = { params: { deploymentId: props.deploymentId }, body: {} };
      const answer = await api.call('POST /api/deployments/:deploymentId/explain-failure', options);
      setExplanation(answer.explanation);
    });
    setBusy(false);
  };
  return (
    <>
      <Show when={explanation()}>{(found) => <Explained explanation={found()} />}</Show>
      <div class="actions">
        <Show when={!explanation() && props.mayExplain}>
          <Button busy={busy()} onClick={() => void explain()}>
            {busy() ? t.service.explaining : t.service.explain}
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
        <dt>{t.service.explainCause}</dt>
        <dd>{props.explanation.likelyCause}</dd>
        <dt>{t.service.explainFix}</dt>
        <dd>{props.explanation.suggestedFix}</dd>
      </dl>
      <For each={props.explanation.commands}>
        {(command) => (
          <p>
            <Copyable text={command} what={t.service.command} />
          </p>
        )}
      </For>
    </div>
  );
}
