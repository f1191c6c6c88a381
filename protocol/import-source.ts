/** URLs of databases that an import reads: what the control plane refuses at once and the host takes apart are the same words. */

export const importSources = ['postgres-url'] as const;
export type ImportSourceKind = (typeof importSources)[number];

/** Why a URL is refused; a sentence for the user, without the URL: it may hold a password. */
export class SourceUrlError extends Error {
  override readonly name = 'SourceUrlError';
}

/** How the connection is encrypted, in libpq's words; `prefer`: when the server can. */
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

const urlCharsMax = 4_096;
const hostPattern = /^([a-z0-9]([a-z0-9._-]*[a-z0-9])?\.?|\[[0-9a-f:.]+\])$/i;

/**
 * https://www.postgresql.org/docs/17/libpq-connect.html, "Connection URIs": of its parameters those alone that choose no other server.
 * @throws SourceUrlError
 */
export function parsePostgresUrl(text: string): PostgresSource {
  const url = parsed(text, ['postgres:', 'postgresql:'], 'postgres://user:password@host:5432/database');
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
export const labelOfSource = ({ host, database }: PostgresSource) => `${host}/${database}`;

/** What must never be shown: the URL itself, and its password as written and as meant. */
export function secretsOfSource(text: string): string[] {
  try {
    const { password } = new URL(text);
    return [text, password, decoded(password, 'password')].filter((secret) => secret !== '');
  } catch {
    return [text];
  }
}

/** The host as a resolver takes it: an address without brackets. */
export const bareHost = (host: string) => host.replace(/^\[(.*)\]$/, '$1');

function parsed(text: string, protocols: readonly string[], example: string): URL {
  if (text.length > urlCharsMax)
    throw new SourceUrlError(`the URL has ${text.length} characters; at most ${urlCharsMax} are taken`);
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is refused
  if (/[\u0000-\u0020\u007f]/.test(text))
    throw new SourceUrlError('the URL holds a blank or a control character: percent-encode it');
  const url = URL.parse(text);
  if (!url || !protocols.includes(url.protocol))
    throw new SourceUrlError(
      `this is no URL of the form ${example}; special characters in it are percent-encoded`,
    );
  if (url.hash !== '' || text.includes('#'))
    throw new SourceUrlError('the URL has a fragment: write "#" as %23');
  if (!hostPattern.test(url.hostname))
    throw new SourceUrlError('the URL names no host, or not one host alone, by its name or address');
  return url;
}

/** Connection poolers and ORMs add words of their own: better refused by name than guessed. */
function parametersOf(url: URL): { tls: PostgresTlsMode } {
  let tls: PostgresTlsMode = 'prefer';
  for (const [name, value] of url.searchParams) {
    if (name !== 'sslmode')
      throw new SourceUrlError(`the URL's parameter "${name}" is not supported: leave it out`);
    const mode = postgresTlsModes.find((one) => one === value);
    if (!mode) throw new SourceUrlError(`sslmode is one of ${postgresTlsModes.join(', ')}`);
    tls = mode;
  }
  return { tls };
}

const hostOf = ({ hostname }: URL) => bareHost(hostname).toLowerCase();

function decoded(part: string, name: string): string {
  const text = decodeOrUndefined(part);
  if (text === undefined) throw new SourceUrlError(`the URL's ${name} is not percent-encoded UTF-8`);
  if (text.includes('\0')) throw new SourceUrlError(`the URL's ${name} holds a zero byte`);
  return text;
}

function decodeOrUndefined(part: string): string | undefined {
  try {
    return decodeURIComponent(part);
  } catch {
    return undefined;
  }
}
