/** The rows that a statement returned, and their export as files. */
import { createMemo, createSignal, For } from 'solid-js';
import { t } from '../../../../text/text.ts';
import { Button } from '../../../../ui/button.tsx';
import { saveFile } from '../../../../ui/save-file.ts';
import { Show } from '../../../../ui/show.ts';
import { queryText } from '../database-text.ts';
import { fileOf, formats, writers } from '../export/export.ts';
import { exportText } from '../imports-text.ts';
import type { Answered } from '../table-types.ts';
import { cellText } from '../values.ts';
import { chartOf } from './result-chart.ts';
import { ResultChartView } from './result-chart-view.tsx';

/** Number of rows shown at first: a thousand rows of fifty columns would freeze a phone. */
const shownAtOnce = 200;

const views = ['table', 'chart', 'json'] as const;
type View = (typeof views)[number];

export function QueryResult(props: { answered: Answered; name: string }) {
  const [shown, setShown] = createSignal(shownAtOnce);
  const [view, setView] = createSignal<View>('table');
  const reply = () => props.answered.reply;
  const chart = createMemo(() => chartOf(reply().columns, reply().rows));
  const hidden = () => reply().rows.length - shown();
  return (
    <div class="stack">
      <div class="toolbar">
        <p class="quiet-text" role="status">
          {queryText.took(reply().rowCount, props.answered.tookMs)}
          <Show when={reply().truncatedBy}>
            {(limit) => <strong class="cut"> · {queryText.truncated[limit()]}</strong>}
          </Show>
        </p>
        <Show when={reply().columns.length > 0}>
          <div class="actions">
            <fieldset class="segmented">
              <legend class="visually-hidden">{queryText.view}</legend>
              <For each={views}>
                {(one) => (
                  <button type="button" aria-pressed={view() === one} onClick={() => setView(one)}>
                    {queryText.views[one]}
                  </button>
                )}
              </For>
            </fieldset>
            <For each={formats}>
              {(format) => (
                <Button
                  class="small"
                  aria-label={queryText.export(exportText.formats[format])}
                  title={exportText.formatHelp[format]}
                  onClick={() =>
                    saveFile(
                      `${props.name}.${writers[format].ending}`,
                      fileOf(format, reply().columns, reply().rows),
                      writers[format].type,
                    )
                  }
                >
                  {exportText.formats[format]}
                </Button>
              )}
            </For>
          </div>
        </Show>
      </div>
      <Show when={view() === 'chart'}>
        <Show when={chart()} fallback={<p class="quiet-text">{queryText.noChart}</p>}>
          {(found) => <ResultChartView chart={found()} />}
        </Show>
      </Show>
      <Show when={view() === 'json'}>
        <pre class="json" tabindex="0">
          {fileOf('json', reply().columns, reply().rows.slice(0, shown()))}
        </pre>
      </Show>
      <Show
        when={view() === 'table' && reply().columns.length > 0}
        fallback={
          <Show when={reply().columns.length === 0}>
            <p class="quiet-text">{queryText.noColumns}</p>
          </Show>
        }
      >
        <section class="grid-scroller" tabindex="0" aria-label={queryText.result}>
          <table class="grid">
            <thead>
              <tr>
                <For each={reply().columns}>
                  {({ name, type }) => (
                    <th scope="col">
                      <strong>{name}</strong>
                      <small>{type}</small>
                    </th>
                  )}
                </For>
              </tr>
            </thead>
            <tbody>
              <For each={reply().rows.slice(0, shown())}>
                {(row) => (
                  <tr>
                    <For each={reply().columns}>
                      {({ name }) => (
                        <td classList={{ nothing: row[name] === null || row[name] === undefined }}>
                          {cellText(row[name])}
                        </td>
                      )}
                    </For>
                  </tr>
                )}
              </For>
            </tbody>
          </table>
        </section>
        <Show when={hidden() > 0}>
          <Button class="small" onClick={() => setShown((n) => n + shownAtOnce)}>
            {t.more}
          </Button>
        </Show>
      </Show>
    </div>
  );
}
