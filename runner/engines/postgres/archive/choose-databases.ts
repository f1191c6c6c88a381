/** Chooses the databases that a backup contains. */
import type pg from 'pg';
import type { DataPlace } from '../../archive/archive.ts';
import { databaseOf, userOf } from '../client-config.ts';
import type { DatabaseFacts } from './database-facts.ts';
import { type Extension, readExtensions } from './extensions.ts';
import { hasObjects } from './left-out/not-kept.ts';
import type { SavedDatabase } from './manifest.ts';
import { withClient } from './with-client.ts';

/** The number of databases that are examined together. */
const connectionsMax = 16;
/** The comment that `initdb` gives to the database `postgres`. */
const initialComment = 'default administrative connection database';

/**
 * The service's own database first. The database `postgres` is left out if it is unchanged since `initdb` and the image created it.
 * @param ofTemplate extensions that the image puts into each database
 */
export async function chooseDatabases(
  place: DataPlace,
  all: readonly DatabaseFacts[],
  ofTemplate: readonly Extension[],
): Promise<SavedDatabase[]> {
  const own = databaseOf(place.env);
  const isGiven = ({ name }: Extension) => ofTemplate.some((each) => each.name === name);
  const sorted = [...all].sort((one, other) => Number(other.name === own) - Number(one.name === own));
  const chosen: SavedDatabase[] = [];
  for (let from = 0; from < sorted.length; from += connectionsMax) {
    const looked = sorted.slice(from, from + connectionsMax).map((facts) =>
      withClient(place, facts.name, async (client) => {
        const extensions = await readExtensions(client);
        const isUsed =
          facts.name === own ||
          facts.name !== 'postgres' ||
          hasProperties(facts, userOf(place.env)) ||
          !extensions.every(isGiven) ||
          (await holdsObjects(client));
        return isUsed ? [{ ...facts, extensions }] : [];
      }),
    );
    chosen.push(...(await Promise.all(looked)).flat());
  }
  return chosen;
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
