/**
 * Refuses statements of `/query` that make no sense without a lasting connection, that reach outside the database, or that change the user
 * that Longshore itself needs.
 *
 * The image's user is a superuser, so this check stops mistakes, not attacks. It covers the words of a statement and of the bodies of DO
 * and CREATE FUNCTION, and finds every direct use. It misses dynamic SQL (`EXECUTE 'pg_read' || '_file'`), which can reach the container,
 * whose user is not root. A user who may run queries may also read the password and connect directly.
 */
import { type SqlWord, sqlWords } from './sql-words.ts';

/** Matched against the first words. */
const refusedHeads: [RegExp, string][] = [
  [
    /^COPY /,
    'COPY reads and writes streams or files of the server, which a query cannot use: use INSERT or SELECT, or an import.',
  ],
  [/^(UN)?LISTEN /, 'LISTEN needs a connection that stays: connect with the DATABASE_URL.'],
  [
    /^(BEGIN|START|COMMIT|END|ROLLBACK|ABORT|SAVEPOINT|RELEASE|PREPARE TRANSACTION) /,
    'Each query runs in its own transaction: for several statements in one, write a DO block or connect with the DATABASE_URL.',
  ],
  [/^LOAD /, 'LOAD runs a library of the server.'],
  [
    /^ALTER SYSTEM /,
    'ALTER SYSTEM changes the server itself: use ALTER DATABASE ... SET or ALTER ROLE ... SET.',
  ],
  [
    /^(CREATE|ALTER) (SERVER|SUBSCRIPTION|TABLESPACE|USER MAPPING|FOREIGN DATA WRAPPER) /,
    'This reaches outside the database: to other servers, or into files.',
  ],
  [
    /^CREATE (OR REPLACE )?(TRUSTED )?(PROCEDURAL )?LANGUAGE /,
    'Languages come as extensions: CREATE EXTENSION.',
  ],
];

const outsideExtension = /^(dblink|.*_fdw|adminpack|pl\w+u|plsh|http|pg_net)$/i;
const outsideLanguage = /^(c|internal|pl\w+u|plsh)$/i;
/** Functions that read or write files of the server or connect to other servers, and tables with password hashes. */
const outsideName =
  /^(pg_read_(binary_)?file|pg_ls_\w*dir|pg_stat_file|pg_file_\w+|pg_logfile_\w+|pg_rotate_logfile|pg_reload_conf|pg_promote|lo_import|lo_export|dblink\w*|pg_authid|pg_shadow|pg_user_mappings?)$/i;
const changes = new Set(['INSERT', 'UPDATE', 'DELETE', 'MERGE']);
const verbs = new Set([...changes, 'SELECT', 'VALUES', 'TABLE']);

export interface Statement {
  /** The reason for a refusal; `undefined` if the statement is allowed. */
  refusal: string | undefined;
  /** True if the statement changes rows; one that begins with WITH may, too. */
  isChange: boolean;
  isEmpty: boolean;
}

/** @param user the role that Longshore uses, which must not be changed */
export function readStatement(text: string, user: string): Statement {
  const words = sqlWords(text);
  const head = words.map(({ text: word }) => word);
  const main =
    head[0] === 'WITH' ? words.find(({ text: word, depth }) => depth === 0 && verbs.has(word)) : words[0];
  return {
    refusal: refusalOf(words, user),
    isChange: changes.has(main?.text ?? ''),
    isEmpty: words.every(({ kind, text: word }) => kind === 'symbol' && word === ';'),
  };
}

function refusalOf(words: SqlWord[], user: string): string | undefined {
  const first = words.filter(({ kind }) => kind !== 'symbol').slice(0, 6);
  const head = `${first.map(({ text }) => text).join(' ')} `;
  const refused = refusedHeads.find(([pattern]) => pattern.test(head));
  if (refused) return refused[1];
  return ownRole(head, first, user) ?? extension(head) ?? outside(words, /^(DO|CREATE) /.test(head));
}

function ownRole(head: string, first: SqlWord[], user: string): string | undefined {
  if (!/^(ALTER|DROP) (ROLE|USER|GROUP) /.test(head)) return undefined;
  const role = first[first[2]?.text === 'IF' ? 4 : 2]?.text.toUpperCase() ?? '';
  const own = [user.toUpperCase(), 'CURRENT_USER', 'SESSION_USER', 'CURRENT_ROLE', 'ALL'];
  return own.includes(role)
    ? `Longshore connects as ${user}: change POSTGRES_PASSWORD in the variables of the service, and deploy.`
    : undefined;
}

function extension(head: string): string | undefined {
  const name = /^CREATE EXTENSION (?:IF NOT EXISTS )?(\S+) /.exec(head)?.[1];
  return name !== undefined && outsideExtension.test(name)
    ? `The extension ${name.toLowerCase()} reaches outside the database.`
    : undefined;
}

/** @param hasBodies whether strings of the statement may be program code */
function outside(words: SqlWord[], hasBodies: boolean): string | undefined {
  for (const [index, { kind, text }] of words.entries()) {
    const before = words[index - 1];
    if (kind === 'name' && /^u&/i.test(text))
      return 'Names with Unicode escapes (U&"...") are not allowed here: write the characters.';
    if (before?.text === 'LANGUAGE' && outsideLanguage.test(text))
      return `Functions in ${text.toLowerCase()} run outside the database's rules.`;
    if ((kind === 'word' || kind === 'name') && outsideName.test(text))
      return `${text.toLowerCase()} reaches outside the database, or to the passwords of its users.`;
    if (hasBodies && kind === 'string') {
      const inner = sqlWords(text);
      if (inner.some(({ text: word }) => word === 'COPY'))
        return 'COPY is not allowed here, nor in a function.';
      const found = outside(inner, false);
      if (found !== undefined) return found;
    }
  }
  return undefined;
}
