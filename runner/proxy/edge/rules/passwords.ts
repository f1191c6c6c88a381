/**
 * Checks passwords of HTTP Basic authentication (RFC 7617). Hashing runs in Node's thread pool, so `edge` keeps answering Caddy's DNS
 * questions. A correct password is hashed once and then recognised; wrong ones are limited per client, so guessing uses little time.
 */
import type { BasicAuthRule } from '../../../../protocol/traffic/traffic-rules.ts';

type Users = BasicAuthRule['users'];
export type PasswordResult = 'right' | 'wrong' | 'too many';
export type PasswordCheck = (users: Users, authorization: string, client: string) => Promise<PasswordResult>;

/** Wrong passwords of one client within the window, and the window. */
const wrongMax = 20;
const windowMs = 60_000;
/** Hashes computed at the same time, for all clients; Node's pool has four threads. */
const pendingMax = 32;
/** The number of clients and passwords that are remembered; the oldest is forgotten first. */
const rememberedMax = 10_000;

/** @param now milliseconds of any monotonic clock */
export function passwordCheck(now: () => number): PasswordCheck {
  const right = new Map<string, true>();
  const wrong = new Map<string, { count: number; until: number }>();
  let pending = 0;
  const isBlocked = (client: string) => {
    const seen = wrong.get(client);
    if (!seen || seen.until > now()) return (seen?.count ?? 0) >= wrongMax;
    wrong.delete(client);
    return false;
  };
  return async (users, authorization, client) => {
    const given = credentialsOf(authorization);
    // A browser's first request has no password, which is not a guess.
    if (!given) return 'wrong';
    const user = users.find(({ name }) => name === given.name);
    const key = user && digest(`${user.hash}\0${given.password}`);
    if (key !== undefined && right.has(key)) return 'right';
    if (isBlocked(client) || pending >= pendingMax) return 'too many';
    // Counted before the hash is computed: parallel guesses must not pass the limit together.
    const until = wrong.get(client)?.until ?? now() + windowMs;
    remember(wrong, client, { count: (wrong.get(client)?.count ?? 0) + 1, until });
    pending += 1;
    try {
      // An unknown name takes as long as a known one.
      const isRight = await matches(user?.hash ?? users[0]?.hash ?? '', given.password);
      if (!user || !isRight || key === undefined) return 'wrong';
      remember(right, key, true);
      wrong.delete(client);
      return 'right';
    } finally {
      pending -= 1;
    }
  };
}

function credentialsOf(authorization: string): { name: string; password: string } | undefined {
  const [, encoded] = /^basic +([\w+/=-]{1,2000})$/i.exec(authorization) ?? [];
  if (encoded === undefined) return undefined;
  const [, name, password] = /^([^:]*):(.*)$/s.exec(Buffer.from(encoded, 'base64').toString('utf8')) ?? [];
  return name === undefined || password === undefined ? undefined : { name, password };
}

async function matches(stored: string, password: string): Promise<boolean> {
  const { pbkdf2, timingSafeEqual } = process.getBuiltinModule('node:crypto');
  const [iterations, salt = '', hash = ''] = stored.split(':');
  const expected = Buffer.from(hash, 'base64');
  const computed = await new Promise<Buffer>((resolve, reject) => {
    const done = (error: Error | null, key: Buffer) => (error ? reject(error) : resolve(key));
    pbkdf2(password, Buffer.from(salt, 'base64'), Number(iterations), expected.length, 'sha256', done);
  });
  return timingSafeEqual(computed, expected);
}

function digest(text: string): string {
  return process.getBuiltinModule('node:crypto').createHash('sha256').update(text).digest('base64');
}

function remember<Value>(map: Map<string, Value>, key: string, value: Value): void {
  map.delete(key);
  map.set(key, value);
  if (map.size > rememberedMax) map.delete(map.keys().next().value ?? '');
}
