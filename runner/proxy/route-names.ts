/**
 * The names under which Caddy looks a route up, and the limits that keep them harmless: they become DNS names and directory names.
 * `edge` loads this file too, so it imports nothing.
 */

/** A zone that only Caddy's resolver and `edge` know. */
export const edgeZone = 'ls.internal';

/** The same names, asked while their route changes: Caddy keeps an answer by its name, and must not use one that it kept before. */
export const switchingZone = 'lss.internal';

/** Lower-case letters, digits, inner dashes, single dots; no empty label, so no `..`; RFC 1123, section 2.1. */
const label = '[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?';
export const hostNamePattern = `${label}(\\.${label})*`;

/** With the longer zone's suffix a name must fit into the 253 characters of a DNS name (RFC 1035, section 2.3.4). */
export const hostNameLengthMax = 240;

const wholeHostName = new RegExp(`^${hostNamePattern}$`);

const isHostName = (name: string) => name.length <= hostNameLengthMax && wholeHostName.test(name);

/** `*.example.com`: it stands for all names that have one label more than `example.com`, unless another service has them. */
export const isWildcard = (name: string) => name.startsWith('*.');

/** A name that a route can have: a host name or a wildcard. */
export const isServedName = (name: string) =>
  isWildcard(name) ? name.length <= hostNameLengthMax && isHostName(name.slice(2)) : isHostName(name);

/** The wildcard that covers this name. */
export const wildcardOf = (name: string) => (name.includes('.') ? `*${name.slice(name.indexOf('.'))}` : '');

/** A name that this one stands for: itself, or any of a wildcard. */
export const sampleOf = (name: string, label = 'longshore-sample') =>
  isWildcard(name) ? label + name.slice(1) : name;

/** Begins the file of a wildcard. The underscore separates it from every name that a Host header can contain. */
export const wildcardPrefix = '_w.';

/** What a file is called that belongs to this name. */
export const fileNameOf = (name: string) => (isWildcard(name) ? wildcardPrefix + name.slice(2) : name);

/** The name that a file is called for. */
export const nameOfFile = (file: string) =>
  file.startsWith(wildcardPrefix) ? `*.${file.slice(wildcardPrefix.length)}` : file;

/**
 * Names that no public CA certifies: `localhost`, names below it (RFC 6761, section 6.3), and names of one label. Caddy's own CA
 * certifies them.
 */
export const isLocalName = (name: string) => !name.includes('.') || name.endsWith('.localhost');

/** A host port's route name. The underscore separates it from every name that a Host header can contain. */
export const hostPortName = (port: number | string) => `_p${port}`;

/**
 * Where Caddy keeps a name's certificate: certmagic's storage, https://github.com/caddyserver/certmagic.
 * @param directory of one CA, see `issuerDirectory`
 */
export const certificateFile = (directory: string, name: string) => `${directory}/${name}/${name}.crt`;

/** TXT record with the version of the state that `edge` answers from. */
export const stateRecordName = `_state.${edgeZone}`;
