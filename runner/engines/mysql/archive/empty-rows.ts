/**
 * Repairs the rows of tables that have only generated columns. `mysqldump` writes no value for such a column, and then no opening
 * parenthesis either: two rows are `INSERT INTO `t` () VALUES ),));`, which no server accepts.
 */
import type { LinePiece } from './dump-lines.ts';

const broken = /^(INSERT INTO `(?:[^`]|``)+` \(\) VALUES )\)/s;

export class EmptyRows {
  #statement: Buffer[] | undefined;

  isPart({ head, place }: LinePiece): boolean {
    return head === undefined ? this.#statement !== undefined : place === 'outside' && broken.test(head);
  }

  /** Collects the pieces of a statement. @returns nothing and 0 rows until the last piece, then the repaired statement */
  mended({ bytes, head, isLast }: LinePiece): { bytes: Buffer; rows: number } {
    this.#statement = head === undefined ? [...(this.#statement ?? []), bytes] : [bytes];
    if (!isLast) return { bytes: Buffer.alloc(0), rows: 0 };
    const statement = Buffer.concat(this.#statement).toString('latin1');
    this.#statement = undefined;
    const [, begin = ''] = broken.exec(statement) ?? [];
    const rows = statement.slice(begin.length).split(',').length;
    const text = `${begin}${Array.from({ length: rows }, () => '()').join(',')};\n`;
    return { bytes: Buffer.from(text, 'latin1'), rows };
  }
}
