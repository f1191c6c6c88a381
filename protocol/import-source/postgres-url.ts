import { decoded, hostOf, parseSourceUrl, SourceUrlError } from '../import-source.ts';

/** TLS modes in libpq's terms; `prefer`: if the server supports it. */
export const postgresTlsModes = ['disable', 'prefer', 'require', 'verify-full'] as const;
export type PostgresTlsMode = (typeof postgresTlsModes)[number];

export interface PostgresSource {
  host: string;
  port: number;
  user: string;
  password: string;
  database: string;
  tls: PostgresTlsMode;
}

/**
 * https://www.postgresql.org/docs/17/libpq-connect.html, "Connection URIs": accepts only `sslmode`, so that no parameter can select another server.
 * @throws SourceUrlError
 */
export function parsePostgresUrl(text: string): PostgresSource {
  const url = parseSourceUrl(
    text,
    ['postgres:', 'postgresql:'],
    'postgres://user:password@host:5432/database',
  );
  const { tls } = parametersOf(url);
  const user = decoded(url.username, 'user');
  const database = decoded(url.pathname.slice(1), 'database');
  if (user === '') throw new SourceUrlError('the URL names no user: postgres://user:password@host/database');
  if (database === '')
    throw new SourceUrlError('the URL names no database: postgres://user:password@host/database');
  const password = decoded(url.password, 'password');
  return { host: hostOf(url), port: Number(url.port || 5432), user, password, database, tls };
}

/** Host and database, as a list of imports shows them. */
export const labelOfPostgres = ({ host, database }: PostgresSource) => `${host}/${database}`;

/** Connection poolers and ORMs add their own parameters. They are refused, because their meaning is unknown. */
function parametersOf(url: URL): { tls: PostgresTlsMode } {
  let tls: PostgresTlsMode = 'prefer';
  for (const [name, value] of url.searchParams) {
    if (name !== 'sslmode')
      throw new SourceUrlError(`the URL's parameter "${name}" is not supported: leave it out`);
    const mode = postgresTlsModes.find((one) => one === value);
    if (!mode) throw new SourceUrlError(`sslmode must be one of ${postgresTlsModes.join(', ')}`);
    tls = mode;
  }
  return { tls };
}
