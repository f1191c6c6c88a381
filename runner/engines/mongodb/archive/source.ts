/**
 * The server that an import reads. The runner connects only to checked addresses, and the driver may not discover others: it reads one
 * member of a replica set.
 */
import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';
import { MongoClient } from 'mongodb';
import { type MongoSource, parseMongoUrl } from '../../../../protocol/import-source/mongodb-url.ts';
import { askNameServers } from '../../../base/ask-name-servers.ts';
import { ImportRefusal, refuseOwn } from '../../archive/import-refusal.ts';
import type { ImportSource } from '../../archive/url-import.ts';
import { EngineError } from '../../engine-error.ts';
import { engineError } from '../errors.ts';

const connectMs = 15_000;
/** The source sends documents while it reads them. A source that sends nothing for this long is treated as lost. */
const silenceMs = 10 * 60_000;
/** A replica set has at most 50 members: https://www.mongodb.com/docs/manual/reference/limits/ */
const membersMax = 50;

export interface Member {
  host: string;
  port: number;
}
export interface Resolver {
  srv(name: string): Promise<{ name: string; port: number }[]>;
  txt(name: string): Promise<string[][]>;
}
const systemResolver: Resolver = {
  srv: (name) => askNameServers((resolver) => resolver.resolveSrv(name), AbortSignal.timeout(connectMs)),
  txt: (name) => askNameServers((resolver) => resolver.resolveTxt(name), AbortSignal.timeout(connectMs)),
};

/** @throws SourceUrlError, ImportRefusal; JobFailure for a name that resolves to a forbidden address */
export async function openSource({ url, addressOf }: ImportSource): Promise<{
  client: MongoClient;
  database: string | null;
  name: string;
}> {
  const source = parseMongoUrl(url);
  const { members, authSource } = await membersOf(source);
  let lastError: unknown;
  for (const member of members) {
    const address = await addressOf(member.host, member.port);
    if (ipaddr.process(address).range() !== 'loopback') refuseOwn(member.host, address);
    const client = clientOf({ ...source, authSource }, member, address);
    try {
      await client.connect();
      await refuseShards(client);
      return { client, database: source.database, name: `${member.host}:${member.port}` };
    } catch (error) {
      await client.close().catch(() => {});
      if (error instanceof ImportRefusal) throw error;
      lastError = error;
    }
  }
  throw new ImportRefusal(`The source ${source.host} can't be read: ${engineError(lastError).message}`);
}

/**
 * https://github.com/mongodb/specifications/blob/master/source/initial-dns-seedlist-discovery/
 * @throws ImportRefusal
 */
export async function membersOf(
  source: MongoSource,
  resolver: Resolver = systemResolver,
): Promise<{ members: Member[]; authSource: string | null }> {
  const { host, port, authSource } = source;
  if (!source.isSrv) return { members: [{ host, port }], authSource };
  const found = await answered(host, resolver.srv(`_mongodb._tcp.${host}`));
  if (found.length === 0)
    throw new ImportRefusal(
      `The DNS has no servers for ${host}: use a URL that begins with mongodb:// and names one of them.`,
    );
  const members = found.slice(0, membersMax).map((one) => ({ host: one.name.toLowerCase(), port: one.port }));
  const labels = host.split('.');
  const parent = `.${(labels.length > 2 ? labels.slice(1) : labels).join('.')}`;
  const foreign = members.find((member) => !member.host.endsWith(parent));
  if (foreign)
    throw new ImportRefusal(`The SRV record of ${host} names ${foreign.host}, which is in another domain.`);
  return { members, authSource: authSource ?? (await authSourceOf(host, resolver)) };
}

/** The database with the users, from the source's DNS record. The record's other options don't matter for reading. */
async function authSourceOf(host: string, resolver: Resolver): Promise<string | null> {
  const said = (await answered(host, resolver.txt(host))).map((parts) => parts.join('')).join('&');
  return new URLSearchParams(said).get('authSource');
}

async function answered<Item>(host: string, asked: Promise<Item[]>): Promise<Item[]> {
  try {
    return await asked;
  } catch (error) {
    const reason = (error as NodeJS.ErrnoException).code ?? String(error);
    throw new ImportRefusal(
      `The name servers of this host gave no answer for ${host} (${reason}). Its servers may exist: try again.`,
    );
  }
}

function clientOf(
  { user, password, authSource, database, tls }: MongoSource,
  { host, port }: Member,
  address: string,
): MongoClient {
  const at = address.includes(':') ? `[${address}]` : address;
  return new MongoClient(`mongodb://${at}:${port}/`, {
    ...(user && { auth: { username: user, password }, authSource: authSource ?? database ?? 'admin' }),
    ...(tls !== 'off' && { tls: true, tlsAllowInvalidCertificates: tls === 'require' }),
    ...(tls !== 'off' && isIP(host) === 0 && { servername: host }),
    appName: 'longshore import',
    directConnection: true,
    maxPoolSize: 2,
    serverMonitoringMode: 'poll',
    serverSelectionTimeoutMS: connectMs,
    connectTimeoutMS: connectMs,
    waitQueueTimeoutMS: connectMs,
    socketTimeoutMS: silenceMs,
    retryWrites: false,
  });
}

/** Refuses a router, because documents that are moving between shards would be missing. */
async function refuseShards(client: MongoClient): Promise<void> {
  const { msg } = await client.db('admin').command({ hello: 1 });
  if (msg === 'isdbgrid')
    throw new ImportRefusal(
      'The source is a sharded cluster: take a dump of it with mongodump, and import the file.',
    );
}

/** Adds the source's name to errors that occur while it is read. */
export async function* withSourceName(name: string, chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  try {
    yield* chunks;
  } catch (error) {
    throw new EngineError('unavailable', `The source ${name}: ${engineError(error).message}`, {
      cause: error,
    });
  }
}
