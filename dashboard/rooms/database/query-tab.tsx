/** Statements: an editor with history, and what the database answers. */
import { createSignal, For, Show } from 'solid-js';
import { api, sentenceOf } from '../../api/client.ts';
import type { Overview } from '../../api/queries.ts';
import { queries } from '../../api/query-client.ts';
import { t } from '../../text/text.ts';
import { Button } from '../../ui/button.tsx';
import { StartIcon } from '../../ui/icons.tsx';
import { createHistory } from './history.ts';
import { QueryResult } from './query-result.tsx';
import type { Answered } from './types.ts';

type Language = keyof typeof t.query.label;

const languageOf = (engine: string | null): Language =>
  engine === 'redis' || engine === 'mongodb' ? engine : 'sql';

export function QueryTab(props: { overview: Overview; mayWrite: boolean }) {
  const { service } = props.overview;
  const history = createHistory(service.id);
  const [text, setText] = createSignal(history.statements()[0] ?? '');
  const [answered, setAnswered] = createSignal<Answered>();
  const [failure, setFailure] = createSignal('');
  const [busy, setBusy] = createSignal(false);
  const language = languageOf(service.framework);

  const run = async (sql: string) => {
    if (busy() || sql.trim() === '') return;
    setBusy(true);
    setFailure('');
    const from = performance.now();
    try {
      const params = { serviceId: service.id };
      const reply = await api.call('POST /api/services/:serviceId/database/query', { params, body: { sql } });
      setAnswered({ reply, tookMs: Math.round(performance.now() - from) });
    } catch (error) {
      setAnswered(undefined);
      setFailure(sentenceOf(error));
    }
    history.add(sql);
    setBusy(false);
    // It may have changed anything.
    void queries.invalidateQueries({ queryKey: ['rows', service.id] });
    void queries.invalidateQueries({ queryKey: ['tables', service.id] });
  };
  const pressed = (event: KeyboardEvent) => {
    if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return;
    event.preventDefault();
    void run(text());
  };
  return (
    <Show when={props.mayWrite} fallback={<p class="quiet-text">{t.query.readOnly}</p>}>
      <div class="query-room">
        <div class="stack">
          <form
            class="query-editor"
            onSubmit={(event) => {
              event.preventDefault();
              void run(text());
            }}
          >
            <textarea
              class="mono"
              data-filter
              rows={Math.max(5, Math.min(18, text().split('\n').length + 1))}
              aria-label={t.query.label[language]}
              placeholder={t.query.placeholder[language]}
              spellcheck={false}
              autocomplete="off"
              autocapitalize="off"
              value={text()}
              onInput={(event) => setText(event.currentTarget.value)}
              onKeyDown={pressed}
            />
            <div class="actions">
              <Button kind="primary" type="submit" icon={StartIcon} busy={busy()}>
                {t.query.run}
              </Button>
              <kbd>{t.query.runKeys}</kbd>
            </div>
          </form>
          <Show when={failure()}>
            <p class="query-failure" role="alert">
              {failure()}
            </p>
          </Show>
          <Show when={answered()}>{(answer) => <QueryResult answered={answer()} name={service.slug} />}</Show>
        </div>
        <History statements={history.statements()} onChoose={setText} onClear={history.clear} />
      </div>
    </Show>
  );
}

function History(props: {
  statements: readonly string[];
  onChoose(statement: string): void;
  onClear(): void;
}) {
  return (
    <section class="panel history">
      <header>
        <h2>{t.query.history}</h2>
        <Show when={props.statements.length > 0}>
          <button type="button" class="link quiet-text" onClick={props.onClear}>
            {t.query.clearHistory}
          </button>
        </Show>
      </header>
      <ul>
        <For each={props.statements} fallback={<li class="quiet-text">{t.query.noHistory}</li>}>
          {(statement) => (
            <li>
              <button type="button" title={statement} onClick={() => props.onChoose(statement)}>
                {statement}
              </button>
            </li>
          )}
        </For>
      </ul>
    </section>
  );
}
