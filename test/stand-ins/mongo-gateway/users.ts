/** Users and what is kept of their passwords, in a table beside the documents, where no command reaches it. All of them are root. */
import { createHash, randomBytes } from 'node:crypto';
import { type Credentials, credentialsOf } from './scram.ts';
import type { Store } from './store.ts';

/** Of this process: the credentials of users who don't exist look the same each time. */
const disguise = randomBytes(32);

interface UserRow {
  salt: Buffer;
  iterations: number;
  stored_key: Buffer;
  server_key: Buffer;
}

const kept = ({ salt, iterations, stored_key: storedKey, server_key: serverKey }: UserRow): Credentials => ({
  ...{ salt, iterations, storedKey, serverKey },
});

export class Users {
  readonly #store: Store;

  constructor(store: Store) {
    this.#store = store;
  }

  async prepare(): Promise<void> {
    await this.#store.rows(`CREATE TABLE IF NOT EXISTS public.gateway_users (
      name text PRIMARY KEY, salt bytea NOT NULL, iterations int NOT NULL, stored_key bytea NOT NULL, server_key bytea NOT NULL)`);
  }

  /** Without users everybody may do everything, as with an official container that was given none. */
  async exist(): Promise<boolean> {
    return (await this.#store.rows('SELECT 1 FROM public.gateway_users LIMIT 1')).length > 0;
  }

  /** @returns credentials that no password fits for a user who doesn't exist */
  async find(name: string): Promise<Credentials> {
    const sql = 'SELECT salt, iterations, stored_key, server_key FROM public.gateway_users WHERE name = $1';
    const [row] = await this.#store.rows<UserRow>(sql, [name]);
    if (row) return kept(row);
    const salt = createHash('sha256').update(disguise).update(name).digest().subarray(0, 28);
    return { ...credentialsOf('', salt, 1), iterations: 15_000, storedKey: randomBytes(32) };
  }

  async all(): Promise<(Credentials & { name: string })[]> {
    const sql =
      'SELECT name, salt, iterations, stored_key, server_key FROM public.gateway_users ORDER BY name';
    const rows = await this.#store.rows<UserRow & { name: string }>(sql);
    return rows.map((row) => ({ name: row.name, ...kept(row) }));
  }

  /** @returns whether there was none of that name */
  create(name: string, password: string): Promise<boolean> {
    return this.add(name, credentialsOf(password));
  }

  /** @returns as `create`; one that is there stays as it is */
  async add(name: string, { salt, iterations, storedKey, serverKey }: Credentials): Promise<boolean> {
    const sql = `INSERT INTO public.gateway_users VALUES ($1, $2, $3, $4, $5) ON CONFLICT DO NOTHING RETURNING 1`;
    return (await this.#store.rows(sql, [name, salt, iterations, storedKey, serverKey])).length > 0;
  }

  /** @returns whether there was such a user */
  async remove(name: string): Promise<boolean> {
    const sql = 'DELETE FROM public.gateway_users WHERE name = $1 RETURNING 1';
    return (await this.#store.rows(sql, [name])).length > 0;
  }

  /** @returns whether there is such a user */
  async setPassword(name: string, password: string): Promise<boolean> {
    const { salt, iterations, storedKey, serverKey } = credentialsOf(password);
    const sql = `UPDATE public.gateway_users SET salt = $2, iterations = $3, stored_key = $4, server_key = $5
      WHERE name = $1 RETURNING 1`;
    return (await this.#store.rows(sql, [name, salt, iterations, storedKey, serverKey])).length > 0;
  }
}
