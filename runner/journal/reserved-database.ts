/** An SQLite database that retries a write on a full disk once, after releasing the disk reserve. */
import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite';
import type { DiskReserve } from './disk-reserve.ts';

/** https://sqlite.org/rescode.html: SQLITE_FULL, and SQLITE_IOERR, which includes files that can't grow. */
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

  /** All or nothing. @param work must only change this database: it may run twice */
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
    // Inside a transaction the whole transaction is repeated, not a single statement.
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
