/**
 * Removes the definers of views, triggers, routines and events from the output of `mysqldump`: those users belong to another server. The
 * user who loads the dump becomes the definer. Only the beginning of each line is checked; rows pass unchanged.
 */
import type { LinePiece } from './dump-lines.ts';

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

export class DefinerFilter {
  #head = '';
  /** The line is the second one of a view's definition. */
  #isOfView = false;

  /** The bytes that can be passed on. */
  take({ bytes, head, isLast, place }: LinePiece): Buffer {
    if (head !== undefined) this.#head = head;
    const text = head === undefined ? undefined : this.#rewritten(head, place);
    if (isLast) this.#isOfView = place === 'outside' && viewBegins.test(this.#head);
    return text === head || text === undefined ? bytes : Buffer.from(text, 'latin1');
  }

  #rewritten(head: string, place: LinePiece['place']): string {
    if (this.#isOfView) return head.replace(ofView, '$1');
    if (place === 'body') return head;
    const known = head.replace(sqlMode, (_, set: string, modes: string) => `${set}${modesOf(modes)}`);
    if (place === 'outside') return known;
    return ofBody.reduce((text, pattern) => text.replace(pattern, '$1'), known);
  }
}

const modesOf = (modes: string) =>
  modes
    .split(',')
    .filter((mode) => !goneModes.has(mode))
    .join(',');
