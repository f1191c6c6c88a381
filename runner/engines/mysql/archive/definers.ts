/**
 * Takes out of what `mysqldump` writes who defined views, triggers, routines and events: those users are another server's, and whoever
 * loads the dump defines them instead. `mysqldump` breaks lines in texts by `\n`, so that the beginning of a line tells what it is; nothing
 * else is looked at, and rows pass as they are.
 */

const lineBreak = 10;
/** The longest definer is shorter. */
const headBytesMax = 4_096;
const bodiesBegin = 'DELIMITER ;;\n';
const bodiesEnd = 'DELIMITER ;\n';

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
  #place: Place = 'outside';
  /** The begin of the line, which waits to be looked at. */
  #head = Buffer.alloc(0);
  /** The same, looked at. */
  #begin: string | undefined;
  /** Its last bytes. */
  #end = '';

  /** What may pass by now. */
  take(chunk: Buffer): Buffer {
    const passed: Buffer[] = [];
    for (let at = 0; at < chunk.length; ) {
      const found = chunk.indexOf(lineBreak, at);
      const lineEnd = found < 0 ? chunk.length : found + 1;
      const room = this.#begin === undefined ? headBytesMax - this.#head.length : Number.POSITIVE_INFINITY;
      const end = Math.min(lineEnd, at + room);
      const piece = chunk.subarray(at, end);
      at = end;
      const isLine = piece.at(-1) === lineBreak;
      this.#end = (this.#end + piece.subarray(-3).toString('latin1')).slice(-3);
      if (this.#begin !== undefined) passed.push(piece);
      else {
        this.#head = Buffer.concat([this.#head, piece]);
        if (isLine || this.#head.length === headBytesMax) passed.push(this.#look());
      }
      if (isLine) this.#endLine();
    }
    return passed.length === 1 && passed[0] ? passed[0] : Buffer.concat(passed);
  }

  /** The rest: a last line without its end. */
  rest(): Buffer {
    return this.#begin === undefined ? this.#head : Buffer.alloc(0);
  }

  #look(): Buffer {
    this.#begin = this.#head.toString('latin1');
    const rewritten = rewrite(this.#begin, this.#place);
    const bytes = rewritten === this.#begin ? this.#head : Buffer.from(rewritten, 'latin1');
    this.#head = Buffer.alloc(0);
    return bytes;
  }

  #endLine(): void {
    const begin = this.#begin ?? '';
    if (this.#place === 'statement' && begin === bodiesEnd) this.#place = 'outside';
    else if (this.#place === 'statement' || this.#place === 'body')
      this.#place = this.#end === ';;\n' ? 'statement' : 'body';
    else if (begin === bodiesBegin) this.#place = 'statement';
    else this.#place = viewBegins.test(begin) ? 'view' : 'outside';
    this.#begin = undefined;
    this.#end = '';
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
