import { decoded, hostOf, parseSourceUrl, SourceUrlError } from '../import-source.ts';

/** `off`: `redis://`. The others are for `rediss://`, with the names of `postgres-url`; `require` accepts any certificate. */
export type RedisTls = 'off' | (typeof redisTlsModes)[number];
export const redisTlsModes = ['verify-full', 'require'] as const;

export interface RedisSource {
  host: string;
  port: number;
  /** Empty: the server's `default` user. */
  user: string;
  /** Empty without a user: no authentication. */
  password: string;
  /** The only logical database to import; null: all of them. */
  database: number | null;
  tls: RedisTls;
}

const example = 'redis://user:password@host:6379';
/** Database numbers have 32 bits. */
const databasePattern = /^\d{1,9}$/;

/**
 * https://www.iana.org/assignments/uri-schemes/prov/redis and .../rediss: the database is the path. Other parameters (`db`, `protocol`,
 * `family`, ...) are refused, because each client interprets them differently.
 * @throws SourceUrlError
 */
export function parseRedisUrl(text: string): RedisSource {
  const url = parseSourceUrl(text, ['redis:', 'rediss:'], example);
  const user = decoded(url.username, 'user');
  const password = decoded(url.password, 'password');
  return {
    ...{ host: hostOf(url), port: Number(url.port || 6379), user, password },
    database: databaseOf(url),
    tls: tlsOf(url),
  };
}

/** Host and logical database, as a list of imports shows them. */
export const labelOfRedis = ({ host, database }: RedisSource) => `${host}/${database ?? '*'}`;

function databaseOf({ pathname }: URL): number | null {
  const path = pathname.slice(1);
  if (path === '') return null;
  if (databasePattern.test(path)) return Number(path);
  throw new SourceUrlError(
    `the URL's path must be the number of one logical database, as in ${example}/0; leave it out to import all of them`,
  );
}

function tlsOf({ protocol, searchParams }: URL): RedisTls {
  let tls: RedisTls = protocol === 'rediss:' ? 'verify-full' : 'off';
  for (const [name, value] of searchParams) {
    if (name !== 'sslmode')
      throw new SourceUrlError(`the URL's parameter "${name}" is not supported: leave it out`);
    if (tls === 'off') throw new SourceUrlError('sslmode requires rediss://, the scheme for TLS');
    const mode = redisTlsModes.find((one) => one === value);
    if (!mode) throw new SourceUrlError(`sslmode must be one of ${redisTlsModes.join(', ')}`);
    tls = mode;
  }
  return tls;
}
