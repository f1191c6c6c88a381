/** The page for statements: an editor with history, and the answer of the database as rows or as a plan. */
import { createSignal, For } from 'solid-js';
import { api, sentenceOf } from '../../../../api/client.ts';
import type { Overview } from '../../../../api/queries.ts';
import { queries } from '../../../../api/query-client.ts';
import { Button } from '../../../../ui/button.tsx';
import { CompletedText } from '../../../../ui/completed-text.tsx';
import { StartIcon } from '../../../../ui/icons.tsx';
import { RecordDialog } from '../../../../ui/record-dialog.tsx';
import { Show } from '../../../../ui/show.ts';
import { queryText } from '../database-text.ts';
import { caretPlace } from '../editor/caret-place.ts';
import { useCatalogue } from '../editor/catalogue.ts';
import { completeStatement } from '../editor/complete-statement.ts';
import { statementParts } from '../editor/statement-parts.ts';
import { canExplain, explainStatement, planOf } from '../plan/explain-statement.ts';
import { NoPlanError, type Plan } from '../plan/plan.ts';
import { PlanTree } from '../plan/plan-tree.tsx';
import { planText } from '../plan-text.ts';
import type { Answered } from '../table-types.ts';
import { cellText } from '../values.ts';
import { createHistory } from './history.ts';
import { History, SavedQueries, TabStrip } from './query-lists.tsx';
import { QueryResult } from './query-result.tsx';
import { createQueryTabs, tabName } from './query-tabs.ts';
import '../../../../styles/database.css';
import '../../../../styles/plan.css';

type Language = keyof typeof queryText.label;

const languageOf = (engine: string | null): Language =>
  engine === 'redis' || engine === 'mongodb' ? engine : 'sql';

interface Shown {
  answered: Answered;
  /** Undefined: rows were requested, or the answer is not a plan. */
  plan?: Plan | undefined;
  isUnknownPlan?: boolean;
}

export function QueryTab(props: { overview: Overview; mayWrite: boolean }) {
  const { service } = props.overview;
  const engine = service.framework ?? '';
  const history = createHistory(service.id);
  const written = createQueryTabs(service.id, history.statements()[0] ?? '');
  const text = () => written.current().text;
  const setText = written.write;
  let running: AbortController | undefined;
  const [isSaving, setIsSaving] = createSignal(false);
  const [shown, setShown] = createSignal<Shown>();
  const [failure, setFailure] = createSignal('');
  const [busy, setBusy] = createSignal<'run' | 'explain' | 'measure'>();
  const { catalogue, use } = useCatalogue(service.id, engine, text);
  const language = languageOf(service.framework);

  const send = async (kind: 'run' | 'explain' | 'measure') => {
    const statement = text();
    if (busy() || statement.trim() === '') return;
    running = new AbortController();
    setBusy(kind);
    setFailure('');
    try {
      const sql = kind === 'run' ? statement : explainStatement(engine, statement, kind === 'measure');
      setShown(shownOf(engine, await ask(service.id, sql, running.signal), kind !== 'run'));
    } catch (error) {
      setShown(undefined);
      setFailure(failureOf(error, running.signal.aborted));
    }
    history.add(statement);
    setBusy(undefined);
    // The statement may have changed any data.
    if (kind === 'explain') return;
    void queries.invalidateQueries({ queryKey: ['rows', service.id] });
    void queries.invalidateQueries({ queryKey: ['tables', service.id] });
    void queries.invalidateQueries({ queryKey: ['columns', service.id] });
  };
  return (
    <Show when={props.mayWrite} fallback={<p class="quiet-text">{queryText.readOnly}</p>}>
      <div class="query-room">
        <div class="stack">
          <TabStrip written={written} />
          <form
            class="query-editor"
            onSubmit={(event) => {
              event.preventDefault();
              void send('run');
            }}
          >
            <CompletedText
              class="statement-editor"
              value={text()}
              label={queryText.label[language]}
              listLabel={queryText.completions}
              rows={Math.max(5, Math.min(18, text().split('\n').length + 1))}
              placeholder={queryText.placeholder[language]}
              isForSlash
              onInput={setText}
              onRun={() => void send('run')}
              onLook={use}
              complete={(at, isWanted) => completeStatement(catalogue, text(), at, isWanted)}
              place={caretPlace}
              coloured={() => (
                <For each={statementParts(engine, text())}>
                  {({ kind, text: part }) => <span class={`part-${kind}`}>{part}</span>}
                </For>
              )}
            >
              {({ name, kind, detail }) => (
                <>
                  <code>{name}</code>
                  <small>{[queryText.kinds[kind], detail].filter(Boolean).join(' · ')}</small>
                </>
              )}
            </CompletedText>
            <div class="actions">
              <Button kind="primary" type="submit" icon={StartIcon} busy={busy() === 'run'}>
                {queryText.run}
              </Button>
              <Show when={canExplain(engine)}>
                <Button busy={busy() === 'explain'} onClick={() => void send('explain')}>
                  {planText.explain}
                </Button>
                <Button
                  busy={busy() === 'measure'}
                  title={planText.measureHelp}
                  aria-description={planText.measureHelp}
                  onClick={() => void send('measure')}
                >
                  {planText.measure}
                </Button>
              </Show>
              <Show when={busy()}>
                <Button onClick={() => running?.abort()}>{queryText.cancel}</Button>
              </Show>
              <Button disabled={text().trim() === ''} onClick={() => setIsSaving(true)}>
                {queryText.save}
              </Button>
              <span class="query-keys">
                <kbd>{queryText.runKeys}</kbd> {queryText.runHelp} · <kbd>{queryText.completeKeys}</kbd>{' '}
                {queryText.completeHelp} · {queryText.limit}
              </span>
            </div>
          </form>
          <Show when={failure()}>
            <p class="query-failure" role="alert">
              {failure()}
            </p>
          </Show>
          <Show when={shown()} keyed>
            {(answer) => (
              <Show
                when={answer.plan}
                fallback={
                  <>
                    <Show when={answer.isUnknownPlan}>
                      <p class="quiet-text">{planText.unknown}</p>
                    </Show>
                    <QueryResult answered={answer.answered} name={service.slug} />
                  </>
                }
              >
                {(plan) => <PlanTree plan={plan()} source={sourceOf(answer.answered)} />}
              </Show>
            )}
          </Show>
        </div>
        <div class="stack">
          <SavedQueries written={written} />
          <History statements={history.statements()} onChoose={written.open} onClear={history.clear} />
        </div>
        <Show when={isSaving()}>
          <RecordDialog
            title={queryText.saveTitle}
            fields={[
              {
                name: 'name',
                kind: 'text',
                isRequired: true,
                label: queryText.saveName,
                help: queryText.saveHelp,
              },
            ]}
            first={{ name: tabName(text()) }}
            send={async ({ name }) => {
              written.save(name.trim());
              return queryText.saved(name.trim());
            }}
            onClose={() => setIsSaving(false)}
          />
        </Show>
      </div>
    </Show>
  );
}

/** The sentence below the statement. */
function failureOf(error: unknown, isCancelled: boolean): string {
  if (isCancelled) return queryText.cancelled;
  return error instanceof RangeError ? error.message : sentenceOf(error);
}

async function ask(serviceId: string, sql: string, signal: AbortSignal): Promise<Answered> {
  const from = performance.now();
  const params = { serviceId };
  const reply = await api.call('POST /api/services/:serviceId/database/query', {
    params,
    body: { sql },
    signal,
  });
  return { reply, tookMs: Math.round(performance.now() - from) };
}

function shownOf(engine: string, answered: Answered, isExplained: boolean): Shown {
  if (!isExplained) return { answered };
  try {
    return { answered, plan: planOf(engine, answered.reply.rows) };
  } catch (error) {
    if (error instanceof NoPlanError) return { answered, isUnknownPlan: true };
    throw error;
  }
}

/** The plan in the database's own format. */
function sourceOf({ reply: { rows, columns } }: Answered): string {
  const [column] = columns;
  const values = columns.length === 1 && column ? rows.map((row) => row[column.name]) : rows;
  return values
    .map((value) => (typeof value === 'object' ? JSON.stringify(value, null, 2) : cellText(value)))
    .join('\n');
}
