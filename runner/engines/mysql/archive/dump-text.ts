/**
 * Reads the output of `mysqldump` line by line: which databases it names, whether it is complete, what it holds, and which lines are
 * loaded.
 */
import { ImportRefusal } from '../../archive/import-refusal.ts';
import { RowCounter } from './count-rows.ts';
import { bodiesEnd, DumpLines, joined } from './dump-lines.ts';

/** Enough bytes to recognize the kind of a line, even with the longest name of a database. */
const headBytesMax = 1_024;

const header = /^-- (MySQL|MariaDB) dump \d/;
/** The first line of newer MariaDB dumps. Other clients read it as a comment. */
const sandbox = /^\/\*M?!999999\\- /;
const useLine = /^USE `((?:[^`]|``)+)`;\s*$/;
const databaseLine = /^(?:CREATE|ALTER) DATABASE /;
/** Statements about the server's binary log, which are not for a user to run. */
const logStatement =
  /^(?:SET @@(?:GLOBAL\.GTID_PURGED|SESSION\.SQL_LOG_BIN)|CHANGE (?:MASTER|REPLICATION SOURCE) TO )/;
/** What may follow in a backup of Longshore: accounts, which are not loaded. */
const accountLine = /^(?:CREATE USER |CREATE ROLE |GRANT |SET DEFAULT ROLE |-- |\s*$)/;

const wanted =
  'a dump of mysqldump, as it is or behind gzip: make it with mysqldump --single-transaction --routines --events DATABASE';

export class DumpText {
  /** The databases that the dump selects with `USE`. */
  readonly databases = new Set<string>();
  readonly #counter = new RowCounter();
  readonly #isForOne: boolean;
  readonly #lines = new DumpLines(headBytesMax);
  /** Whether the current line is loaded. */
  #isKept = false;
  #place: 'begin' | 'outside' | 'body' | 'dropped' | 'end' = 'begin';
  #isCounted = true;
  #hasMore = false;

  /** @param isForOne everything goes into one database, the one that the dump is run in: lines that name a database are left out */
  constructor(isForOne: boolean) {
    this.#isForOne = isForOne;
  }

  /** @returns the parts to load @throws ImportRefusal when the file is not such a dump */
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

  /** A last line without a line break. @throws ImportRefusal when the dump is incomplete, or another one follows */
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

  /** What the dump holds; null when its form can't be counted. */
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
    // Dumps of MariaDB put rows on separate lines.
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

  /** Skips a statement, which may span several lines. */
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
