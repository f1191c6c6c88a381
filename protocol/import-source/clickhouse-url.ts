/** URLs of ClickHouse databases, for their HTTP interface. */
import { decoded, hostOf, parseSourceUrl, SourceUrlError } from '../import-source.ts';

export interface ClickhouseSource {
  host: string;
  port: number;
  user: string;
  password: string;
  database: string;
  isEncrypted: boolean;
}

const example = 'https://user:password@host:8443/database';
/** https://clickhouse.com/docs/guides/sre/network-ports */
const ports = { 'http:': 8123, 'https:': 8443 };
/** The server's internal databases. */
const system = /^(?:system|information_schema)$/i;

/**
 * https://clickhouse.com/docs/interfaces/http: URL parameters are refused, because each could be a setting.
 * @throws SourceUrlError
 */
export function parseClickhouseUrl(text: string): ClickhouseSource {
  const url = parseSourceUrl(text, Object.keys(ports), example);
  const [parameter] = url.searchParams.keys();
  if (parameter !== undefined)
    throw new SourceUrlError(`the URL's parameter "${parameter}" is not supported: leave it out`);
  const user = decoded(url.username, 'user');
  const database = decoded(url.pathname.slice(1), 'database');
  if (user === '') throw new SourceUrlError(`the URL names no user: ${example}`);
  if (database === '') throw new SourceUrlError(`the URL names no database: ${example}`);
  if (system.test(database))
    throw new SourceUrlError(`the database "${database}" belongs to the server: use one of yours`);
  return {
    host: hostOf(url),
    port: portOf(url, text),
    user,
    password: decoded(url.password, 'password'),
    database,
    isEncrypted: url.protocol === 'https:',
  };
}

/** Host and database, as a list of imports shows them. */
export const labelOfClickhouse = ({ host, database }: ClickhouseSource) => `${host}/${database}`;

/** Web URLs omit the default port of their scheme, which is not ClickHouse's default. So the port is also parsed from the text. */
function portOf({ port, protocol }: URL, text: string): number {
  const written = /^[^/]*\/\/[^/?#]*:(\d+)(?=[/?#]|$)/.exec(text)?.[1];
  return Number(port || written || ports[protocol as keyof typeof ports]);
}
