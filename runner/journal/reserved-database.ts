/** An SQLite database whose writes get the reserve's space when the disk is full, and are then done once more. */
import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite';
import type { DiskReserve } from './disk-reserve.ts';

/** https://sqlite.org/rescode.html: SQLITE_FULL, and the errors of I/O, among them those of files that can't grow. */
const fullCodes = new Set([13, 10]);
const primaryCode = (code: number) => code & 0xff;

export class ReservedDatabase extends DatabaseSync {
  readonly #reserve: DiskReserve;

  /** @throws Error of node:sqlite */
  constructor(path: string, { timeoutMs, reserve }: { timeoutMs: number; reserve: DiskReserve }) {
    super(path, { timeout: timeoutMs });
    this.#reserve = reserve;
  }

  override prepare(sql: string): StatementSync {
    const statement = super.prepare(sql);
    const run = statement.run.bind(statement);
    return Object.assign(statement, {
      run: (...values: SQLInputValue[]) => this.#withRoom(() => run(...values)),
    });
  }

  /** All of it or nothing. @param work changes of this database and nothing else: it may run twice */
  transaction<T>(work: () => T): T {
    return this.#withRoom(() => {
      this.exec('BEGIN IMMEDIATE');
      try {
        const result = work();
        this.exec('COMMIT');
        return result;
      } catch (error) {
        // A full disk may have ended the transaction already (https://sqlite.org/lang_transaction.html, section 3).
        if (this.isTransaction) this.exec('ROLLBACK');
        throw error;
      }
    });
  }

  #withRoom<T>(write: () => T): T {
    // A statement is no whole: its transaction is done once more.
    if (this.isTransaction) return write();
    try {
      return write();
    } catch (error) {
      if (!meansFull(error) || !this.#reserve.release()) throw error;
      return write();
    } finally {
      this.#reserve.fill();
    }
  }
}

function meansFull(error: unknown): boolean {
  const code = error instanceof Error && 'errcode' in error ? Number(error.errcode) : 0;
  return fullCodes.has(primaryCode(code));
}
