/**
 * The parts of an environment variable's value: text, and references `${<service>.<VAR>}` or `${VAR}`. `$${` is a literal `${`; any other
 * `${...}` is plain text.
 */

export type ValuePart = { type: 'text'; text: string } | Reference;

export interface Reference {
  type: 'reference';
  /** Slug or name of the service; `null` for the service itself. */
  service: string | null;
  key: string;
  /** The reference as written. */
  text: string;
  /** Whether to percent-encode the inserted value, because it is part of a URL. */
  encoded: boolean;
}

/** The service name ends at the last dot, so it may contain dots. */
const token = /\$\$\{|\$\{(?:([^{}$]+)\.)?([A-Z_][A-Z0-9_]*)\}/g;

/** Splits a value at its references. */
export function parseValue(value: string): ValuePart[] {
  const parts: ValuePart[] = [];
  let end = 0;
  for (const match of value.matchAll(token)) {
    if (match.index > end) parts.push({ type: 'text', text: value.slice(end, match.index) });
    const [text, service, key] = match;
    parts.push(
      key === undefined
        ? { type: 'text', text: '${' }
        : { type: 'reference', service: service ?? null, key, text, encoded: false },
    );
    end = match.index + text.length;
  }
  if (end < value.length) parts.push({ type: 'text', text: value.slice(end) });
  return parts;
}

export const hasReference = (value: string) => parseValue(value).some(({ type }) => type === 'reference');

/** A reference to a variable of the service with this slug. */
export const referenceTo = (slug: string, key: string) => `\${${slug}.${key}}`;

/** A reference to a variable of the service itself, for use inside a URL. */
export function encodedReference(key: string): ValuePart {
  return { type: 'reference', service: null, key, text: `\${${key}}`, encoded: true };
}

/** Encodes everything except RFC 3986's unreserved characters (section 2.3), which is safe in the user, password and path of a URL. */
export function percentEncoded(text: string): string {
  return encodeURIComponent(text.toWellFormed()).replace(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}
