/** Counts the rows of a relation: exactly up to a limit, beyond which no count reads; above it, the storage engine's estimate is used. */
import type { EngineError } from '../engine-error.ts';
import type { MysqlConnection } from './mysql-connection.ts';
import { type Relation, sqlName } from './names.ts';

/** Counts above this are estimated. */
const exactMax = 100_000;
/** InnoDB's estimate may be wrong by half. A table with a higher estimate is not counted at all. */
const countedMax = 2 * exactMax;
/** Relations counted in one statement. */
const batchSize = 50;
/** A view may compute for a long time before its first row. */
const viewMs = 2_000;

export type Counts = Map<Relation, number>;

/**
 * A relation that fails or is locked keeps its estimate and doesn't stop the other counts. A view that fails or takes too long counts as 0.
 */
export async function countAll(connection: MysqlConnection, relations: Relation[]): Promise<Counts> {
  const counts: Counts = new Map();
  const counted = relations.filter(({ isView, estimate }) => !isView && (estimate ?? 0) <= countedMax);
  const batches = [...inBatches(counted), ...relations.filter(({ isView }) => isView).map((view) => [view])];
  for (const relation of relations) counts.set(relation, relation.estimate ?? 0);
  for (const batch of batches) {
    const isCounted = await tried(countInto(counts, connection, batch));
    if (isCounted || batch.length === 1) continue;
    for (const relation of batch) await tried(countInto(counts, connection, [relation]));
  }
  return counts;
}

/** @returns true if the count succeeded. @throws EngineError when the server no longer answers */
function tried(count: Promise<void>): Promise<boolean> {
  return count.then(
    () => true,
    (error: EngineError) => {
      if (error.code === 'unavailable') throw error;
      return false;
    },
  );
}

/** Counts one relation, in the transaction that reads its rows. */
export async function countOne(connection: MysqlConnection, relation: Relation): Promise<number> {
  return (await countAll(connection, [relation])).get(relation) ?? 0;
}

async function countInto(counts: Counts, connection: MysqlConnection, relations: Relation[]): Promise<void> {
  const limit = relations.some(({ isView }) => isView) ? `/*+ MAX_EXECUTION_TIME(${viewMs}) */` : '';
  const parts = relations.map(
    (relation, place) =>
      `SELECT ${place === 0 ? limit : ''} ${place}, (SELECT COUNT(*) FROM (SELECT 1 FROM ${sqlName(relation)} LIMIT ${exactMax + 1}) AS some)`,
  );
  const { rows } = await connection.run(parts.join(' UNION ALL '));
  for (const [place, count] of rows) {
    const relation = relations[Number(place)];
    if (!relation) continue;
    const exact = Number(count);
    counts.set(relation, exact > exactMax ? Math.max(exact, relation.estimate ?? 0) : exact);
  }
}

function inBatches(relations: Relation[]): Relation[][] {
  const count = Math.ceil(relations.length / batchSize);
  return Array.from({ length: count }, (_, at) => relations.slice(at * batchSize, (at + 1) * batchSize));
}
