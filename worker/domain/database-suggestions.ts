/** Variables of a project's databases that a service may want: offered as references, ready to be pasted. */
import { databaseEngines } from './database-engines.ts';
import { derivedVariables } from './database-variables.ts';
import type { Peer } from './peers.ts';
import { referenceTo } from './value-parts.ts';

export interface DatabaseSuggestion {
  /** For the variable that takes it. */
  key: string;
  value: string;
  label: string;
}

interface Offer {
  slug: string;
  /** Of the database. */
  key: string;
  label: string;
}

/**
 * What the databases offer: first of each its URLs, then the parts of them. References are by slug, which always leads there; a key is
 * the variable's own name, with the slug before it where two databases offer the same.
 * @param stored keys of the variables that each service has, by its id
 */
export function databaseSuggestions(
  peers: readonly Peer[],
  stored: ReadonlyMap<string, ReadonlySet<string>>,
): DatabaseSuggestion[] {
  const offers = peers.flatMap((peer) => offersOf(peer, stored.get(peer.id) ?? new Set()));
  const taken = new Set<string>();
  return offers.map(({ slug, key, label }) => {
    const isShared = offers.some((other) => other.key === key && other.slug !== slug);
    const free = freeKey(isShared ? `${keyPrefix(slug)}_${key}` : key, taken);
    taken.add(free);
    return { key: free, value: referenceTo(slug, key), label };
  });
}

function offersOf({ slug, name, database }: Peer, stored: ReadonlySet<string>): Offer[] {
  if (!database) return [];
  const { title, variables } = databaseEngines[database.engine];
  const own = variables.filter(({ key, connects }) => connects && stored.has(key));
  return [...derivedVariables(database), ...own].map(({ key, label }) => ({
    slug,
    key,
    label: `${label} of ${name} (${title})`,
  }));
}

/** Slugs hold lower-case letters, digits and dashes; a key does not begin with a digit. */
function keyPrefix(slug: string): string {
  return slug
    .toUpperCase()
    .replaceAll('-', '_')
    .replace(/^(?=\d)/, '_');
}

function freeKey(wanted: string, taken: ReadonlySet<string>): string {
  let key = wanted;
  for (let number = 2; taken.has(key); number++) key = `${wanted}_${number}`;
  return key;
}
