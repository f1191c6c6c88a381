/** Completed host tasks with their results: a task that arrives again gets its stored result and is not run again. */
import type { DatabaseSync } from 'node:sqlite';
import { z } from 'zod';
import { type ProxyResult, proxyResultSchema } from '../../protocol/host-task.ts';

const resultRow = z.object({ proxy: z.string() });

export class TaskRecords {
  readonly #database: DatabaseSync;

  constructor(database: DatabaseSync) {
    this.#database = database;
    database.exec(`
      CREATE TABLE IF NOT EXISTS tasks (
        id TEXT PRIMARY KEY, proxy TEXT NOT NULL, done_at INTEGER NOT NULL
      ) STRICT, WITHOUT ROWID`);
  }

  answer(id: string): ProxyResult | undefined {
    const row = this.#database.prepare('SELECT proxy FROM tasks WHERE id = ?').get(id);
    return row && proxyResultSchema.parse(JSON.parse(resultRow.parse(row).proxy));
  }

  done(id: string, proxy: ProxyResult, at: number): void {
    this.#database
      .prepare('INSERT OR REPLACE INTO tasks (id, proxy, done_at) VALUES (?, ?, ?)')
      .run(id, JSON.stringify(proxy), at);
  }

  prune(before: number): void {
    this.#database.prepare('DELETE FROM tasks WHERE done_at < ?').run(before);
  }
}
