/**
 * The statements that make the objects of a backup again. `CREATE` checks what a statement refers to; `ATTACH` takes the statement as a
 * server start does: what it refers to need not exist yet. Each suits objects that the other refuses.
 */
import { EngineError } from '../../engine-error.ts';
import type { SavedObject, SavedTable } from './manifest.ts';
import type { Server } from './server.ts';

/** Engines that an `ATTACH` also makes: the others expect a directory with files. */
const attachable = /MergeTree$|^(?:Memory|Join)$/;

/** @returns statements, best first: a default may ask a dictionary that is made later, or that only another service has */
export const waysToMakeTable = ({ engine, statement }: Pick<SavedTable, 'engine' | 'statement'>): string[] =>
  attachable.test(engine) ? [statement, attached(statement)] : [statement];

/** True for a table whose default asks a dictionary or a Join table, which must exist before it: only `CREATE` makes such a table. */
export const needsOthersFirst = ({ engine, columns, statement }: SavedObject): boolean =>
  columns !== null && !attachable.test(engine) && /\b(?:dictGet|dictHas|joinGet)\w*\(/.test(statement);

/**
 * True for a MergeTree table that can't be made, or takes no rows, without a dictionary or a Join table: neither `CREATE` nor `ATTACH` makes a
 * TTL, a projection or an index that asks one, and a constraint asks it for each row. The server writes them after the columns.
 */
export const keysNeedOthers = ({ engine, columns, statement }: SavedObject): boolean =>
  columns !== null &&
  attachable.test(engine) &&
  /(?:, (?:INDEX|PROJECTION|CONSTRAINT) | ENGINE = ).*\b(?:dictGet|dictHas|joinGet)\w*\(/s.test(statement);

/** Of all objects without rows: functions, then dictionaries, then tables, then views, those that refresh themselves last. */
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
 * Views are attached: their tables need not exist, and their inner tables, which were loaded, are reused. A view with parameters can only be
 * created. A view that refreshes itself is created `EMPTY`, so that it does not run at once; that needs its tables, and no inner one.
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
  return /^CREATE (?:\w+ )?VIEW /.test(statement) ? [attached(once), once] : [once];
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

/** A view that runs by the clock. */
const isRefreshable = (statement: string) =>
  /^CREATE MATERIALIZED VIEW .* REFRESH (?:EVERY|AFTER) /s.test(statement);

/** Such a view with a table of its own, which only `ATTACH` makes. */
export const runsWhenMade = (statement: string) =>
  isRefreshable(statement) && !/ REFRESH (?:EVERY|AFTER) .*? TO (?!INNER )/s.test(statement);

const attached = (statement: string) => statement.replace(/^CREATE /, 'ATTACH ');

/** `EMPTY` comes before the definer and the query. */
const withoutFirstRun = (statement: string) =>
  statement.replace(
    /^((?:`(?:\\.|[^`\\])*`|'(?:\\.|[^'\\])*'|[^`'])*?) (?=(?:DEFINER = |SQL SECURITY |AS ))/s,
    '$1 EMPTY ',
  );
