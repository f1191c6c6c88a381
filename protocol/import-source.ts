/** Sources of imports, and rules common to their URLs. Control plane and host share the parsers, so both refuse a URL with the same sentence. */

/** Sources that are read from another server, by its URL. */
export const urlSources = [
  'postgres-url',
  'mysql-url',
  'redis-url',
  'mongodb-url',
  'clickhouse-url',
] as const;
export type UrlSourceKind = (typeof urlSources)[number];

/** `file`: a dump file that the user has uploaded. */
export const importSources = [...urlSources, 'file'] as const;
export type ImportSourceKind = (typeof importSources)[number];

/** Why a URL is refused: a sentence for the user. It never contains the URL, which may contain a password. */
export class SourceUrlError extends Error {
  override readonly name = 'SourceUrlError';
}

const urlCharsMax = 4_096;
const hostPattern = /^([a-z0-9]([a-z0-9._-]*[a-z0-9])?\.?|\[[0-9a-f:.]+\])$/i;

/** The secrets in a URL: the URL itself, and its password, as written and decoded. */
export function secretsOfSource(text: string): string[] {
  try {
    const { password } = new URL(text);
    return [text, password, decoded(password, 'password')].filter((secret) => secret !== '');
  } catch {
    return [text];
  }
}

/** The host in the form that a resolver needs: an IPv6 address without brackets. */
const bareHost = (host: string) => host.replace(/^\[(.*)\]$/, '$1');

/**
 * Parses a URL with a single host.
 * @param protocols including the colon
 * @param example of a valid URL, for the error sentence
 * @throws SourceUrlError
 */
export function parseSourceUrl(text: string, protocols: readonly string[], example: string): URL {
  if (text.length > urlCharsMax)
    throw new SourceUrlError(`the URL has ${text.length} characters, but at most ${urlCharsMax} are allowed`);
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the check refuses them
  if (/[\u0000-\u0020\u007f]/.test(text))
    throw new SourceUrlError('the URL contains a space or a control character: percent-encode it');
  const url = URL.parse(text);
  if (!url || !protocols.includes(url.protocol))
    throw new SourceUrlError(
      `the URL must have the form ${example}, with special characters percent-encoded`,
    );
  if (url.hash !== '' || text.includes('#'))
    throw new SourceUrlError('the URL has a fragment: write "#" as %23');
  if (!hostPattern.test(url.hostname))
    throw new SourceUrlError('the URL must contain exactly one host, as a name or an address');
  return url;
}

/** The host name or address for the connection. */
export const hostOf = ({ hostname }: URL) => bareHost(hostname).toLowerCase();

/** Decodes a part of a URL. @param name of the part, for the error sentence @throws SourceUrlError */
export function decoded(part: string, name: string): string {
  const text = decodeOrUndefined(part);
  if (text === undefined) throw new SourceUrlError(`the URL's ${name} is not percent-encoded UTF-8`);
  if (text.includes('\0')) throw new SourceUrlError(`the URL's ${name} contains a zero byte`);
  return text;
}

function decodeOrUndefined(part: string): string | undefined {
  try {
    return decodeURIComponent(part);
  } catch {
    return undefined;
  }
}
