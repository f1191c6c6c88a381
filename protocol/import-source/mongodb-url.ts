import { decoded, hostOf, parseSourceUrl, SourceUrlError } from '../import-source.ts';

/** TLS modes of MongoDB connections; `require` accepts any certificate. */
export type MongoTls = 'off' | 'require' | 'verify-full';

export interface MongoSource {
  host: string;
  port: number;
  /** `mongodb+srv://`: the servers are found through DNS records of the host name. */
  isSrv: boolean;
  /** Empty: no authentication. */
  user: string;
  password: string;
  /** The database in which the user is defined; null: not in the URL. */
  authSource: string | null;
  /** The only database to import; null: all of them. */
  database: string | null;
  tls: MongoTls;
}

const example = 'mongodb://user:password@host:27017/database';
/** The server's internal databases. */
const systemDatabases = ['admin', 'config', 'local'];
/** https://www.mongodb.com/docs/manual/reference/limits/#naming-restrictions */
const databasePattern = /^[^/\\. "$*<>:|?]{1,63}$/;
/** Accepted parameters without effect on an import: how a client writes, its name, or which of several servers it uses. */
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
 * https://www.mongodb.com/docs/manual/reference/connection-string/: accepts the parameters for authentication and encryption. Parameters
 * that hosting services add for writing are accepted and ignored.
 * @throws SourceUrlError
 */
export function parseMongoUrl(text: string): MongoSource {
  if (/^mongodb:\/\/([^/@]*@)?[^/@?]*,/.test(text))
    throw new SourceUrlError(
      'the URL contains several servers: use only one that has the data, with its port',
    );
  const url = parseSourceUrl(text, ['mongodb:', 'mongodb+srv:'], example);
  const isSrv = url.protocol === 'mongodb+srv:';
  if (isSrv && url.port !== '')
    throw new SourceUrlError(
      "a URL that starts with mongodb+srv:// can't have a port, which comes from the DNS",
    );
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

/** An empty path means all databases. So does `admin`, which many URLs contain only for authentication. */
function databaseOf(url: URL): string | null {
  const database = decoded(url.pathname.slice(1), 'database');
  if (database === '' || database === 'admin') return null;
  if (systemDatabases.includes(database))
    throw new SourceUrlError(`the database "${database}" belongs to the server: use one of yours`);
  if (databasePattern.test(database)) return database;
  throw new SourceUrlError(`the URL's path must be the name of a database, as in ${example}`);
}

/** Parameter names are case-insensitive. */
const isNamed = (name: string, wanted: string) => name.toLowerCase() === wanted.toLowerCase();
const parameter = ({ searchParams }: URL, wanted: string): string | undefined =>
  [...searchParams].find(([name]) => isNamed(name, wanted))?.[1];

function tlsOf(url: URL, isSrv: boolean): MongoTls {
  const isOn = flag(url, 'tls') ?? flag(url, 'ssl') ?? isSrv;
  const isInsecure = flag(url, 'tlsAllowInvalidCertificates') ?? flag(url, 'tlsInsecure') ?? false;
  if (isOn) return isInsecure ? 'require' : 'verify-full';
  if (isInsecure) throw new SourceUrlError('tlsAllowInvalidCertificates requires tls=true');
  return 'off';
}

function flag(url: URL, name: string): boolean | undefined {
  const value = parameter(url, name);
  if (value === undefined) return undefined;
  if (value === 'true' || value === 'false') return value === 'true';
  throw new SourceUrlError(`${name} must be true or false`);
}

function refuseOthers({ searchParams }: URL): void {
  const taken = ['authsource', 'tls', 'ssl', 'tlsallowinvalidcertificates', 'tlsinsecure', ...ofOthers];
  for (const name of searchParams.keys()) {
    if (!taken.includes(name.toLowerCase()))
      throw new SourceUrlError(`the URL's parameter "${name}" is not supported: leave it out`);
  }
}
