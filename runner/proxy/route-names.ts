/**
 * The names under which Caddy looks a route up, and the limits that keep them harmless: they become DNS names and directory names. `edge`
 * loads this file, too, so it imports nothing.
 */

/** A zone that only Caddy's resolver and `edge` know. */
export const edgeZone = 'ls.internal';

/** The zone of questions while a route changes: Caddy caches an answer by its name, and must not use an older one. */
export const switchingZone = 'lss.internal';

/** Lower-case letters, digits, inner dashes, single dots; no empty label, so no `..`; RFC 1123, section 2.1. */
const label = '[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?';
export const hostNamePattern = `${label}(\\.${label})*`;

/** A name must fit into the 253 characters of a DNS name with the longer zone's suffix (RFC 1035, section 2.3.4). */
export const hostNameLengthMax = 240;

const wholeHostName = new RegExp(`^${hostNamePattern}$`);

const isHostName = (name: string) => name.length <= hostNameLengthMax && wholeHostName.test(name);

/** True for `*.example.com`, which stands for all names with one label more than `example.com`, unless another service has them. */
export const isWildcard = (name: string) => name.startsWith('*.');

/** True for a name that a route can have: a host name or a wildcard. */
export const isServedName = (name: string) =>
  isWildcard(name) ? name.length <= hostNameLengthMax && isHostName(name.slice(2)) : isHostName(name);

export const wildcardOf = (name: string) => (name.includes('.') ? `*${name.slice(name.indexOf('.'))}` : '');

/** A name represented by this one: itself, or an example of the names of a wildcard. */
export const sampleOf = (name: string, label = 'longshore-sample') =>
  isWildcard(name) ? label + name.slice(1) : name;

/** The prefix of a wildcard's file. The underscore separates it from every name that a Host header can contain. */
export const wildcardPrefix = '_w.';

export const fileNameOf = (name: string) => (isWildcard(name) ? wildcardPrefix + name.slice(2) : name);

export const nameOfFile = (file: string) =>
  file.startsWith(wildcardPrefix) ? `*.${file.slice(wildcardPrefix.length)}` : file;

/**
 * True for names that no public CA certifies: `localhost`, names below it (RFC 6761, section 6.3), and names of one label. Caddy's own CA
 * certifies them.
 */
export const isLocalName = (name: string) => !name.includes('.') || name.endsWith('.localhost');

/** A host port's route name. The underscore separates it from every name that a Host header can contain. */
export const hostPortName = (port: number | string) => `_p${port}`;

/**
 * The path of a name's certificate in Caddy: certmagic's storage, https://github.com/caddyserver/certmagic.
 * @param directory of one CA, see `issuerDirectory`
 */
export const certificateFile = (directory: string, name: string) => `${directory}/${name}/${name}.crt`;

/** TXT record with the version of edge's current state. */
export const stateRecordName = `_state.${edgeZone}`;
