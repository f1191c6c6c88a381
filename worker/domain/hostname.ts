/**
 * Host names that people give: taken in any script, kept lower-cased in ASCII.
 * The IDNA part (UTS 46, which RFC 5891's names go through) is the platform's own URL parser, https://url.spec.whatwg.org/#host-parsing.
 */
import { getPublicSuffix } from 'tldts';
import { z } from 'zod';

/** RFC 1035, section 2.3.4: 253 characters; the proxy's own DNS zone takes 13 of them (runner/proxy/route-names). */
const hostnameMax = 240;
/** RFC 1123, section 2.1: letters, digits and inner dashes. */
const labelCharacters = /^[a-z0-9-]+$/;
const labelMax = 63;
/** More than any name can be before it is encoded: not worth parsing. */
const textMax = 1_000;

/** What is wrong with a name, as a predicate of its field. */
class Refusal {
  readonly predicate: string;
  constructor(predicate: string) {
    this.predicate = predicate;
  }
}

/** A host name in ASCII of at least two labels, lower-cased; no IP address, no wildcard. */
export const hostnameSchema = z.string().transform(checkedBy(asciiHostname));

/** A host name that somebody can own: no public suffix (https://publicsuffix.org/list/), under which others register theirs. */
export const customHostnameSchema = z.string().transform(checkedBy(ownableHostname));

/** Names that lead to the machine itself, whatever its DNS says (RFC 6761, section 6.3). */
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
  const hostname = asciiHostname(text);
  if (hostname instanceof Refusal) return hostname;
  if (getPublicSuffix(hostname, { allowPrivateDomains: true, validateHostname: false }) === hostname) {
    return new Refusal(`is a public suffix: give a name below it that is yours, such as "shop.${hostname}"`);
  }
  return hostname;
}

function asciiHostname(text: string): string | Refusal {
  const hostname = refusalOfText(text) ?? encoded(text);
  return hostname instanceof Refusal ? hostname : (refusalOfName(hostname) ?? hostname);
}

/** What a URL has and a host name has not; the parser would read it as such, or drop it. */
function refusalOfText(text: string): Refusal | undefined {
  if (text === '') return new Refusal('is empty: give a host name, such as "shop.example.com"');
  if (text.length > textMax) return tooLong;
  if (/[\s\p{Cc}]/u.test(text)) return new Refusal('must hold no spaces and no control characters');
  if (text.includes('*')) return new Refusal('must be no wildcard: add each name by itself');
  if (text.includes('://')) return new Refusal('must be a host name alone: leave out the "https://"');
  if (/[/\\?#]/.test(text)) return new Refusal('must be a host name alone: leave out what follows it');
  if (text.includes('@')) return new Refusal('must be a host name alone: leave out what comes before "@"');
  if (/^\[|:.*:/.test(text)) return ipAddress;
  if (text.includes(':')) return new Refusal('must be a host name alone: leave out the port');
  if (/[.。．｡]$/u.test(text)) return new Refusal('must not end with a dot: leave it out');
  return undefined;
}

/** A last label that makes the parser look: some take a name that is all ASCII as it stands, with whatever `xn--` stands for. */
const foreign = { label: '.ü', encoded: '.xn--tda' };

function encoded(text: string): string | Refusal {
  // The parser would decode `%`.
  const url = text.includes('%') ? null : URL.parse(`http://${text}${foreign.label}/`);
  return url?.hostname.endsWith(foreign.encoded)
    ? url.hostname.slice(0, -foreign.encoded.length)
    : new Refusal('is no valid host name: give letters, digits and dashes, or a name that IDNA allows');
}

function refusalOfName(hostname: string): Refusal | undefined {
  const labels = hostname.split('.');
  // As browsers read it: https://url.spec.whatwg.org/#ends-in-a-number-checker
  if (/^(\d+|0x[\da-f]*)$/.test(labels.at(-1) ?? '')) return ipAddress;
  if (labels.includes('')) return new Refusal('must have a label before and after each dot');
  if (labels.length < 2) return new Refusal('must have at least two labels, such as "shop.example.com"');
  if (labels.some((label) => label.length > labelMax)) {
    return new Refusal(`has a label of more than ${labelMax} characters: shorten it`);
  }
  if (hostname.length > hostnameMax) return tooLong;
  const wrong = labels.find((label) => !labelCharacters.test(label) || /^-|-$/.test(label));
  if (wrong !== undefined) {
    return new Refusal('must be made of letters, digits and inner dashes, with dots between its labels');
  }
  // Reserved (RFC 5890, section 2.3.1), so that no public CA certifies them.
  if (labels.some((label) => /^..--/.test(label) && !label.startsWith('xn--'))) {
    return new Refusal('must have no label with two dashes in its third and fourth place');
  }
  return undefined;
}

const tooLong = new Refusal(`is too long: at most ${hostnameMax} characters`);
const ipAddress = new Refusal('must be a host name, not an IP address');
