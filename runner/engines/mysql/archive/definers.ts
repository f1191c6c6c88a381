/**
 * Takes out of what `mysqldump` writes who defined views, triggers, routines and events: those users are another server's, and whoever
 * loads the dump defines them instead. Only the beginning of each line is looked at; rows pass as they are.
 */
import { bodiesBegin, bodiesEnd, DumpLines, joined } from './dump-lines.ts';

/** The longest definer is shorter. */
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
/** Of 5.7, and unknown to later servers. https://dev.mysql.com/doc/refman/8.0/en/sql-mode.html */
const goneModes = new Set([
  ...['DB2', 'MAXDB', 'MSSQL', 'MYSQL323', 'MYSQL40', 'ORACLE', 'POSTGRESQL', 'NO_AUTO_CREATE_USER'],
  ...['NO_FIELD_OPTIONS', 'NO_KEY_OPTIONS', 'NO_TABLE_OPTIONS'],
]);

/** Where a line begins. `statement` and `body`: between the two lines `DELIMITER`, at the begin of a statement and in it. */
type Place = 'outside' | 'view' | 'statement' | 'body';

export class DefinerFilter {
  readonly #lines = new DumpLines(headBytesMax);
  #place: Place = 'outside';
  /** First and last bytes of the line. */
  #begin = '';
  #end = '';

  /** What may pass by now. */
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

  /** The rest: a last line without its end. */
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
