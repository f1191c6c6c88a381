/** The tables of a SQL database as a picture, with a line for each foreign key. Tables that no key concerns stand below. */
import { createMemo, createSignal, For } from 'solid-js';
import type { Overview } from '../../../../api/queries.ts';
import { Answer } from '../../../../ui/answer.tsx';
import { BoxDrawing, createBoxDrawing } from '../../../../ui/drawing/box-drawing.tsx';
import { besideSources, columnsOf } from '../../../../ui/drawing/box-lines.ts';
import { Empty } from '../../../../ui/empty.tsx';
import { Show } from '../../../../ui/show.ts';
import { useTables } from '../database-queries.ts';
import { dataText, schemaText } from '../database-text.ts';
import type { Table } from '../table-types.ts';
import type { ForeignKey } from './relations.ts';
import { useRelations } from './use-relations.ts';
import '../../../../styles/picture.css';

export function SchemaTab(props: { overview: Overview; mayWrite: boolean }) {
  const serviceId = () => props.overview.service.id;
  const tables = useTables(serviceId, () => ({}));
  const relations = useRelations(
    serviceId,
    () => tables.data?.engine,
    () => props.mayWrite,
  );
  return (
    <Show when={props.mayWrite} fallback={<p class="quiet-text">{schemaText.readOnly}</p>}>
      <Answer query={tables} lines={6}>
        {(data) => (
          <Show when={data().tables.length > 0} fallback={<Empty title={dataText.noTables.table} />}>
            <Schema serviceId={serviceId()} tables={data().tables} keys={relations().foreignKeys} />
          </Show>
        )}
      </Answer>
    </Show>
  );
}

const idOf = (schema: string, name: string) => JSON.stringify([schema, name]);

function Schema(props: { serviceId: string; tables: readonly Table[]; keys: readonly ForeignKey[] }) {
  const [pointed, setPointed] = createSignal('');
  const byId = createMemo(
    () => new Map(props.tables.map((table) => [idOf(table.schema, table.name), table])),
  );
  const edges = createMemo(() =>
    props.keys
      .map((key) => ({ from: idOf(key.schema, key.table), to: idOf(key.targetSchema, key.targetTable), key }))
      .filter(({ from, to }) => byId().has(from) && byId().has(to)),
  );
  const columns = createMemo(() => {
    const named = new Set(edges().flatMap(({ from, to }) => [from, to]));
    const found = columnsOf(
      [...byId().keys()].filter((id) => named.has(id)),
      edges(),
    );
    return found.map((ids, index) =>
      index === 0 ? ids : besideSources(ids, found[index - 1] ?? [], edges()),
    );
  });
  const alone = () => {
    const drawn = new Set(columns().flat());
    return [...byId().keys()].filter((id) => !drawn.has(id));
  };
  const drawing = createBoxDrawing(edges);
  const box = (id: string) => (
    <Show when={byId().get(id)}>
      {(table) => (
        <li>
          <a
            ref={drawing.box(id)}
            class="picture-box"
            href={`/services/${props.serviceId}/data?table=${encodeURIComponent(table().id)}`}
            onPointerEnter={() => setPointed(id)}
            onPointerLeave={() => setPointed('')}
            onFocusIn={() => setPointed(id)}
            onFocusOut={() => setPointed('')}
          >
            <span class="picture-head">
              <strong>{table().name}</strong>
              <small class="quiet-text">{schemaText.rows(dataText.rowsShort(table().rowCount))}</small>
            </span>
            <For each={edges().filter(({ from }) => from === id)}>
              {({ key }) => (
                <small class="quiet-text">
                  {schemaText.key(key.columns.join(', '), key.targetTable, key.targetColumns.join(', '))}
                </small>
              )}
            </For>
          </a>
        </li>
      )}
    </Show>
  );
  return (
    <section class="stack" aria-label={schemaText.title}>
      <Show when={columns().length > 0}>
        <BoxDrawing
          drawing={drawing}
          isPointed={(line) => {
            const { from, to } = edges()[line] ?? {};
            return pointed() !== '' && (from === pointed() || to === pointed());
          }}
        >
          <For each={columns()}>
            {(ids) => (
              <section>
                <ul>
                  <For each={ids}>{box}</For>
                </ul>
              </section>
            )}
          </For>
        </BoxDrawing>
      </Show>
      <Show when={alone().length > 0}>
        <section class="drawing-alone">
          <h2 class="section-title">{schemaText.alone}</h2>
          <ul>
            <For each={alone()}>{box}</For>
          </ul>
        </section>
      </Show>
    </section>
  );
}
