/** Pending background work. */
import type { DatabaseSync } from 'node:sqlite';
import { z } from 'zod';

export interface Chore {
  id: number;
  kind: string;
  payload: unknown;
  /** Attempts that failed. */
  failures: number;
}

const choreRow = z.object({ id: z.number(), kind: z.string(), payload: z.string(), failures: z.number() });

export class ChoreRecords {
  readonly #database: DatabaseSync;

  constructor(database: DatabaseSync) {
    this.#database = database;
    database.exec(`
      CREATE TABLE IF NOT EXISTS chores (
        id INTEGER PRIMARY KEY AUTOINCREMENT, kind TEXT NOT NULL, payload TEXT NOT NULL,
        failures INTEGER NOT NULL DEFAULT 0
      ) STRICT`);
  }

  add(kind: string, payload: unknown): Chore {
    const text = JSON.stringify(payload);
    const { lastInsertRowid } = this.#database
      .prepare('INSERT INTO chores (kind, payload) VALUES (?, ?)')
      .run(kind, text);
    return { id: Number(lastInsertRowid), kind, payload: JSON.parse(text), failures: 0 };
  }

  all(): Chore[] {
    const rows = this.#database.prepare('SELECT id, kind, payload, failures FROM chores ORDER BY id').all();
    return z
      .array(choreRow)
      .parse(rows)
      .map((row) => ({ ...row, payload: JSON.parse(row.payload) }));
  }

  failed(id: number): void {
    this.#database.prepare('UPDATE chores SET failures = failures + 1 WHERE id = ?').run(id);
  }

  remove(id: number): void {
    this.#database.prepare('DELETE FROM chores WHERE id = ?').run(id);
  }
}
