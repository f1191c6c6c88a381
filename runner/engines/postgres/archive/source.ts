/** The server that an import reads: the runner opens one connection, and gives its tools the settings to reach the same address. */
import ipaddr from 'ipaddr.js';
import pg from 'pg';
import { type PostgresSource, parsePostgresUrl } from '../../../../protocol/import-source/postgres-url.ts';
import { ImportRefusal, refuseOwn } from '../../archive/import-refusal.ts';
import type { ImportSource } from '../../archive/url-import.ts';
import { EngineError } from '../../engine-error.ts';
import { guardConnection } from '../guarded-connection.ts';

/** A server that does not answer in this time counts as unreachable. */
const connectSeconds = 15;
/** An import must not block the source: when another session locks a table for longer, the import ends. */
export const lockWaitMs = 30_000;
/** Enough to count the largest table. */
const statementMs = 30 * 60_000;
const noTls = 'The server does not support SSL connections';

export interface OpenSource {
  client: pg.Client;
  /** Variables for libpq, which checks the certificate against the host and connects to the address. */
  environment: Record<string, string>;
}

/**
 * Everything on this connection reads the same snapshot of the source and can't change it.
 * @throws EngineError, SourceUrlError, ImportRefusal; the signal's reason
 */
export async function withSource<T>(
  { url, addressOf }: ImportSource,
  signal: AbortSignal,
  use: (source: OpenSource) => Promise<T>,
): Promise<T> {
  const source = parsePostgresUrl(url);
  const address = await addressOf(source.host, source.port);
  refuseOwn(source.host, address);
  const { client, isEncrypted } = await connect(source, address, signal);
  const end = () => void client.end().catch(() => {});
  signal.addEventListener('abort', end, { once: true });
  try {
    signal.throwIfAborted();
    await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY');
    // The query fails, instead of returning fewer rows, if this user may see only a part of a table's rows.
    await client.query('SET LOCAL row_security = off');
    return await use({ client, environment: toolEnvironment(source, address, isEncrypted) });
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof ImportRefusal) throw error;
    throw EngineError.from(error);
  } finally {
    signal.removeEventListener('abort', end);
    await client.end().catch(() => {});
  }
}

async function connect(source: PostgresSource, address: string, signal: AbortSignal) {
  const isEncrypted = source.tls !== 'disable';
  try {
    return { client: await opened(source, address, { isEncrypted, signal }), isEncrypted };
  } catch (error) {
    signal.throwIfAborted();
    const words = error instanceof Error ? error.message : String(error);
    if (source.tls !== 'prefer' || words !== noTls) throw unopened(source, words, error);
  }
  try {
    return { client: await opened(source, address, { isEncrypted: false, signal }), isEncrypted: false };
  } catch (error) {
    signal.throwIfAborted();
    throw unopened(source, error instanceof Error ? error.message : String(error), error);
  }
}

async function opened(
  { host, port, user, password, database, tls }: PostgresSource,
  address: string,
  { isEncrypted, signal }: { isEncrypted: boolean; signal: AbortSignal },
): Promise<pg.Client> {
  signal.throwIfAborted();
  const isName = !ipaddr.isValid(host);
  const client = new pg.Client({
    ...{ host: address, port, user, password, database },
    application_name: 'longshore import',
    connectionTimeoutMillis: connectSeconds * 1_000,
    keepAlive: true,
    statement_timeout: statementMs,
    lock_timeout: lockWaitMs,
    ssl: isEncrypted
      ? { rejectUnauthorized: tls === 'verify-full', host, ...(isName ? { servername: host } : {}) }
      : false,
  });
  guardConnection(client);
  client.on('error', () => {}); // the next query reports the error
  try {
    await client.connect();
    return client;
  } catch (error) {
    await client.end().catch(() => {});
    throw error;
  }
}

const unopened = ({ host, port }: PostgresSource, words: string, cause: unknown) =>
  new EngineError('unavailable', `The source ${host}:${port} could not be opened: ${words}.`, { cause });

/**
 * https://www.postgresql.org/docs/17/libpq-envars.html. Sets every variable that could lead to another server, since the user controls the
 * container's own variables.
 */
function toolEnvironment(
  { host, port, user, password, database, tls }: PostgresSource,
  address: string,
  isEncrypted: boolean,
): Record<string, string> {
  return {
    PGHOST: host,
    PGHOSTADDR: address,
    PGPORT: String(port),
    PGUSER: user,
    PGPASSWORD: password,
    PGDATABASE: database,
    PGSSLMODE: isEncrypted ? (tls === 'verify-full' ? tls : 'require') : 'disable',
    ...(tls === 'verify-full' ? { PGSSLROOTCERT: 'system' } : {}),
    PGOPTIONS: '-c default_transaction_read_only=on',
    PGCONNECT_TIMEOUT: String(connectSeconds),
    PGPASSFILE: '/dev/null',
    PGGSSENCMODE: 'disable',
    PGTARGETSESSIONATTRS: 'any',
    LC_ALL: 'C',
  };
}
