/** Slugs: the short names in addresses and host names. Made once, kept through renames. */

/** Leaves room for a number within the 63 characters of a host name's label (RFC 1035, section 2.3.4). */
const slugMax = 50;

/** Lower-case letters, digits and single dashes. @param fallback for names without any letter or digit of ASCII. */
export function slugOf(name: string, fallback: string): string {
  const plain = name
    .normalize('NFKD')
    .replace(/\p{Mark}+/gu, '')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, slugMax)
    .replace(/^-+|-+$/g, '');
  return plain === '' ? fallback : plain;
}

/** `base`, or with the first number from 2 that makes it free. */
export function freeSlug(base: string, taken: ReadonlySet<string>): string {
  let slug = base;
  for (let number = 2; taken.has(slug); number++) slug = `${base}-${number}`;
  return slug;
}
