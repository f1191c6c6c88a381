/**
 * What `mysqldump` writes, line by line: which databases it names, whether it is whole, what it holds, and what of it is loaded. It breaks
 * lines in texts by `\n`, so that the beginning of a line tells what it is; bodies of routines stand between two lines `DELIMITER`.
 */
import { ImportRefusal } from '../../archive/import-refusal.ts';
import { RowCounter } from './count-rows.ts';

const lineBreak = 10;
/** Enough to tell what a line is, with the longest name of a database. */
const headBytesMax = 1_024;

const header = /^-- (MySQL|MariaDB) dump \d/;
/** The first line of newer dumps of MariaDB, which is a comment elsewhere. */
const sandbox = /^\/\*M?!999999\\- /;
const useLine = /^USE `((?:[^`]|``)+)`;\s*$/;
const databaseLine = /^(?:CREATE|ALTER) DATABASE /;
/** Of the server's own log, which is none of a user's business. */
const logStatement =
  /^(?:SET @@(?:GLOBAL\.GTID_PURGED|SESSION\.SQL_LOG_BIN)|CHANGE (?:MASTER|REPLICATION SOURCE) TO )/;
/** What may follow in a backup of Longshore: accounts, which are not loaded. */
const accountLine = /^(?:CREATE USER |CREATE ROLE |GRANT |SET DEFAULT ROLE |-- |\s*$)/;

const wanted =
  'a dump of mysqldump, as it is or behind gzip: make it with mysqldump --single-transaction --routines --events DATABASE';

export class DumpText {
  /** Those that the dump changes to, by `USE`. */
  readonly databases = new Set<string>();
  readonly #counter = new RowCounter();
  readonly #isForOne: boolean;
  #head = Buffer.alloc(0);
  /** Of the line that is passing; undefined: nothing is known of it yet. */
  #isKept: boolean | undefined;
  #place: 'begin' | 'outside' | 'body' | 'dropped' | 'end' = 'begin';
  #isCounted = true;
  #hasMore = false;

  /** @param isForOne all goes into the database in which the dump is run: lines that name one are left out */
  constructor(isForOne: boolean) {
    this.#isForOne = isForOne;
  }

  /** @returns what of it is loaded @throws ImportRefusal for what is no such dump */
  take(chunk: Buffer): Buffer {
    const kept: Buffer[] = [];
    for (let at = 0; at < chunk.length; ) {
      const found = chunk.indexOf(lineBreak, at);
      const lineEnd = found < 0 ? chunk.length : found + 1;
      const room = this.#isKept === undefined ? headBytesMax - this.#head.length : Number.POSITIVE_INFINITY;
      const piece = chunk.subarray(at, Math.min(lineEnd, at + room));
      at += piece.length;
      if (this.#isKept !== undefined) {
        if (this.#isKept) kept.push(piece);
      } else {
        this.#head = Buffer.concat([this.#head, piece]);
        if (piece.at(-1) === lineBreak || this.#head.length === headBytesMax) kept.push(this.#look());
      }
      if (piece.at(-1) === lineBreak) this.#isKept = undefined;
    }
    const passed = kept.length === 1 && kept[0] ? kept[0] : Buffer.concat(kept);
    this.#counter.take(passed);
    return passed;
  }

  /** A last line without its end. @throws ImportRefusal when the dump is not whole, or is not the only one */
  rest(): Buffer {
    const rest = this.#head.length > 0 ? this.#look() : Buffer.alloc(0);
    if (this.#place !== 'end')
      throw new ImportRefusal(
        'The dump is not whole: its last line "-- Dump completed" is missing. mysqldump writes it when all else was written, unless it runs with --compact or --skip-comments.',
      );
    if (this.#hasMore)
      throw new ImportRefusal('There is more behind the end of the dump: upload one dump at a time.');
    return rest;
  }

  /** What it holds; null when it is not written in a way that could be counted. */
  get contents() {
    return this.#isCounted ? this.#counter.contents : null;
  }

  #look(): Buffer {
    const bytes = this.#head;
    this.#head = Buffer.alloc(0);
    this.#isKept = this.#isLoaded(bytes.toString('latin1'));
    return this.#isKept ? bytes : Buffer.alloc(0);
  }

  #isLoaded(line: string): boolean {
    switch (this.#place) {
      case 'begin':
        return this.#begin(line);
      case 'dropped':
        this.#drop(line);
        return false;
      case 'body':
        if (line.startsWith('DELIMITER ;\n')) this.#place = 'outside';
        return true;
      case 'end':
        this.#hasMore ||= !accountLine.test(line);
        return false;
      default:
        return this.#isLoadedOutside(line);
    }
  }

  #begin(line: string): boolean {
    if (sandbox.test(line)) return false;
    const [, maker] = header.exec(line) ?? [];
    if (maker === undefined) throw refusalOf(line);
    if (line.endsWith('\r\n'))
      throw new ImportRefusal(
        'The dump has the line ends of Windows, which would change its texts: make it with --result-file=FILE instead of ">".',
      );
    // Its rows stand on lines of their own.
    this.#isCounted = maker === 'MySQL';
    this.#place = 'outside';
    return true;
  }

  #isLoadedOutside(line: string): boolean {
    if (line.startsWith('DELIMITER ;;')) this.#place = 'body';
    if (line.startsWith('-- Dump completed')) this.#place = 'end';
    if (/^(?:INSERT|REPLACE)\b/.test(line) && !line.startsWith('INSERT INTO `')) this.#isCounted = false;
    const [, name] = useLine.exec(line) ?? [];
    if (name !== undefined)
      this.databases.add(Buffer.from(name.replaceAll('``', '`'), 'latin1').toString('utf8'));
    if (name !== undefined || databaseLine.test(line)) return !this.#isForOne;
    if (!logStatement.test(line)) return true;
    this.#drop(line);
    return false;
  }

  /** A statement that may go over lines. */
  #drop(line: string): void {
    this.#place = /;\s*$/.test(line) ? 'outside' : 'dropped';
  }
}

function refusalOf(line: string): ImportRefusal {
  const what = line.startsWith('\xff\xfe')
    ? 'text in UTF-16, which PowerShell makes of ">" (--result-file=FILE writes it as it is)'
    : 'something else';
  return new ImportRefusal(`The uploaded file is ${what}; what is taken is ${wanted}.`);
}
