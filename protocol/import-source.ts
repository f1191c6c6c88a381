/** Where an import's data comes from, and what is common to the URLs that name it: the control plane refuses them in the words in which the host takes them apart. */

/** Those that are read from a server elsewhere, by its URL. */
export const urlSources = [
  'postgres-url',
  'mysql-url',
  'redis-url',
  'mongodb-url',
  'clickhouse-url',
] as const;
export type UrlSourceKind = (typeof urlSources)[number];

/** `file`: a dump that the user has uploaded. */
export const importSources = [...urlSources, 'file'] as const;
export type ImportSourceKind = (typeof importSources)[number];

/** Why a URL is refused; a sentence for the user, without the URL: it may hold a password. */
export class SourceUrlError extends Error {
  override readonly name = 'SourceUrlError';
}

const urlCharsMax = 4_096;
const hostPattern = /^([a-z0-9]([a-z0-9._-]*[a-z0-9])?\.?|\[[0-9a-f:.]+\])$/i;

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
const bareHost = (host: string) => host.replace(/^\[(.*)\]$/, '$1');

/**
 * Takes a URL apart that names one host.
 * @param protocols with their colon
 * @param example of a URL that is taken, for the sentence of the refusal
 * @throws SourceUrlError
 */
export function parseSourceUrl(text: string, protocols: readonly string[], example: string): URL {
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

/** The name or address to connect to. */
export const hostOf = ({ hostname }: URL) => bareHost(hostname).toLowerCase();

/** A part of a URL as it is meant. @param name of the part, for the refusal @throws SourceUrlError */
export function decoded(part: string, name: string): string {
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
