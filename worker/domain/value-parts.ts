/**
 * What a value of an environment variable is made of: text, and references `${<service>.<VAR>}` or `${VAR}`. `$${` is a literal `${`;
 * any other `${...}` is plain text.
 */

export type ValuePart = { type: 'text'; text: string } | Reference;

export interface Reference {
  type: 'reference';
  /** Slug or name; null: the own one. */
  service: string | null;
  key: string;
  /** As written. */
  text: string;
  /** Percent-encoded where it is put in: a part of a URL. */
  encoded: boolean;
}

/** A service name ends at the last dot, so that it may hold dots itself. */
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

/** The text that leads to a variable of the service with this slug. */
export const referenceTo = (slug: string, key: string) => `\${${slug}.${key}}`;

/** A part of a URL that holds a variable of the own service. */
export function encodedReference(key: string): ValuePart {
  return { type: 'reference', service: null, key, text: `\${${key}}`, encoded: true };
}

/** Everything but RFC 3986's unreserved characters (section 2.3): fits user, password and path of a URL alike. */
export function percentEncoded(text: string): string {
  return encodeURIComponent(text.toWellFormed()).replace(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}
