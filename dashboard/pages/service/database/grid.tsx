/** Rows and columns of a table, as a grid (ARIA APG): arrow keys move between cells, Enter edits, Esc leaves. */
import { createSignal, For, Index } from 'solid-js';
import { EditIcon } from '../../../ui/icons.tsx';
import { Show } from '../../../ui/show.ts';
import { columnWidths } from './column-widths.ts';
import { dataText } from './database-text.ts';
import { GridCell } from './grid-cell.tsx';
import { changeId, primaryKeyOf, type Staged } from './staged.ts';
import {
  type Column,
  type Engine,
  keepsKeys,
  type Row,
  type Rows,
  type Sort,
  type Table,
} from './table-types.ts';

interface GridProps {
  engine: Engine;
  table: Table;
  page: Rows;
  /** Number of the first row, from 0. */
  offset: number;
  staged: Staged;
  mayEdit: boolean;
  sort: Sort | undefined;
  /** Undefined: the table can't be sorted. */
  onSort: ((sort: Sort | undefined) => void) | undefined;
  onOpen(row: Row): void;
  /** The row that a value names. */
  targetOf(column: Column, row: Row): { address: string; name: string } | undefined;
}

/** A cell by row and column; the row's button has column -1. */
interface Place {
  row: number;
  column: number;
}

const steps: Record<string, Place> = {
  ArrowUp: { row: -1, column: 0 },
  ArrowDown: { row: 1, column: 0 },
  ArrowLeft: { row: 0, column: -1 },
  ArrowRight: { row: 0, column: 1 },
};

export function Grid(props: GridProps) {
  let table: HTMLTableElement | undefined;
  const keepWidth = columnWidths(props.table.id);
  const [at, setAt] = createSignal<Place>({ row: 0, column: 0 });
  const [editing, setEditing] = createSignal<Place>();
  const isAt = (place: Place | undefined, row: number, column: number) =>
    place?.row === row && place.column === column;
  const changeOf = (row: Row) => {
    const key = primaryKeyOf(props.page.columns, row);
    return key && props.staged.find(changeId(props.table, key));
  };
  const isEditable = (column: Column) =>
    props.mayEdit && !(column.primary && keepsKeys(props.engine, props.table));

  const goTo = (place: Place) => {
    const { rows, columns } = props.page;
    const inside = {
      row: Math.max(0, Math.min(rows.length - 1, place.row)),
      column: Math.max(-1, Math.min(columns.length - 1, place.column)),
    };
    setAt(inside);
    table?.querySelector<HTMLElement>(`[data-cell="${inside.row} ${inside.column}"]`)?.focus();
  };
  const pressed = (event: KeyboardEvent) => {
    // The buttons in the head of the table handle their own keys.
    if (editing() || !(event.target as Element).closest('[data-cell]')) return;
    const step = steps[event.key];
    const { row, column } = at();
    // The link to the row that a value names has the focus.
    if (event.key === 'Enter' && (event.target as Element).closest('a')) return;
    if (step) goTo({ row: row + step.row, column: column + step.column });
    else if (event.key === 'Home') goTo({ row, column: -1 });
    else if (event.key === 'End') goTo({ row, column: props.page.columns.length - 1 });
    else if ((event.key === 'Enter' || event.key === 'F2') && column >= 0) edit(row, column);
    else return;
    event.preventDefault();
  };
  const edit = (row: number, column: number) => {
    const target = props.page.columns[column];
    const data = props.page.rows[row];
    setAt({ row, column });
    if (!target || !data) return;
    if (isEditable(target) && changeOf(data)?.kind !== 'delete') setEditing({ row, column });
    else props.onOpen(data);
  };
  const leave = () => {
    setEditing(undefined);
    goTo(at());
  };
  const save = (row: Row, column: Column, value: unknown) => {
    const key = primaryKeyOf(props.page.columns, row);
    if (key) props.staged.update(props.table, key, row, { [column.name]: value });
    leave();
  };
  return (
    <div class="grid-scroller">
      <table
        ref={table}
        class="grid"
        // biome-ignore lint/a11y/noNoninteractiveElementToInteractiveRole: a grid is a table with keys (ARIA APG)
        role="grid"
        aria-label={dataText.grid(props.table.name)}
        aria-rowcount={props.page.total ?? -1}
        onKeyDown={pressed}
      >
        <thead>
          <tr aria-rowindex={1}>
            <th class="row-number" scope="col">
              <span class="visually-hidden">{dataText.rowActions}</span>
            </th>
            {/* Keyed by position: after sorting, a page of rows has new objects, and the focused button must stay. */}
            <Index each={props.page.columns}>
              {(column) => (
                <Head column={column()} sort={props.sort} onSort={props.onSort} keepWidth={keepWidth} />
              )}
            </Index>
          </tr>
        </thead>
        <tbody>
          <For each={props.page.rows}>
            {(row, index) => (
              <tr
                aria-rowindex={props.offset + index() + 2}
                classList={{ removed: changeOf(row)?.kind === 'delete' }}
              >
                <td class="row-number">
                  <button
                    type="button"
                    data-cell={`${index()} -1`}
                    tabindex={isAt(at(), index(), -1) ? 0 : -1}
                    aria-label={dataText.openRow(props.offset + index() + 1)}
                    onFocus={() => setAt({ row: index(), column: -1 })}
                    onClick={() => props.onOpen(row)}
                  >
                    <span>{props.offset + index() + 1}</span>
                    <EditIcon />
                  </button>
                </td>
                <For each={props.page.columns}>
                  {(column, place) => (
                    <GridCell
                      engine={props.engine}
                      column={column}
                      row={row}
                      place={`${index()} ${place()}`}
                      staged={changeOf(row)?.values}
                      isFocusable={isAt(at(), index(), place())}
                      isEditing={isAt(editing(), index(), place())}
                      isReadOnly={!isEditable(column)}
                      target={props.targetOf(column, row)}
                      onFocus={() => setAt({ row: index(), column: place() })}
                      onEdit={() => edit(index(), place())}
                      onSave={(value) => save(row, column, value)}
                      onLeave={leave}
                    />
                  )}
                </For>
              </tr>
            )}
          </For>
        </tbody>
      </table>
      <Show when={props.page.rows.length === 0}>
        <p class="quiet-text nothing-here">{dataText.noRows}</p>
      </Show>
    </div>
  );
}

interface HeadProps {
  column: Column;
  sort: Sort | undefined;
  onSort: GridProps['onSort'];
  keepWidth(column: string, head: HTMLElement): void;
}

function Head(props: HeadProps) {
  const own = () => (props.sort?.column === props.column.name ? props.sort : undefined);
  const next = (): Sort | undefined => {
    if (!own()) return { column: props.column.name, descending: false };
    return own()?.descending ? undefined : { column: props.column.name, descending: true };
  };
  const order = () => (own()?.descending ? ('descending' as const) : ('ascending' as const));
  const label = () => (
    <>
      <strong>{props.column.name}</strong>
      <small>
        {props.column.type}
        <Show when={props.column.primary}>
          <span class="key" title={dataText.primary}>
            {' '}
            PK
          </span>
        </Show>
      </small>
    </>
  );
  return (
    <th scope="col" aria-sort={own() ? order() : undefined}>
      <div class="head" ref={(head) => props.keepWidth(props.column.name, head)}>
        <Show when={props.onSort} fallback={label()}>
          {(sort) => (
            <button type="button" title={dataText.sortBy(props.column.name)} onClick={() => sort()(next())}>
              {label()}
            </button>
          )}
        </Show>
      </div>
    </th>
  );
}
