/**
 * Statements that a query refuses: those that make no sense without a lasting connection, and those that reach outside the database or
 * change the user that Longshore itself needs.
 *
 * The first barrier is the user's privileges: the image grants them only for its own database. When root is the only user, this list is the
 * only barrier. It reads the words of a statement and of the bodies of procedures, triggers and events. It can't read dynamic SQL
 * (PREPARE), so PREPARE is refused. A user who may run queries may also read the password and connect directly.
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

/** Searched anywhere in the words, and so also in bodies. The words are joined with single blanks. */
const outside: [RegExp, string][] = [
  [/ (OUTFILE|DUMPFILE) /, 'INTO OUTFILE and INTO DUMPFILE write files of the server.'],
  [/ `?LOAD_FILE`? \( /, 'LOAD_FILE reads files of the server.'],
  [/ LOAD (DATA|XML) /, 'LOAD DATA reads files: use INSERT, or an import.'],
  [/ SONAME /, 'A function from a library runs outside the database.'],
  [/ (DATA|INDEX) DIRECTORY /, 'DATA DIRECTORY puts files outside the data.'],
  [
    / ENGINE (= )?(`?FEDERATED|['"])/,
    'A FEDERATED table connects to another server; the name of an engine is taken without quotes.',
  ],
  [/ PREPARE \S+ FROM /, 'A statement that is put together while it runs is not run here: write it out.'],
  [
    / (CREATE|ALTER|DROP) (OR REPLACE )?(UNDO )?(SERVER|TABLESPACE|LOGFILE|INSTANCE|RESOURCE|LIBRARY) /,
    'This is about the server, or reaches to another one.',
  ],
  [
    / (CREATE|ALTER|DROP|RENAME) (USER|ROLE) /,
    'Users and their rights stay as Longshore knows them: change the variables of the service.',
  ],
  [/ (GRANT|REVOKE) /, 'Users and their rights stay as Longshore knows them.'],
  [/ SET (PASSWORD|DEFAULT ROLE) /, 'Users and their rights stay as Longshore knows them.'],
  [/ (SET|,) (GLOBAL|PERSIST|PERSIST_ONLY) /, 'Settings of the server stay as they are.'],
  [/ @ @ (GLOBAL|PERSIST|PERSIST_ONLY) \. \S+ (: )?= /, 'Settings of the server stay as they are.'],
  [
    / `?MYSQL`? \. | (DATABASE|SCHEMA) (IF EXISTS )?`?(MYSQL|SYS) |`(MYSQL|SYS)`/,
    "The server's own tables stay as they are: SHOW and information_schema tell what is in them.",
  ],
  [/ KILL /, 'KILL ends the connections of others.'],
];

/** In a body, a statement about the server may be anywhere. As the first word of a query it is already refused above. */
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
    const message = `${first} needs a connection that stays: each query has one of its own, and is a transaction of its own.`;
    throw new EngineError('unsupported', message);
  }
  if (!heads.has(first)) {
    const message = `${first} is not run here: a query begins with ${[...heads].join(', ')}.`;
    throw new EngineError('unsupported', message);
  }
  const line = ` ${words.join(' ')} `;
  const [, why] = outside.find(([pattern]) => pattern.test(line)) ?? [];
  if (why !== undefined) throw new EngineError('unsupported', why);
  if (database !== undefined && droppedDatabases(words).includes(asWord(database))) {
    const message = `The database ${database} is the one that the service is about: drop its tables, or delete the service.`;
    throw new EngineError('unsupported', message);
  }
  const [, inBody] = (hasBody.test(line) && outsideInBody.exec(line)) || [];
  if (inBody === undefined) return;
  throw new EngineError('unsupported', `${inBody} is about the server, not about its data.`);
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
