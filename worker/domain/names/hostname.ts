/**
 * Validates host names from users: any script is accepted, and the result is lower-case ASCII.
 * IDNA (UTS 46, which applies to RFC 5891 names) is done by the platform's URL parser, https://url.spec.whatwg.org/#host-parsing.
 */
import { getPublicSuffix } from 'tldts';
import { z } from 'zod';

/** 253 characters (RFC 1035, section 2.3.4) minus 13 for the proxy's own DNS zone (runner/proxy/route-names). */
const hostnameMax = 240;
const wildcard = '*.';
/** RFC 1123, section 2.1: letters, digits and inner dashes. */
const labelCharacters = /^[a-z0-9-]+$/;
const labelMax = 63;
/** Longer than any valid name before encoding, so not worth parsing. */
const textMax = 1_000;

/** The problem of a name, as a predicate of its field. */
class Refusal {
  readonly predicate: string;
  constructor(predicate: string) {
    this.predicate = predicate;
  }
}

/** An ASCII host name with at least two labels, lower-cased; no IP address, no wildcard. */
export const hostnameSchema = z.string().transform(checkedBy(asciiHostname)).pipe(z.string());

/**
 * A host name that a person can own: not a public suffix (https://publicsuffix.org/list/), below which other people register
 * names. `*.` before such a name is allowed.
 */
export const customHostnameSchema = z.string().transform(checkedBy(ownableHostname)).pipe(z.string());

/** A name of a service: a `customHostnameSchema` name or a name of the instance. */
export const servedNameSchema = z.string().transform(checkedBy(asciiServedName)).pipe(z.string());

/** `*.example.com` matches all names with one label more than `example.com`. */
export const isWildcard = (hostname: string) => hostname.startsWith(wildcard);

/** The name itself, or for a wildcard the name after `*.`. */
export const withoutWildcard = (hostname: string) =>
  isWildcard(hostname) ? hostname.slice(wildcard.length) : hostname;

/** Names that always resolve to the machine itself (RFC 6761, section 6.3). */
export function isLocalName(hostname: string): boolean {
  return hostname.endsWith('.localhost');
}

function checkedBy(check: (text: string) => string | Refusal) {
  return (text: string, context: z.RefinementCtx): string => {
    const checked = check(text);
    if (typeof checked === 'string') return checked;
    context.addIssue({ code: 'custom', message: checked.predicate });
    return z.NEVER;
  };
}

function ownableHostname(text: string): string | Refusal {
  const served = asciiServedName(text);
  if (served instanceof Refusal) return served;
  const hostname = withoutWildcard(served);
  if (getPublicSuffix(hostname, { allowPrivateDomains: true, validateHostname: false }) === hostname) {
    return new Refusal(`is a public suffix: give your own name below it, such as "shop.${hostname}"`);
  }
  return served;
}

/** A name copied from the address bar of a browser: its scheme and the slash at its end say nothing more. */
const copiedFromBrowser = /^https?:\/\/([^/]*)\/?$|^([^/]*)\/$/i;

function asciiServedName(copied: string): string | Refusal {
  const [, address, withSlash] = copiedFromBrowser.exec(copied) ?? [];
  const text = address ?? withSlash ?? copied;
  if (!isWildcard(text)) return asciiHostname(text);
  const hostname = asciiHostname(withoutWildcard(text));
  if (hostname instanceof Refusal) return hostname;
  return hostname.length + wildcard.length > hostnameMax ? tooLong : wildcard + hostname;
}

function asciiHostname(text: string): string | Refusal {
  const hostname = refusalOfText(text) ?? encoded(text);
  return hostname instanceof Refusal ? hostname : (refusalOfName(hostname) ?? hostname);
}

/** Refuses parts of a URL that a host name can't have, because the URL parser would accept or drop them. */
function refusalOfText(text: string): Refusal | undefined {
  if (text === '') return new Refusal('is empty: give a host name, such as "shop.example.com"');
  if (text.length > textMax) return tooLong;
  if (/[\s\p{Cc}]/u.test(text)) return new Refusal("can't have spaces or control characters");
  if (text.includes('*')) {
    return new Refusal('can have a wildcard only as its whole first label, such as "*.example.com"');
  }
  if (text.includes('://')) return new Refusal('must be only a host name: leave out the "https://"');
  if (/[/\\?#]/.test(text)) return new Refusal('must be only a host name: leave out the path');
  if (text.includes('@'))
    return new Refusal('must be only a host name: leave out "@" and what comes before it');
  if (/^\[|:.*:/.test(text)) return ipAddress;
  if (text.includes(':')) return new Refusal('must be only a host name: leave out the port');
  if (/[.。．｡]$/u.test(text)) return new Refusal('must not end with a dot: leave it out');
  return undefined;
}

/** An extra label that forces IDNA processing: some parsers return an all-ASCII name unchecked, whatever its `xn--` labels contain. */
const foreign = { label: '.ü', encoded: '.xn--tda' };

function encoded(text: string): string | Refusal {
  // The parser would decode `%`.
  const url = text.includes('%') ? null : URL.parse(`http://${text}${foreign.label}/`);
  return url?.hostname.endsWith(foreign.encoded)
    ? url.hostname.slice(0, -foreign.encoded.length)
    : new Refusal('is not a valid host name: use letters, digits and dashes, or a name that IDNA allows');
}

function refusalOfName(hostname: string): Refusal | undefined {
  const labels = hostname.split('.');
  // The same check as in browsers: https://url.spec.whatwg.org/#ends-in-a-number-checker
  if (/^(\d+|0x[\da-f]*)$/.test(labels.at(-1) ?? '')) return ipAddress;
  if (labels.includes('')) return new Refusal('must have a label before and after each dot');
  if (labels.length < 2) return new Refusal('must have at least two labels, such as "shop.example.com"');
  if (labels.some((label) => label.length > labelMax)) {
    return new Refusal(`has a label of more than ${labelMax} characters: shorten it`);
  }
  if (hostname.length > hostnameMax) return tooLong;
  const wrong = labels.find((label) => !labelCharacters.test(label) || /^-|-$/.test(label));
  if (wrong !== undefined) {
    return new Refusal('must consist of letters, digits and inner dashes, with dots between its labels');
  }
  // Reserved (RFC 5890, section 2.3.1): no public CA issues certificates for them.
  if (labels.some((label) => /^..--/.test(label) && !label.startsWith('xn--'))) {
    return new Refusal("can't have a label with dashes as its third and fourth characters");
  }
  return undefined;
}

const tooLong = new Refusal(`is too long: at most ${hostnameMax} characters`);
const ipAddress = new Refusal('must be a host name, not an IP address');
