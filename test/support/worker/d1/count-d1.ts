/** Reports what each round trip to D1 read and wrote, as the platform bills it: index entries are rows too. */
export interface TripUse {
  rowsRead: number;
  rowsWritten: number;
  /** Size of the database afterwards. */
  bytesStored: number;
}

interface Answer {
  meta?: { rows_read?: number; rows_written?: number; size_after?: number };
}
type Send = (this: object, ...given: unknown[]) => Promise<Answer | Answer[]>;

const counted = new WeakSet<object>();

/**
 * Counts every query of the process from now on, by any code. Only D1's own session sees the rows of `raw` and `first`, so its method
 * is replaced.
 * @throws Error if D1 no longer has that method
 */
export function countD1(database: D1Database, onTrip: (use: TripUse) => void): void {
  const statement = database.prepare('select 1') as unknown as { dbSession: object };
  const owner = ownerOf(statement.dbSession, '_send');
  if (counted.has(owner)) return;
  counted.add(owner);
  const real = (owner as { _send: Send })._send;
  (owner as { _send: Send })._send = async function (...given) {
    const answer = await real.apply(this, given);
    const metas = [answer].flat().map(({ meta }) => meta ?? {});
    onTrip({
      rowsRead: metas.reduce((sum, meta) => sum + (meta.rows_read ?? 0), 0),
      rowsWritten: metas.reduce((sum, meta) => sum + (meta.rows_written ?? 0), 0),
      bytesStored: metas.at(-1)?.size_after ?? 0,
    });
    return answer;
  };
}

function ownerOf(instance: object, method: string): object {
  for (let one = instance; one; one = Object.getPrototypeOf(one)) if (Object.hasOwn(one, method)) return one;
  throw new Error(`D1's session has no method ${method}: what it reads can't be counted.`);
}
