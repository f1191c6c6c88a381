/**
 * Refuses statements that make no sense without a lasting connection, that reach outside the database, or that change the user that
 * Longshore itself needs.
 *
 * The first barrier is the user's privileges: the image grants them only for its own database. If root is the only user, this list is the
 * only barrier. It covers the words of a statement and of the bodies of procedures, triggers and events. Dynamic SQL (PREPARE) can't be
 * checked, so it is refused. A user who may run queries may also read the password and connect directly.
 */
import { EngineError } from '../engine-error.ts';
import { sqlWords } from './sql-words.ts';

/** The allowed first words. All other statements are about the server, its users, or a lasting connection. */
const heads = new Set([
  ...['SELECT', 'WITH', 'VALUES', 'TABLE', 'INSERT', 'REPLACE', 'UPDATE', 'DELETE', 'TRUNCATE', 'CALL', 'DO'],
  ...['CREATE', 'ALTER', 'DROP', 'RENAME', 'ANALYZE', 'CHECK', 'CHECKSUM', 'OPTIMIZE', 'REPAIR'],
  ...['SHOW', 'EXPLAIN', 'DESCRIBE', 'DESC', 'HELP'],
]);

/** Statements whose effect ends with the connection. */
const connected = new Set([
  ...['BEGIN', 'START', 'COMMIT', 'ROLLBACK', 'SAVEPOINT', 'RELEASE', 'XA', 'LOCK', 'UNLOCK'],
  ...['SET', 'USE', 'PREPARE', 'EXECUTE', 'DEALLOCATE', 'HANDLER'],
]);

/** Patterns that are searched anywhere in the words, so also in bodies. The words are joined with single blanks. */
const outside: [RegExp, string][] = [
  [/ (OUTFILE|DUMPFILE) /, 'INTO OUTFILE and INTO DUMPFILE write files of the server.'],
  [/ `?LOAD_FILE`? \( /, 'LOAD_FILE reads files of the server.'],
  [/ LOAD (DATA|XML) /, 'LOAD DATA reads files: use INSERT, or an import.'],
  [/ SONAME /, 'A loadable function runs outside the database.'],
  [/ (DATA|INDEX) DIRECTORY /, 'DATA DIRECTORY puts files outside the data.'],
  [
    / ENGINE (= )?(`?FEDERATED|['"])/,
    'A FEDERATED table connects to another server; the name of an engine is taken without quotes.',
  ],
  [/ PREPARE \S+ FROM /, 'Dynamic SQL is not allowed here: write the statement in full.'],
  [
    / (CREATE|ALTER|DROP) (OR REPLACE )?(UNDO )?(SERVER|TABLESPACE|LOGFILE|INSTANCE|RESOURCE|LIBRARY) /,
    'This statement changes the server itself, or connects to another one.',
  ],
  [
    / (CREATE|ALTER|DROP|RENAME) (USER|ROLE) /,
    'Users and privileges cannot be changed by a query: change the variables of the service.',
  ],
  [/ (GRANT|REVOKE) /, 'Users and privileges cannot be changed by a query.'],
  [/ SET (PASSWORD|DEFAULT ROLE) /, 'Users and privileges cannot be changed by a query.'],
  [/ (SET|,) (GLOBAL|PERSIST|PERSIST_ONLY) /, 'Settings of the server cannot be changed by a query.'],
  [
    / @ @ (GLOBAL|PERSIST|PERSIST_ONLY) \. \S+ (: )?= /,
    'Settings of the server cannot be changed by a query.',
  ],
  [
    / `?MYSQL`? \. | (DATABASE|SCHEMA) (IF EXISTS )?`?(MYSQL|SYS) |`(MYSQL|SYS)`/,
    "The server's own tables cannot be used: use SHOW and information_schema instead.",
  ],
  [/ KILL /, 'KILL ends the connections of others.'],
];

/** Matches a body, in which a statement about the server may be anywhere. As the first word of a query it is already refused above. */
const hasBody = /^( CREATE| ALTER) .*(PROCEDURE|FUNCTION|TRIGGER|EVENT) /;
const outsideInBody =
  / ((UN)?INSTALL (PLUGIN|COMPONENT)|CHANGE (REPLICATION|MASTER)|(START|STOP|RESET) (REPLICA|SLAVE|GROUP_REPLICATION|BINARY|MASTER|PERSIST)|PURGE|CLONE|BINLOG|FLUSH|IMPORT TABLE|LOCK INSTANCE|SHUTDOWN|RESTART) /;

/**
 * @param database the service's own, which must not be dropped
 * @throws EngineError `unsupported` with the reason; `invalid_request` for an empty or an ambiguous statement
 */
export function refuseStatement(text: string, database?: string): void {
  const words = sqlWords(text);
  const first = words.find((word) => word !== '(');
  if (first === undefined || first === ';') {
    throw new EngineError('invalid_request', 'Give one SQL statement.');
  }
  if (connected.has(first)) {
    const message = `${first} has no effect here: each query runs on a new connection, in its own transaction.`;
    throw new EngineError('unsupported', message);
  }
  if (!heads.has(first)) {
    const message = `${first} is not allowed here: a query begins with ${[...heads].join(', ')}.`;
    throw new EngineError('unsupported', message);
  }
  const line = ` ${words.join(' ')} `;
  const [, why] = outside.find(([pattern]) => pattern.test(line)) ?? [];
  if (why !== undefined) throw new EngineError('unsupported', why);
  if (database !== undefined && droppedDatabases(words).includes(asWord(database))) {
    const message = `The database ${database} belongs to the service: drop its tables, or delete the service.`;
    throw new EngineError('unsupported', message);
  }
  const [, inBody] = (hasBody.test(line) && outsideInBody.exec(line)) || [];
  if (inBody === undefined) return;
  throw new EngineError('unsupported', `${inBody} changes the server, not its data.`);
}

/** The names after each DROP DATABASE, in bodies too, in the form that `sqlWords` returns. */
function droppedDatabases(words: string[]): string[] {
  const starts = [...words.keys()].filter((at) => {
    const [verb, kind = ''] = words.slice(at, at + 2);
    return verb === 'DROP' && ['DATABASE', 'SCHEMA'].includes(kind);
  });
  return starts.map((at) => {
    const name = words[at + 2] === 'IF' ? words[at + 4] : words[at + 2];
    return name?.startsWith('`') ? name.slice(1, -1).replaceAll('``', '`') : (name ?? '');
  });
}

/** A name in the form that `sqlWords` returns. Some servers ignore the case of names. */
const asWord = (name: string): string => name.toUpperCase().replace(/\s/g, '_');
