/**
 * Puts the rows of a dump into an empty database in memory. A dump that took minutes can have rows that do not fit together, such as a job
 * whose service was deleted before services were read. Such rows are left out and counted.
 */
import { DatabaseSync } from 'node:sqlite';
import type { Manifest, RowGroup } from './read-dump.ts';

/** Tables that a long dump reads twice; the later rows replace the earlier ones. */
const readTwice = ['deletions', 'deleted_rows'];

export interface Rebuilt {
  database: DatabaseSync;
  /** Number of rows that do not fit, by table. */
  leftOut: Record<string, number>;
}

export function rebuild({ schema }: Manifest, groups: readonly RowGroup[]): Rebuilt {
  const database = new DatabaseSync(':memory:', { enableForeignKeyConstraints: false });
  const leftOut: Record<string, number> = {};
  const leave = (table: string) => {
    leftOut[table] = (leftOut[table] ?? 0) + 1;
  };
  // Creates no triggers yet: their rows are already in the dump.
  for (const { type, sql } of schema) if (type === 'table' || type === 'index') database.exec(sql);
  for (const { table, columns, rows } of groups) {
    const verb = readTwice.includes(table) ? 'INSERT OR REPLACE' : 'INSERT';
    const insert = database.prepare(
      `${verb} INTO ${quoted(table)} (${columns.map(quoted).join(', ')}) VALUES (${columns.map(() => '?').join(', ')})`,
    );
    for (const row of rows) {
      try {
        insert.run(...row);
      } catch {
        leave(table);
      }
    }
  }
  if (schema.some(({ name }) => name === 'deletions')) database.exec(dropUndone.join(';'));
  removeOrphans(database, leave);
  return { database, leftOut };
}

const live = ['services', 'projects', 'backups'].map((table) => `SELECT id FROM ${table}`).join(' UNION ');

/** Removes deletions of a service that is also live in the dump: it was deleted or restored meanwhile. Live wins, because nothing is lost then. */
export const dropUndone = [
  `DELETE FROM deleted_rows WHERE resource_id IN (${live})`,
  `DELETE FROM deletions WHERE resource_id IN (${live})`,
];

/** Removes rows whose parent is missing. @param leave gets the table of each */
export function removeOrphans(database: DatabaseSync, leave: (table: string) => void): void {
  const check = database.prepare('SELECT DISTINCT "table", rowid FROM pragma_foreign_key_check');
  // Removing a row can orphan other rows.
  for (let orphans = check.all(); orphans.length > 0; orphans = check.all()) {
    for (const { table, rowid } of orphans) {
      database.prepare(`DELETE FROM ${quoted(String(table))} WHERE rowid = ?`).run(Number(rowid));
      leave(String(table));
    }
  }
}

export const quoted = (name: string) => `"${name.replaceAll('"', '""')}"`;
