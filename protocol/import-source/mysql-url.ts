import { decoded, hostOf, parseSourceUrl, SourceUrlError } from '../import-source.ts';

/** TLS modes in MySQL's own terms; `PREFERRED`: if the server supports it. */
export const mysqlTlsModes = ['DISABLED', 'PREFERRED', 'REQUIRED'] as const;
export type MysqlTlsMode = (typeof mysqlTlsModes)[number];

export interface MysqlSource {
  host: string;
  port: number;
  user: string;
  password: string;
  database: string;
  tls: MysqlTlsMode;
}

const example = 'mysql://user:password@host:3306/database';
/** The server's internal databases. */
const systemSchemas = ['mysql', 'sys', 'information_schema', 'performance_schema'];

/**
 * https://dev.mysql.com/doc/refman/9.4/en/connecting-using-uri-or-key-value-pairs.html: accepts only `ssl-mode`, the parameter that many
 * hosting services add to their URLs.
 * @throws SourceUrlError
 */
export function parseMysqlUrl(text: string): MysqlSource {
  const url = parseSourceUrl(text, ['mysql:'], example);
  const tls = tlsOf(url);
  const user = decoded(url.username, 'user');
  const database = decoded(url.pathname.slice(1), 'database');
  if (user === '') throw new SourceUrlError(`the URL names no user: ${example}`);
  if (database === '') throw new SourceUrlError(`the URL names no database: ${example}`);
  if (systemSchemas.includes(database.toLowerCase()))
    throw new SourceUrlError(`the database "${database}" belongs to the server: use one of yours`);
  const password = decoded(url.password, 'password');
  return { host: hostOf(url), port: Number(url.port || 3306), user, password, database, tls };
}

/** Host and database, as a list of imports shows them. */
export const labelOfMysql = ({ host, database }: MysqlSource) => `${host}/${database}`;

/** Drivers add their own parameters. They are refused, because their meaning is unknown. */
function tlsOf(url: URL): MysqlTlsMode {
  let tls: MysqlTlsMode = 'PREFERRED';
  for (const [name, value] of url.searchParams) {
    if (name !== 'ssl-mode')
      throw new SourceUrlError(`the URL's parameter "${name}" is not supported: leave it out`);
    const mode = mysqlTlsModes.find((one) => one === value.toUpperCase());
    if (!mode) throw new SourceUrlError(`ssl-mode must be one of ${mysqlTlsModes.join(', ')}`);
    tls = mode;
  }
  return tls;
}
