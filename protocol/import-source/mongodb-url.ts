/** URLs of MongoDB servers. */
import { decoded, hostOf, parseSourceUrl, SourceUrlError } from '../import-source.ts';

/** `require` takes any certificate. */
export type MongoTls = 'off' | 'require' | 'verify-full';

export interface MongoSource {
  host: string;
  port: number;
  /** `mongodb+srv://`: the host is a name in the DNS under which the servers are found. */
  isSrv: boolean;
  /** Empty: nobody signs in. */
  user: string;
  password: string;
  /** Where the user lives; null: the URL does not say. */
  authSource: string | null;
  /** The only database to be read; null: all of them. */
  database: string | null;
  tls: MongoTls;
}

const example = 'mongodb://user:password@host:27017/database';
/** The server's own. */
const systemDatabases = ['admin', 'config', 'local'];
/** https://www.mongodb.com/docs/manual/reference/limits/#naming-restrictions */
const databasePattern = /^[^/\\. "$*<>:|?]{1,63}$/;
/** They say how a client writes, what it is called, or which of several servers it takes: nothing of what is read here. */
const ofOthers = [
  'appname',
  'directconnection',
  'readpreference',
  'replicaset',
  'retryreads',
  'retrywrites',
  'w',
];

/**
 * https://www.mongodb.com/docs/manual/reference/connection-string/: of its parameters those alone that say who signs in and how the
 * connection is encrypted; those that concern writing alone, which hosts of MongoDB write into the URLs that they show, change nothing.
 * @throws SourceUrlError
 */
export function parseMongoUrl(text: string): MongoSource {
  if (/^mongodb:\/\/([^/@]*@)?[^/@?]*,/.test(text))
    throw new SourceUrlError(
      'the URL names several servers: name one of them, whichever holds the data, with the port',
    );
  const url = parseSourceUrl(text, ['mongodb:', 'mongodb+srv:'], example);
  const isSrv = url.protocol === 'mongodb+srv:';
  if (isSrv && url.port !== '')
    throw new SourceUrlError('a URL that begins with mongodb+srv:// has no port: the DNS says it');
  const user = decoded(url.username, 'user');
  const password = decoded(url.password, 'password');
  if (user === '' && password !== '') throw new SourceUrlError(`the URL names no user: ${example}`);
  const database = databaseOf(url);
  const authSource = parameter(url, 'authSource') ?? null;
  refuseOthers(url);
  const port = Number(url.port || 27_017);
  return { host: hostOf(url), port, isSrv, user, password, authSource, database, tls: tlsOf(url, isSrv) };
}

/** Host and database, as a list of imports shows them. */
export const labelOfMongo = ({ host, database }: MongoSource) => `${host}/${database ?? '*'}`;

/** An empty path, or `admin`, which many a URL names to sign in there, means all databases. */
function databaseOf(url: URL): string | null {
  const database = decoded(url.pathname.slice(1), 'database');
  if (database === '' || database === 'admin') return null;
  if (systemDatabases.includes(database))
    throw new SourceUrlError(`the database "${database}" is the server's own: name one of yours`);
  if (databasePattern.test(database)) return database;
  throw new SourceUrlError(`the URL's path is the name of a database, as in ${example}`);
}

/** Names of parameters are written in any case. */
const isNamed = (name: string, wanted: string) => name.toLowerCase() === wanted.toLowerCase();
const parameter = ({ searchParams }: URL, wanted: string): string | undefined =>
  [...searchParams].find(([name]) => isNamed(name, wanted))?.[1];

function tlsOf(url: URL, isSrv: boolean): MongoTls {
  const isOn = flag(url, 'tls') ?? flag(url, 'ssl') ?? isSrv;
  const isInsecure = flag(url, 'tlsAllowInvalidCertificates') ?? flag(url, 'tlsInsecure') ?? false;
  if (isOn) return isInsecure ? 'require' : 'verify-full';
  if (isInsecure) throw new SourceUrlError('tlsAllowInvalidCertificates belongs to tls=true');
  return 'off';
}

function flag(url: URL, name: string): boolean | undefined {
  const value = parameter(url, name);
  if (value === undefined) return undefined;
  if (value === 'true' || value === 'false') return value === 'true';
  throw new SourceUrlError(`${name} is true or false`);
}

function refuseOthers({ searchParams }: URL): void {
  const taken = ['authsource', 'tls', 'ssl', 'tlsallowinvalidcertificates', 'tlsinsecure', ...ofOthers];
  for (const name of searchParams.keys()) {
    if (!taken.includes(name.toLowerCase()))
      throw new SourceUrlError(`the URL's parameter "${name}" is not supported: leave it out`);
  }
}
