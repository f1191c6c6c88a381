/**
 * Writes the statements that recreate the objects of a backup. `CREATE` checks the objects that a statement refers to. `ATTACH` runs it as
 * a server start does: those objects need not exist yet. Each accepts objects that the other refuses.
 */
import { EngineError } from '../../engine-error.ts';
import type { SavedObject, SavedTable } from './manifest.ts';
import type { Server } from './server.ts';

/** Engines whose tables `ATTACH` can create. For others it expects a directory with files. */
const attachable = /MergeTree$|^(?:Memory|Join)$/;

/** @returns statements, best first: a default may read a dictionary that is created later, or that only another server has */
export const waysToMakeTable = ({ engine, statement }: Pick<SavedTable, 'engine' | 'statement'>): string[] =>
  attachable.test(engine) ? [statement, attached(statement)] : [statement];

/**
 * True for a table whose default reads a dictionary or a Join table. Only `CREATE` can make such a table, and only once that dictionary or
 * table exists.
 */
export const needsOthersFirst = ({ engine, columns, statement }: SavedObject): boolean =>
  columns !== null && !attachable.test(engine) && /\b(?:dictGet|dictHas|joinGet)\w*\(/.test(statement);

/**
 * True for a MergeTree table that can't be created, or accepts no rows, without a dictionary or a Join table. Neither `CREATE` nor `ATTACH`
 * accepts a TTL, a projection or an index that reads one, and a constraint reads it for each row. The server writes these parts after the
 * columns.
 */
export const keysNeedOthers = ({ engine, columns, statement }: SavedObject): boolean =>
  columns !== null &&
  attachable.test(engine) &&
  /(?:, (?:INDEX|PROJECTION|CONSTRAINT) | ENGINE = ).*\b(?:dictGet|dictHas|joinGet)\w*\(/s.test(statement);

/** The statements of all objects without rows: functions, dictionaries, tables, views, and at last views that refresh themselves. */
export function laterStatements(functions: string[], objects: SavedObject[]): string[] {
  const rank = ({ statement }: SavedObject) => {
    if (statement.startsWith('CREATE DICTIONARY ')) return 0;
    if (statement.startsWith('CREATE TABLE ')) return 1;
    return isRefreshable(statement) ? 3 : 2;
  };
  const later = objects
    .filter(({ columns }) => columns === null)
    .sort((one, other) => rank(one) - rank(other));
  return [...functions, ...later.map(({ statement }) => statement)];
}

/**
 * Views are attached: their tables need not exist, and their inner tables, which were loaded, are reused. A view with parameters can only
 * be created. A view that refreshes itself is created `EMPTY`, so that it does not run at once; for that, the tables it reads must exist,
 * and its inner table must not.
 * @param statement from `laterStatements`
 * @returns statements, best first; each may be repeated
 */
export function waysToMakeLater(statement: string): string[] {
  if (statement.startsWith('CREATE FUNCTION ') || statement.startsWith('CREATE OR REPLACE FUNCTION '))
    return [statement.replace(/^CREATE (?:OR REPLACE )?FUNCTION (?!IF )/, 'CREATE FUNCTION IF NOT EXISTS ')];
  const once = statement.replace(
    /^CREATE ((?:\w+ )?(?:VIEW|TABLE|DICTIONARY)) (?!IF )/,
    'CREATE $1 IF NOT EXISTS ',
  );
  if (isRefreshable(statement)) return [withoutFirstRun(once), attached(once)];
  // Only ATTACH accepts the columns in the statement of an alias for another table, and the inner tables of a time series, which were loaded.
  const isAttached = / ENGINE = (?:Alias\(|TimeSeries )/.test(statement);
  return isAttached || /^CREATE (?:\w+ )?VIEW /.test(statement) ? [attached(once), once] : [once];
}

/** Runs the first statement that the server accepts. @throws EngineError the last refusal */
export async function createFirst(
  server: Pick<Server, 'ask'>,
  ways: string[],
  settings: Record<string, string>,
): Promise<void> {
  for (const [at, statement] of ways.entries()) {
    try {
      await server.ask(statement, { settings });
      return;
    } catch (error) {
      if (at === ways.length - 1 || !(error instanceof EngineError)) throw error;
    }
  }
}

/** True for a view that is refreshed on a schedule. */
const isRefreshable = (statement: string) =>
  /^CREATE MATERIALIZED VIEW .* REFRESH (?:EVERY|AFTER) /s.test(statement);

/** True for such a view with its own inner table, which only `ATTACH` can create. */
export const runsWhenMade = (statement: string) =>
  isRefreshable(statement) && !/ REFRESH (?:EVERY|AFTER) .*? TO (?!INNER )/s.test(statement);

const attached = (statement: string) => statement.replace(/^CREATE /, 'ATTACH ');

/** `EMPTY` precedes the definer and the query. */
const withoutFirstRun = (statement: string) =>
  statement.replace(
    /^((?:`(?:\\.|[^`\\])*`|'(?:\\.|[^'\\])*'|[^`'])*?) (?=(?:DEFINER = |SQL SECURITY |AS ))/s,
    '$1 EMPTY ',
  );
