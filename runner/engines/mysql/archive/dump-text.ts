/** What `mysqldump` writes, line by line: which databases it names, whether it is whole, what it holds, and what of it is loaded. */
import { ImportRefusal } from '../../archive/import-refusal.ts';
import { RowCounter } from './count-rows.ts';
import { bodiesEnd, DumpLines, joined } from './dump-lines.ts';

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
  readonly #lines = new DumpLines(headBytesMax);
  /** Whether the line that is passing is loaded. */
  #isKept = false;
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
    for (const { head, bytes } of this.#lines.pieces(chunk)) {
      if (head !== undefined) this.#isKept = this.#isLoaded(head);
      if (this.#isKept) kept.push(bytes);
    }
    const passed = joined(kept);
    this.#counter.take(passed);
    return passed;
  }

  /** A last line without its end. @throws ImportRefusal when the dump is not whole, or is not the only one */
  rest(): Buffer {
    const { rest } = this.#lines;
    const isLoaded = rest.length > 0 && this.#isLoaded(rest.toString('latin1'));
    if (this.#place !== 'end')
      throw new ImportRefusal(
        'The dump is not whole: its last line "-- Dump completed" is missing. mysqldump writes it when all else was written, unless it runs with --compact or --skip-comments.',
      );
    if (this.#hasMore)
      throw new ImportRefusal('There is more behind the end of the dump: upload one dump at a time.');
    return isLoaded ? rest : Buffer.alloc(0);
  }

  /** What it holds; null when it is not written in a way that could be counted. */
  get contents() {
    return this.#isCounted ? this.#counter.contents : null;
  }

  #isLoaded(line: string): boolean {
    switch (this.#place) {
      case 'begin':
        return this.#begin(line);
      case 'dropped':
        this.#drop(line);
        return false;
      case 'body':
        if (line.startsWith(bodiesEnd)) this.#place = 'outside';
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
