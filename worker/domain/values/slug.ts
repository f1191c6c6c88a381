/** Slugs: short names for URLs and host names. They are set at creation and survive renames. */

/** Leaves room for a number within the 63 characters of a DNS label (RFC 1035, section 2.3.4). */
const slugMax = 50;

/** Lower-case letters, digits and single dashes. @param fallback for names without ASCII letters or digits */
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

/** `base`, or with the first free number from 2 if `base` is taken. */
export function freeSlug(base: string, taken: ReadonlySet<string>): string {
  let slug = base;
  for (let number = 2; taken.has(slug); number++) slug = `${base}-${number}`;
  return slug;
}
