/**
 * Statements that a query does not run: what makes no sense without a connection of one's own, and what reaches outside the database or
 * around the user that Longshore itself needs.
 *
 * The first fence are the user's own rights, which the image gives for its database alone. Where there is no user but root, this list is
 * what there is: it reads the words of a statement, and of the bodies of procedures, triggers and events. Statements that are put together
 * while they run (PREPARE) it can't read, and so it takes none. Whoever may query may also read the password and connect.
 */
import { EngineError } from '../engine-error.ts';
import { sqlWords } from './sql-words.ts';

/** What a statement begins with. All else is about the server, about users, or about a connection that stays. */
const heads = new Set([
  ...['SELECT', 'WITH', 'VALUES', 'TABLE', 'INSERT', 'REPLACE', 'UPDATE', 'DELETE', 'TRUNCATE', 'CALL', 'DO'],
  ...['CREATE', 'ALTER', 'DROP', 'RENAME', 'ANALYZE', 'CHECK', 'CHECKSUM', 'OPTIMIZE', 'REPAIR'],
  ...['SHOW', 'EXPLAIN', 'DESCRIBE', 'DESC', 'HELP'],
]);

/** What is over with the connection. */
const connected = new Set([
  ...['BEGIN', 'START', 'COMMIT', 'ROLLBACK', 'SAVEPOINT', 'RELEASE', 'XA', 'LOCK', 'UNLOCK'],
  ...['SET', 'USE', 'PREPARE', 'EXECUTE', 'DEALLOCATE', 'HANDLER'],
]);

/** Anywhere among the words, so in bodies too; a blank is between any two. */
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

/** In a body a statement about the server may stand anywhere; at the head of a query none gets as far. */
const hasBody = /^( CREATE| ALTER) .*(PROCEDURE|FUNCTION|TRIGGER|EVENT) /;
const outsideInBody =
  / ((UN)?INSTALL (PLUGIN|COMPONENT)|CHANGE (REPLICATION|MASTER)|(START|STOP|RESET) (REPLICA|SLAVE|GROUP_REPLICATION|BINARY|MASTER|PERSIST)|PURGE|CLONE|BINLOG|FLUSH|IMPORT TABLE|LOCK INSTANCE|SHUTDOWN|RESTART) /;

/**
 * @param database the service's own, which is never dropped
 * @throws EngineError `unsupported` with the reason; `invalid_request` for no statement, or one that can be read in two ways
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

/** The names behind each DROP DATABASE, in bodies too, as the words have them. */
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

/** A name as `sqlWords` writes it; the case of names says nothing on some servers. */
const asWord = (name: string): string => name.toUpperCase().replace(/\s/g, '_');
