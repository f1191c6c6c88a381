/** Chooses the databases that a backup contains. */
import type pg from 'pg';
import type { DataPlace } from '../../archive/archive.ts';
import { databaseOf, userOf } from '../client-config.ts';
import type { DatabaseFacts } from './database-facts.ts';
import { type Extension, readExtensions } from './extensions.ts';
import { hasObjects } from './left-out/not-kept.ts';
import type { SavedDatabase } from './manifest.ts';
import { withClient } from './with-client.ts';

/** The comment that `initdb` gives to the database `postgres`. */
const initialComment = 'default administrative connection database';

/**
 * The service's own database first. The database `postgres` is left out if it is as `initdb` and the image have made it.
 * @param ofTemplate extensions that the image puts into each database
 */
export async function chooseDatabases(
  place: DataPlace,
  all: readonly DatabaseFacts[],
  ofTemplate: readonly Extension[],
): Promise<SavedDatabase[]> {
  const own = databaseOf(place.env);
  const isGiven = ({ name }: Extension) => ofTemplate.some((each) => each.name === name);
  const saved: SavedDatabase[] = [];
  for (const facts of [...all].sort((one, other) => Number(other.name === own) - Number(one.name === own))) {
    const [extensions, isUsed] = await withClient(place, facts.name, async (client) => {
      const found = await readExtensions(client);
      const isChanged =
        facts.name !== 'postgres' ||
        hasProperties(facts, userOf(place.env)) ||
        !found.every(isGiven) ||
        (await holdsObjects(client));
      return [found, isChanged] as const;
    });
    if (isUsed || facts.name === own) saved.push({ ...facts, extensions });
  }
  return saved;
}

const hasProperties = (facts: DatabaseFacts, user: string) =>
  facts.settings.length > 0 ||
  facts.grants !== null ||
  facts.labels.length > 0 ||
  facts.connectionLimit !== -1 ||
  facts.isTemplate ||
  facts.owner !== user ||
  facts.comment !== initialComment;

async function holdsObjects(client: pg.Client): Promise<boolean> {
  const { rows } = await client.query(`SELECT 1 WHERE ${hasObjects}`);
  return rows.length > 0;
}
