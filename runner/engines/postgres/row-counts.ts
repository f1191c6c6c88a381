/** Counts the rows of a relation: exactly up to a limit, beyond which no count reads; above it, an estimate is used. */
import pg from 'pg';
import type { EngineError } from '../engine-error.ts';
import { type Relation, sqlName } from './catalog.ts';
import type { Connections } from './connections.ts';

/** Counts above this are estimated. */
const exactMax = 100_000;
/** The cost, in the planner's units, above which a view is estimated. A scan of 100,000 narrow rows costs about 2,000. */
const viewCostMax = 50_000;
/** Relations counted in one statement. Each takes at least one lock, and the server has 6,400 by default. */
const batchSize = 100;
/** The limit for all counts of a list together. Relations that are not counted by then are estimated. */
const listTimeoutMs = 10_000;
/** A list need not be exact when others are using the tables: the longest wait for a lock, and the longest count. */
const listSettings = "SET LOCAL lock_timeout = '300ms'; SET LOCAL statement_timeout = '3s'";

export type Counts = Map<Relation, number>;

/** Counts for a list: a view that fails, or a table that a migration has locked, is estimated and doesn't stop the other counts. */
export async function countAll(connections: Connections, relations: Relation[]): Promise<Counts> {
  const deadline = Date.now() + listTimeoutMs;
  const counts: Counts = new Map();
  const count = (batch: Relation[]) =>
    connections.reading(async (client) => {
      const [, counted] = await Promise.all([client.query(listSettings), countIn(client, batch)]);
      return counted;
    });
  const add = (counted: Counts) => counted.forEach((rows, relation) => void counts.set(relation, rows));
  for (const batch of batches(relations)) {
    await count(batch).then(add, async (error: EngineError) => {
      if (!(error.cause instanceof pg.DatabaseError)) throw error;
      for (const one of batch) {
        if (Date.now() > deadline) counts.set(one, one.estimate ?? 0);
        else await count([one]).then(add, () => void counts.set(one, one.estimate ?? 0));
      }
    });
  }
  return counts;
}

/** Counts one relation, in the transaction that reads its rows. */
export async function countOne(client: pg.Client, relation: Relation): Promise<number> {
  return (await countIn(client, [relation])).get(relation) ?? 0;
}

async function countIn(client: pg.Client, relations: Relation[]): Promise<Counts> {
  const large = await Promise.all(relations.map((relation) => tooManyToCount(client, relation)));
  const counts: Counts = new Map();
  relations.forEach((relation, place) => {
    const rows = large[place];
    if (rows !== undefined) counts.set(relation, rows);
  });
  const counted = await boundedCounts(
    client,
    relations.filter((relation) => !counts.has(relation)),
  );
  await Promise.all(
    counted.map(async ([relation, rows]) => {
      const isWhole = rows <= exactMax;
      counts.set(relation, isWhole ? rows : Math.max(rows, (await planned(client, relation)).rows));
    }),
  );
  return counts;
}

/** An estimate if there are too many rows to count, or if a view is too expensive; `undefined` to count the rows. */
async function tooManyToCount(client: pg.Client, relation: Relation): Promise<number | undefined> {
  const { kind, estimate } = relation;
  if (kind === 'v' || kind === 'f') {
    const { rows, cost } = await planned(client, relation);
    return cost > viewCostMax ? rows : undefined;
  }
  return estimate !== null && estimate > exactMax ? estimate : undefined;
}

async function boundedCounts(client: pg.Client, relations: Relation[]): Promise<[Relation, number][]> {
  if (relations.length === 0) return [];
  const counts = relations.map(
    (relation, place) =>
      `SELECT ${place} AS place, count(*)::float8 AS rows FROM (SELECT FROM ${sqlName(relation)} LIMIT ${exactMax + 1}) AS bounded`,
  );
  const { rows } = await client.query<{ place: number; rows: number }>(counts.join(' UNION ALL '));
  const byPlace = new Map(rows.map((row) => [row.place, row.rows]));
  return relations.map((relation, place) => [relation, byPlace.get(place) ?? 0]);
}

/** The planner's estimate. It uses the size on disk, so it also works for a table that was never analysed. */
async function planned(client: pg.Client, relation: Relation): Promise<{ rows: number; cost: number }> {
  const { rows } = await client.query(`EXPLAIN (FORMAT JSON) SELECT FROM ${sqlName(relation)}`);
  const plan = rows[0]['QUERY PLAN'][0].Plan;
  return { rows: plan['Plan Rows'], cost: plan['Total Cost'] };
}

function batches(relations: Relation[]): Relation[][] {
  const count = Math.ceil(relations.length / batchSize);
  return Array.from({ length: count }, (_, index) =>
    relations.slice(index * batchSize, (index + 1) * batchSize),
  );
}
