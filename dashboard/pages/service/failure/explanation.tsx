/** A failure with all that mends it: what failed, what serves meanwhile, the lines around the error, the likely cause, and the buttons. */
import { createSignal, For } from 'solid-js';
import { sentenceOf } from '../../../api/client.ts';
import { known } from '../../../api/known.ts';
import { Button } from '../../../ui/button.tsx';
import { Copyable } from '../../../ui/copy.tsx';
import { Show } from '../../../ui/show.ts';
import { attempt } from '../../../ui/toasts.tsx';
import { ErrorLines } from './error-lines.tsx';
import { type Explained, explain, type Failed, type useExplanation } from './explained-failure.ts';
import { failureText } from './failure-text.ts';
import { FixActions } from './fix-actions.tsx';
import './failure.css';

interface ExplanationProps {
  failed: Failed;
  query: ReturnType<typeof useExplanation>;
  /** The sentence of the host, until the rules have answered. */
  message: string | null;
  mayDeploy: boolean;
  mayWrite: boolean;
  /** Whether the page shows the log itself. */
  hasLog: boolean;
}

export function Explanation(props: ExplanationProps) {
  const [byModel, setByModel] = createSignal<Explained>();
  const [busy, setBusy] = createSignal(false);
  const answer = () => byModel() ?? known(props.query);
  const ask = async (id: string) => {
    setBusy(true);
    await attempt(async () => setByModel(await explain(props.failed, id)));
    setBusy(false);
  };
  return (
    <Show
      when={answer()}
      fallback={
        <div class="explanation is-coming">
          <p class="what">{props.message ?? ''}</p>
          <p class="quiet-text" role="status">
            {props.query.isError ? sentenceOf(props.query.error) : failureText.looking}
          </p>
        </div>
      }
    >
      {(found) => (
        <div class="explanation" role="status">
          <p class="what">{found().explanation.summary}</p>
          <Serving serving={found().explanation.serving} />
          <Show when={found().explanation.lines.length > 0}>
            <ErrorLines lines={found().explanation.lines} log={logOf(props.failed)} />
          </Show>
          <p>{found().explanation.likelyCause}</p>
          <p>
            <span class="quiet-text">{failureText.fix}:</span> {found().explanation.suggestedFix}
          </p>
          <FixActions
            failed={props.failed}
            actions={found().explanation.actions}
            mayDeploy={props.mayDeploy}
            mayWrite={props.mayWrite}
            hasLog={props.hasLog}
          />
          <Show when={byModel()}>
            {(one) => <p class="quiet-text">{failureText.asked(one().provider.id)}</p>}
          </Show>
          <details>
            <summary>{failureText.commands}</summary>
            <For each={found().explanation.commands}>
              {(command) => (
                <p>
                  <Copyable text={command} what={failureText.command} />
                </p>
              )}
            </For>
          </details>
          <Show when={byModel() ? undefined : found().askable}>
            {(id) => (
              <Button class="small" busy={busy()} onClick={() => void ask(id())}>
                {failureText.ask(id())}
              </Button>
            )}
          </Show>
        </div>
      )}
    </Show>
  );
}

/** What answers meanwhile: the first question of somebody who is woken. */
function Serving(props: { serving: Explained['explanation']['serving'] }) {
  return (
    <p class="serving" classList={{ 'is-nothing': props.serving === null }}>
      <Show when={props.serving} fallback={<strong>{failureText.nothingServes}</strong>}>
        {(serving) => {
          const words = () =>
            failureText.serves(serving().commit?.slice(0, 7) ?? failureText.aVersion, serving().since);
          return (
            <>
              <a href={`/deployments/${serving().deploymentId}`}>{words()[0]}</a>
              {words()[1]}
            </>
          );
        }}
      </Show>
    </p>
  );
}

function logOf(failed: Failed): string | undefined {
  if (failed.kind === 'crash') return undefined;
  return failed.kind === 'deployment'
    ? `/deployments/${failed.id}`
    : `/services/${failed.serviceId}/commands/${failed.id}`;
}
