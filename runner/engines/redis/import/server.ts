/** The two servers of an import: the source and the target. */
import ipaddr from 'ipaddr.js';
import { parseRedisUrl, type RedisTls } from '../../../../protocol/import-source/redis-url.ts';
import type { FreshPlace } from '../../archive/archive.ts';
import { refuseOwn } from '../../archive/import-refusal.ts';
import type { ImportSource } from '../../archive/url-import.ts';

export interface RedisServer {
  /** The server's name in error messages. */
  name: string;
  /** The name that its certificate must have. */
  host: string;
  address: string;
  port: number;
  user: string;
  password: string;
  tls: RedisTls;
}

/**
 * Unlike with other engines, the runner itself reads this source. So a loopback address means this host, for users who may reach private
 * addresses.
 * @returns `database`: the only logical database to import; `null` for all of them
 * @throws SourceUrlError, ImportRefusal; JobFailure for a name that resolves to a forbidden address
 */
export async function sourceServer({
  url,
  addressOf,
}: ImportSource): Promise<{ server: RedisServer; database: number | null }> {
  const { database, ...source } = parseRedisUrl(url);
  const address = await addressOf(source.host, source.port);
  if (ipaddr.process(address).range() !== 'loopback') refuseOwn(source.host, address);
  return { server: { ...source, name: `the source ${source.host}:${source.port}`, address }, database };
}

/** The new server that an import fills, as its container was started: with the default user and without TLS. */
export const freshServer = ({ address: { host, port }, env }: FreshPlace): RedisServer => ({
  ...{ name: 'the database of this service', host, address: host, port },
  ...{ user: '', password: env.REDIS_PASSWORD ?? '', tls: 'off' },
});
