/**
 * Staged changes of rows, which are not written yet. A row is identified by its primary key. This browser keeps them until they are written or
 * discarded, or the session ends; all its tabs have the same.
 */
import { createSignal, onCleanup } from 'solid-js';
import { api, ToldError } from '../../../api/client.ts';
import { keptPrefix } from '../../../api/session.ts';
import { expiryCommand } from './expiry-command.ts';
import { keyExpiryText } from './expiry-text.ts';
import type { Column, Row, Table } from './table-types.ts';
import type { Value } from './values.ts';

export interface Change {
  /** Made of the table and the primary key; a new row has a number. */
  id: string;
  table: Table;
  kind: 'update' | 'insert' | 'delete' | 'expiry';
  primaryKey: Row;
  /** The row as it was read; empty for a new row. */
  before: Row;
  /** New values by column. */
  values: Record<string, Value>;
  /** Only for the kind `expiry`. */
  expiry?: Expiry;
  /** Why the database refused it. */
  refusal?: string;
}

/** The new expiry of a key in Redis: seconds; null: never. */
export interface Expiry {
  /** The logical database of the key. */
  database: number;
  before: number | null;
  after: number | null;
}

/** @returns undefined if the table has no primary key */
export function primaryKeyOf(columns: readonly Column[], row: Row): Row | undefined {
  const keys = columns.filter(({ primary }) => primary).map(({ name }) => name);
  if (keys.length === 0) return undefined;
  return Object.fromEntries(keys.map((name) => [name, row[name]]));
}

/** @param what the primary key of a row, or another property of the table */
export const changeId = (table: Table, what: Row | 'expiry'): string => `${table.id} ${JSON.stringify(what)}`;

export type Staged = ReturnType<typeof createStaged>;

/** @param serviceId the database */
export function createStaged(serviceId: () => string) {
  const key = `${keptPrefix}staged-${serviceId()}`;
  const [changes, show] = createSignal<readonly Change[]>(read(key));
  const setChanges = (next: (all: readonly Change[]) => readonly Change[]) => {
    show(next);
    keep(key, changes());
  };
  const ofOtherTab = (event: StorageEvent) => event.key === key && show(read(key));
  addEventListener('storage', ofOtherTab);
  onCleanup(() => removeEventListener('storage', ofOtherTab));
  const discard = (id: string) => setChanges((all) => all.filter((one) => one.id !== id));
  const put = (change: Change) =>
    setChanges((all) =>
      all.some(({ id }) => id === change.id)
        ? all.map((one) => (one.id === change.id ? change : one))
        : [...all, change],
    );
  const find = (id: string) => changes().find((one) => one.id === id);
  return {
    ...{ changes, discard, find },
    discardAll: () => setChanges(() => []),
    insert(table: Table, values: Record<string, Value>) {
      const inserts = changes().map(({ id }) => Number(/^new (\d+)$/.exec(id)?.[1] ?? 0));
      put({
        id: `new ${Math.max(0, ...inserts) + 1}`,
        table,
        kind: 'insert',
        primaryKey: {},
        before: {},
        values,
      });
    },
    remove(table: Table, primaryKey: Row, before: Row) {
      put({ id: changeId(table, primaryKey), table, kind: 'delete', primaryKey, before, values: {} });
    },
    /** If a value is changed back, the change is removed. */
    update(table: Table, primaryKey: Row, before: Row, values: Record<string, Value>) {
      const id = changeId(table, primaryKey);
      const all = Object.entries({ ...find(id)?.values, ...values });
      const changed = all.filter(([name, value]) => JSON.stringify(value) !== JSON.stringify(before[name]));
      if (changed.length === 0) discard(id);
      else put({ id, table, kind: 'update', primaryKey, before, values: Object.fromEntries(changed) });
    },
    /** If a key without expiry is set to no expiry, there is no change. */
    expire(table: Table, expiry: Expiry) {
      const id = changeId(table, 'expiry');
      if (expiry.before === null && expiry.after === null) discard(id);
      else put({ id, table, kind: 'expiry', primaryKey: {}, before: {}, values: {}, expiry });
    },
    /** Writes the changes one after another. Refused ones stay with the reason. @returns how many were written */
    async write(sentenceOf: (error: unknown) => string): Promise<number> {
      let written = 0;
      for (const change of changes()) {
        try {
          await send(serviceId(), change);
          written += 1;
          discard(change.id);
        } catch (error) {
          put({ ...change, refusal: sentenceOf(error) });
        }
      }
      return written;
    },
  };
}

function keep(key: string, changes: readonly Change[]): void {
  try {
    if (changes.length === 0) localStorage.removeItem(key);
    else localStorage.setItem(key, JSON.stringify(changes));
  } catch {
    // More than the browser stores: they are lost only when the page is left.
  }
}

function read(key: string): readonly Change[] {
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(key) ?? '[]');
    return Array.isArray(stored) ? (stored as Change[]) : [];
  } catch {
    return [];
  }
}

async function send(serviceId: string, { kind, table, primaryKey, values, expiry }: Change): Promise<void> {
  if (expiry) return await sendExpiry(serviceId, table, expiry);
  const params = { serviceId };
  const at = { table: table.id, primaryKey };
  if (kind === 'insert') {
    const body = { table: table.id, values };
    await api.call('POST /api/services/:serviceId/database/rows', { params, body });
  } else if (kind === 'delete')
    await api.call('DELETE /api/services/:serviceId/database/rows', { params, body: at });
  else await api.call('PATCH /api/services/:serviceId/database/rows', { params, body: { ...at, values } });
}

/** @throws ToldError if the key no longer exists */
async function sendExpiry(serviceId: string, { name }: Table, { database, after }: Expiry): Promise<void> {
  const { rows } = await api.call('POST /api/services/:serviceId/database/query', {
    params: { serviceId },
    body: { sql: expiryCommand(name, after), database },
  });
  // Redis answers 0 if nothing changed.
  if (String(rows[0]?.value) === '0') throw new ToldError(keyExpiryText.unchanged);
}
