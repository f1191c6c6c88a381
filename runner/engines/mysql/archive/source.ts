/** The server that an import reads: the runner checks it, and gives the tools arguments to reach the same address. */
import { connect } from 'node:net';
import type { Connection } from 'mysql2/promise';
import { type MysqlSource, parseMysqlUrl } from '../../../../protocol/import-source/mysql-url.ts';
import { ImportRefusal, refuseOwn } from '../../archive/import-refusal.ts';
import type { ImportSource } from '../../archive/url-import.ts';
import { EngineError } from '../../engine-error.ts';
import { openConnection, signedIn } from '../open-connection.ts';

/** A server that does not answer in this time counts as unreachable. */
const connectMs = 15_000;
/** The time limit of catalog queries. */
const questionMs = 60_000;
/** An import must not block the source: when another session locks a table for longer, the import ends. */
const lockWaitSeconds = 30;
/** An error code of the driver. */
const noTls = 'HANDSHAKE_NO_SSL_SUPPORT';
/** Storage engines that keep their rows in the server and can be used here. */
const heldEngines = ['InnoDB', 'MyISAM', 'MEMORY', 'ARCHIVE', 'CSV', 'BLACKHOLE'];
const oldest = [5, 7] as const;

export interface SeenSource {
  database: string;
  /** Arguments of `mysqldump`: the server and the user. */
  arguments: readonly string[];
  /** Contains the password. */
  environment: Record<string, string>;
  /** The tables' own estimate. */
  rowsExpected: number;
}

/**
 * @param own version of the server that is filled
 * @throws EngineError, SourceUrlError, ImportRefusal; the signal's reason
 */
export async function inspectSource(
  { url, addressOf }: ImportSource,
  own: string,
  signal: AbortSignal,
): Promise<SeenSource> {
  const source = parseMysqlUrl(url);
  const address = await addressOf(source.host, source.port);
  refuseOwn(source.host, address);
  const { connection, isEncrypted } = await opened(source, address, signal);
  const end = () => connection.destroy();
  signal.addEventListener('abort', end, { once: true });
  try {
    signal.throwIfAborted();
    await connection.query('SET SESSION TRANSACTION READ ONLY');
    await refuseVersion(connection, own);
    await refuseHiding(connection, source.database);
    await refuseEngines(connection, source.database);
    return {
      database: source.database,
      arguments: toolArguments(source, address, isEncrypted),
      environment: { MYSQL_PWD: source.password, LC_ALL: 'C' },
      rowsExpected: await estimate(connection, source.database),
    };
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof ImportRefusal) throw error;
    // The cause is left out: the driver's error contains the statement.
    throw new EngineError('unavailable', `The source could not be read: ${wordsOf(error)}.`);
  } finally {
    signal.removeEventListener('abort', end);
    connection.destroy();
  }
}

async function opened(source: MysqlSource, address: string, signal: AbortSignal) {
  const isEncrypted = source.tls !== 'DISABLED';
  try {
    return { connection: await login(source, address, { isEncrypted, signal }), isEncrypted };
  } catch (error) {
    signal.throwIfAborted();
    const hasNoTls = error instanceof Error && 'code' in error && error.code === noTls;
    if (source.tls !== 'PREFERRED' || !hasNoTls) throw unopened(source, error);
  }
  try {
    return { connection: await login(source, address, { isEncrypted: false, signal }), isEncrypted: false };
  } catch (error) {
    signal.throwIfAborted();
    throw unopened(source, error);
  }
}

async function login(
  { host, port, user, password, database }: MysqlSource,
  address: string,
  { isEncrypted, signal }: { isEncrypted: boolean; signal: AbortSignal },
): Promise<Connection> {
  signal.throwIfAborted();
  const stream = connect({ host: address, port, noDelay: true });
  const drop = () => stream.destroy();
  signal.addEventListener('abort', drop, { once: true });
  try {
    const connection = openConnection({
      // Passes the host's name, for a server that chooses its certificate by it.
      ...{ stream, host, port, user, password, database },
      charset: 'utf8mb4',
      connectTimeout: connectMs,
      flags: ['-LOCAL_FILES'],
      disableEval: true,
      ...(isEncrypted ? { ssl: { rejectUnauthorized: false } } : {}),
    });
    return await signedIn(connection);
  } catch (error) {
    stream.destroy();
    throw error;
  } finally {
    signal.removeEventListener('abort', drop);
  }
}

const unopened = ({ host, port }: MysqlSource, error: unknown) =>
  new EngineError('unavailable', `The source ${host}:${port} could not be opened: ${wordsOf(error)}.`);

/** Sets every option that could lead to another server, and reads no option file. */
function toolArguments({ host, port, user }: MysqlSource, address: string, isEncrypted: boolean): string[] {
  const encryption = isEncrypted
    ? ['--ssl-mode=REQUIRED', ...(host === address ? [] : [`--tls-sni-servername=${host}`])]
    : ['--ssl-mode=DISABLED', '--get-server-public-key'];
  return [
    ...['--protocol=TCP', `--host=${address}`, `--port=${port}`, `--user=${user}`, ...encryption],
    '--init-command=SET SESSION TRANSACTION READ ONLY',
    `--init-command-add=SET SESSION lock_wait_timeout = ${lockWaitSeconds}, SESSION max_execution_time = 0`,
  ];
}

async function refuseVersion(connection: Connection, own: string): Promise<void> {
  const [[{ version = '', comment = '' } = {}]] = await ask<{ version: string; comment: string }>(
    connection,
    'SELECT VERSION() AS version, @@version_comment AS comment',
  );
  if (/mariadb/i.test(`${version} ${comment}`))
    throw new ImportRefusal(
      `The source runs MariaDB ${version}, whose SQL is no longer compatible with MySQL: export it there in a form that MySQL reads.`,
    );
  if (isOlder(version, oldest))
    throw new ImportRefusal(`The source runs MySQL ${version}: 5.7 and later versions can be read.`);
  if (isOlder(own, numbersOf(version)))
    throw new ImportRefusal(
      `The source runs MySQL ${version}, and this database ${own}: only a server of the same or a later version can load its data.`,
    );
}

const numbersOf = (version: string): [number, number] => {
  const [, major = 0, minor = 0] = /^(\d+)\.(\d+)/.exec(version) ?? [];
  return [Number(major), Number(minor)];
};

function isOlder(version: string, [major, minor]: readonly [number, number]): boolean {
  const [ownMajor, ownMinor] = numbersOf(version);
  return ownMajor < major || (ownMajor === major && ownMinor < minor);
}

/** Privileges without which the server silently leaves out objects. */
const hidden = [
  { what: 'triggers', grant: /\b(ALL PRIVILEGES|TRIGGER)\b.* ON /, needs: 'TRIGGER' },
  {
    what: 'procedures and functions',
    grant:
      /\b(ALL PRIVILEGES|SHOW_ROUTINE|EXECUTE|(CREATE|ALTER) ROUTINE)\b.* ON |\bSELECT\b.* ON (\*\.\*|`mysql`\.(\*|`proc`)) /,
    needs: 'SHOW_ROUTINE (of 5.7: SELECT on mysql.proc)',
  },
];

async function refuseHiding(connection: Connection, database: string): Promise<void> {
  const grants = await grantsOf(connection);
  for (const { what, grant, needs } of hidden) {
    if (grants.some((line) => grant.test(line))) continue;
    throw new ImportRefusal(
      `The source's user may not see ${what}, so the import would lack those of ${database}: grant the user ${needs}.`,
    );
  }
}

/** Includes the grants of the user's roles. */
async function grantsOf(connection: Connection): Promise<string[]> {
  const roles = await ask<{ roles: string }>(connection, 'SELECT CURRENT_ROLE() AS roles').then(
    ([[row]]) => row?.roles ?? 'NONE',
    () => 'NONE', // 5.7 has no roles
  );
  const text = roles === 'NONE' ? 'SHOW GRANTS' : `SHOW GRANTS FOR CURRENT_USER() USING ${roles}`;
  const [rows] = await ask<Record<string, string>>(connection, text);
  return rows.map((row) => String(Object.values(row)[0]));
}

async function refuseEngines(connection: Connection, database: string): Promise<void> {
  const [rows] = await ask<{ name: string; engine: string | null }>(
    connection,
    `SELECT table_name AS name, engine AS engine FROM information_schema.tables
      WHERE table_schema = ? AND table_type = 'BASE TABLE' ORDER BY 1`,
    [database],
  );
  const strange = rows.find(({ engine }) => !heldEngines.some((one) => one === engine));
  if (!strange) return;
  throw new ImportRefusal(
    `The table ${strange.name} of the source has the engine ${strange.engine ?? 'unknown: it is damaged'}; only tables of ${heldEngines.join(', ')} can be copied.`,
  );
}

async function estimate(connection: Connection, database: string): Promise<number> {
  const [[row]] = await ask<{ estimate: string | number | null }>(
    connection,
    "SELECT SUM(table_rows) AS estimate FROM information_schema.tables WHERE table_schema = ? AND table_type = 'BASE TABLE'",
    [database],
  );
  return Number(row?.estimate ?? 0);
}

const ask = async <Row>(connection: Connection, sql: string, values: string[] = []) =>
  (await connection.query({ sql, timeout: questionMs }, values)) as unknown as [Row[]];

const wordsOf = (error: unknown) => (error instanceof Error ? error.message : String(error));
