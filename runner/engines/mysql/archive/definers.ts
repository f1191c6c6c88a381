/**
 * Removes the definers of views, triggers, routines and events from the output of `mysqldump`: those users belong to another server. The
 * user who loads the dump becomes the definer. Only the beginning of each line is checked; rows pass unchanged.
 */
import { bodiesBegin, bodiesEnd, DumpLines, joined } from './dump-lines.ts';

/** Longer than any definer. */
const headBytesMax = 4_096;

const name = '`(?:[^`]|``)*`';
const definer = `DEFINER=${name}@${name}`;
const viewBegins = /^\/\*!50001 CREATE ALGORITHM=\w+ \*\/\n$/;
const ofView = new RegExp(String.raw`^(/\*!50013 )${definer} (?=SQL SECURITY (?:DEFINER|INVOKER) \*/\n$)`);
const ofBody = [
  new RegExp(`^(CREATE )${definer} (?=PROCEDURE |FUNCTION |AGGREGATE )`),
  new RegExp(String.raw`^(/\*!50003 CREATE\*/ )/\*!50017 ${definer}\*/ (?=/\*!50003 TRIGGER )`),
  new RegExp(String.raw`^(/\*!50106 CREATE\*/ )/\*!50117 ${definer}\*/ (?=/\*!50106 EVENT )`),
];
const sqlMode = /^(\/\*!50003 SET sql_mode +=\s*')([^']*)(?=' \*\/ ;)/;
/** Modes of 5.7 that later servers don't know. https://dev.mysql.com/doc/refman/8.0/en/sql-mode.html */
const goneModes = new Set([
  ...['DB2', 'MAXDB', 'MSSQL', 'MYSQL323', 'MYSQL40', 'ORACLE', 'POSTGRESQL', 'NO_AUTO_CREATE_USER'],
  ...['NO_FIELD_OPTIONS', 'NO_KEY_OPTIONS', 'NO_TABLE_OPTIONS'],
]);

/** Where a line begins. `statement` and `body`: between the two `DELIMITER` lines, at the start of a statement or inside one. */
type Place = 'outside' | 'view' | 'statement' | 'body';

export class DefinerFilter {
  readonly #lines = new DumpLines(headBytesMax);
  #place: Place = 'outside';
  /** The first and the last bytes of the line. */
  #begin = '';
  #end = '';

  /** The bytes that can be passed on now. */
  take(chunk: Buffer): Buffer {
    const passed: Buffer[] = [];
    for (const { head, bytes, isLast } of this.#lines.pieces(chunk)) {
      if (head !== undefined) [this.#begin, this.#end] = [head, ''];
      this.#end = (this.#end + bytes.subarray(-3).toString('latin1')).slice(-3);
      const text = head === undefined ? undefined : rewrite(head, this.#place);
      passed.push(text === head || text === undefined ? bytes : Buffer.from(text, 'latin1'));
      if (isLast) this.#endLine();
    }
    return joined(passed);
  }

  /** A last line without a line break. */
  rest(): Buffer {
    return this.#lines.rest;
  }

  #endLine(): void {
    if (this.#place === 'statement' && this.#begin === bodiesEnd) this.#place = 'outside';
    else if (this.#place === 'statement' || this.#place === 'body')
      this.#place = this.#end === ';;\n' ? 'statement' : 'body';
    else if (this.#begin === bodiesBegin) this.#place = 'statement';
    else this.#place = viewBegins.test(this.#begin) ? 'view' : 'outside';
  }
}

function rewrite(begin: string, place: Place): string {
  if (place === 'view') return begin.replace(ofView, '$1');
  if (place === 'body') return begin;
  const known = begin.replace(sqlMode, (_, set: string, modes: string) => `${set}${modesOf(modes)}`);
  if (place === 'outside') return known;
  return ofBody.reduce((text, pattern) => text.replace(pattern, '$1'), known);
}

const modesOf = (modes: string) =>
  modes
    .split(',')
    .filter((mode) => !goneModes.has(mode))
    .join(',');
