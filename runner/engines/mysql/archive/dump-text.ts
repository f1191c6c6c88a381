/**
 * Reads the lines of a user's dump: the databases it selects, its completeness, whether its rows can be counted, and the lines to load.
 */
import { ImportRefusal } from '../../archive/import-refusal.ts';
import { insert, type LinePiece } from './dump-lines.ts';

const header = /^-- (MySQL|MariaDB) dump \d/;
/** The first line of newer MariaDB dumps. Other clients read it as a comment. */
const sandbox = /^\/\*M?!999999\\- /;
const useLine = /^USE `((?:[^`]|``)+)`;\s*$/s;
const databaseLine = /^(?:CREATE|ALTER) DATABASE /;
/** Statements about the server's binary log, which a user may not run. */
const logStatement =
  /^(?:SET @@(?:GLOBAL\.GTID_PURGED|SESSION\.SQL_LOG_BIN)|CHANGE (?:MASTER|REPLICATION SOURCE) TO )/;
/** Statements of a Longshore backup about accounts and settings of the server, which are not loaded. */
const accountStatement = /^(?:CREATE USER|CREATE ROLE|GRANT|REVOKE|SET DEFAULT ROLE|SET PERSIST) /;
/** Lines that may follow the end of the dump in a backup of Longshore. */
const afterEnd = new RegExp(String.raw`${accountStatement.source}|^-- |^\s*$`);

/** Each name is kept in memory. */
const databasesMax = 10_000;

const wanted =
  'a dump of mysqldump, plain or compressed with gzip: make it with mysqldump --single-transaction --routines --events DATABASE';

export class DumpText {
  /** The databases that the dump selects with `USE`. */
  readonly databases = new Set<string>();
  /** False when the rows can't be counted in this form of dump. */
  isCounted = true;
  readonly #isForOne: boolean;
  /** True if the current line is loaded. */
  #isKept = false;
  #place: 'begin' | 'inside' | 'dropped' | 'end' = 'begin';
  #hasMore = false;

  /**
   * @param isForOne true if all data is loaded into the database in which the dump is run: lines that select a database are left out
   */
  constructor(isForOne: boolean) {
    this.#isForOne = isForOne;
  }

  /** @returns true if the piece is loaded @throws ImportRefusal when the file is not such a dump */
  takes({ bytes, head, isLast, place }: LinePiece): boolean {
    if (head !== undefined)
      this.#isKept = place === 'outside' ? this.#isLoaded(head) : this.#place === 'inside';
    const isStatementEnd = isLast && this.#place === 'dropped';
    if (isStatementEnd && /;\s*$/.test(bytes.subarray(-9).toString('latin1'))) this.#place = 'inside';
    return this.#isKept;
  }

  /** @throws ImportRefusal when the dump is incomplete, or another one follows */
  end(): void {
    if (this.#place !== 'end')
      throw new ImportRefusal(
        'The dump is incomplete: its last line "-- Dump completed" is missing. mysqldump writes it at the end, unless it runs with --compact or --skip-comments.',
      );
    if (this.#hasMore)
      throw new ImportRefusal('There is more after the end of the dump: upload one dump at a time.');
  }

  #isLoaded(line: string): boolean {
    if (this.#place === 'begin') return this.#begin(line);
    if (this.#place === 'dropped') return false;
    if (this.#place !== 'end') return this.#isLoadedInside(line);
    this.#hasMore ||= !afterEnd.test(line);
    return false;
  }

  #begin(line: string): boolean {
    if (sandbox.test(line)) return false;
    const [, maker] = header.exec(line) ?? [];
    if (maker === undefined) throw refusalOf(line);
    if (line.endsWith('\r\n'))
      throw new ImportRefusal(
        'The dump has Windows line endings, which would change its text values: make it with --result-file=FILE instead of ">".',
      );
    // Dumps of MariaDB put rows on separate lines.
    this.isCounted = maker === 'MySQL';
    this.#place = 'inside';
    return true;
  }

  #isLoadedInside(line: string): boolean {
    if (line.startsWith('-- Dump completed')) this.#place = 'end';
    if (/^(?:INSERT|REPLACE)\b/.test(line) && !line.startsWith(insert)) this.isCounted = false;
    const [, name] = useLine.exec(line) ?? [];
    if (name !== undefined)
      this.#addDatabase(Buffer.from(name.replaceAll('``', '`'), 'latin1').toString('utf8'));
    if (name !== undefined || databaseLine.test(line)) return !this.#isForOne;
    if (!logStatement.test(line) && !accountStatement.test(line)) return true;
    // The statement may span several lines.
    this.#place = 'dropped';
    return false;
  }

  #addDatabase(name: string): void {
    this.databases.add(name);
    if (this.databases.size > databasesMax)
      throw new ImportRefusal(
        `The dump names more than ${databasesMax.toLocaleString('en-GB')} databases: dump fewer of them at a time.`,
      );
  }
}

function refusalOf(line: string): ImportRefusal {
  const what = line.startsWith('\xff\xfe')
    ? 'text in UTF-16, which PowerShell writes for ">" (use --result-file=FILE instead)'
    : 'something else';
  return new ImportRefusal(`The uploaded file is ${what}, but must be ${wanted}.`);
}
