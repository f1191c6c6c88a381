/** Suggests variables of a project's databases to its services, as references that are ready to paste. */
import { databaseEngines } from '../databases/database-engines.ts';
import { derivedVariables } from '../databases/database-variables.ts';
import { referenceTo } from '../values/value-parts.ts';
import type { ProjectService } from './project-services.ts';

export interface DatabaseSuggestion {
  /** Suggested name of the new variable. */
  key: string;
  value: string;
  label: string;
}

interface Offer {
  slug: string;
  /** The variable of the database. */
  key: string;
  label: string;
}

/**
 * Lists the variables of the databases: for each its URLs first, then the others. References use the slug, which is unambiguous. The
 * suggested key is the variable's own name, prefixed with the slug if several databases offer the same name.
 * @param stored keys of the variables that each service has, by service id
 */
export function databaseSuggestions(
  services: readonly ProjectService[],
  stored: ReadonlyMap<string, ReadonlySet<string>>,
): DatabaseSuggestion[] {
  const offers = services.flatMap((service) => offersOf(service, stored.get(service.id) ?? new Set()));
  const taken = new Set<string>();
  return offers.map(({ slug, key, label }) => {
    const isShared = offers.some((other) => other.key === key && other.slug !== slug);
    const free = freeKey(isShared ? `${keyPrefix(slug)}_${key}` : key, taken);
    taken.add(free);
    return { key: free, value: referenceTo(slug, key), label };
  });
}

function offersOf({ slug, name, database }: ProjectService, stored: ReadonlySet<string>): Offer[] {
  if (!database) return [];
  const { title, variables } = databaseEngines[database.engine];
  const own = variables.filter(({ key, connects }) => connects && stored.has(key));
  return [...derivedVariables(database), ...own].map(({ key, label }) => ({
    slug,
    key,
    label: `${label} of ${name} (${title})`,
  }));
}

/** Slugs consist of lower-case letters, digits and dashes; a key can't start with a digit. */
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
