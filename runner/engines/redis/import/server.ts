/** The two servers of an import: the one that is read, and the one that is filled. */
import ipaddr from 'ipaddr.js';
import { parseRedisUrl, type RedisTls } from '../../../../protocol/import-source/redis-url.ts';
import type { FreshPlace } from '../../archive/archive.ts';
import { refuseOwn } from '../../archive/refuse-own.ts';
import type { ImportSource } from '../../archive/url-import.ts';

export interface RedisServer {
  /** For sentences. */
  name: string;
  /** What its certificate is for. */
  host: string;
  /** Where it is reached. */
  address: string;
  port: number;
  user: string;
  password: string;
  tls: RedisTls;
}

/**
 * Unlike other engines' sources it is the runner that reads this one: loopback is this very host, for whoever may reach private addresses.
 * @returns `database`: the only logical one that is wanted; null: all of them
 * @throws SourceUrlError, ImportRefusal; JobFailure for a name that leads where it must not
 */
export async function sourceServer({
  url,
  addressOf,
}: ImportSource): Promise<{ server: RedisServer; database: number | null }> {
  const { database, ...source } = parseRedisUrl(url);
  const address = await addressOf(source.host);
  if (ipaddr.process(address).range() !== 'loopback') refuseOwn(source.host, address);
  return { server: { ...source, name: `the source ${source.host}:${source.port}`, address }, database };
}

export const freshServer = ({ address: { host, port }, env }: FreshPlace): RedisServer => ({
  ...{ name: 'the database that is filled', host, address: host, port },
  ...{ user: '', password: env.REDIS_PASSWORD ?? '', tls: 'off' },
});
