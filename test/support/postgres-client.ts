/** Queries to PostgreSQL through its own driver, with the login from its container's environment. */
import pg from 'pg';

interface Place {
  /** Default: 127.0.0.1. */
  host?: string;
  port: number;
}
type Login = Readonly<Partial<Record<string, string>>>;

/** Opens a session for one use. A restore may end the session; then the next query fails. */
export async function withPostgres<T>(
  place: Place,
  { POSTGRES_USER: user, POSTGRES_PASSWORD: password, POSTGRES_DB: database }: Login,
  use: (client: pg.Client) => Promise<T>,
  more: pg.ClientConfig = {},
): Promise<T> {
  const client = new pg.Client({ host: '127.0.0.1', ...place, user, password, database, ...more });
  client.on('error', () => {});
  await client.connect();
  try {
    return await use(client);
  } finally {
    await client.end();
  }
}

/** The rows of a statement. */
export const postgresRows = <Row extends pg.QueryResultRow>(place: Place, login: Login, sql: string) =>
  withPostgres(place, login, async (client) => (await client.query<Row>(sql)).rows);

/** Runs statements in one session. @returns the first value of the last result */
export const postgresValue = (place: Place, login: Login, ...statements: string[]): Promise<unknown> =>
  withPostgres(place, login, async (client) => {
    let last: unknown;
    for (const text of statements) last = (await client.query({ text, rowMode: 'array' })).rows[0]?.[0];
    return last;
  });
