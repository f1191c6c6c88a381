/**
 * Makes the D1 of this process behave like the hosted one (https://developers.cloudflare.com/d1/platform/limits/): one query at a time, a
 * millisecond each, with a network delay, at most 2 MB per value and 30 s per query. The local D1 itself already refuses more than 100 parameters,
 * 100 KB of text and 100 columns, with the messages of the hosted one.
 */

export interface StrictOptions {
  /** Time that the database spends on each statement, in ms. */
  queryMs?: number;
  /** Round trip between Worker and database, in ms. */
  distanceMs?: number;
  /** How long a query may wait for earlier ones, in ms. */
  queueMs?: number;
}

/** Longest string or blob, in bytes. */
export const valueBytesMax = 2_000_000;
/** Longest query or batch, in ms. */
const queryMsMax = 30_000;
/** https://developers.cloudflare.com/d1/observability/debug-d1/ */
export const refusals = {
  value: 'D1_ERROR: string or blob too big: SQLITE_TOOBIG',
  overloaded: 'D1_ERROR: D1 DB is overloaded. Requests queued for too long.',
  timeout: 'D1_ERROR: D1 DB storage operation exceeded timeout which caused object to be reset.',
};

const defaults = { queryMs: 1, distanceMs: 0, queueMs: 30_000 };
// The real clock: tests replace the global one.
const RealDate = Date;
const startTimer = setTimeout;
const encoder = new TextEncoder();

type Method = (this: object, ...given: unknown[]) => Promise<unknown>;
type Methods = Record<string, Method>;

interface StrictDatabase {
  options: Required<StrictOptions>;
  /** The time at which the database has finished everything requested so far. */
  freeAt: number;
}

/** Stored on D1's class: test files that share a process load this module again, and must not make the class stricter each time. */
const place = Symbol.for('longshore strict D1');

/**
 * From now on every query of the process is strict, in any code: the methods of D1's own classes are replaced.
 * A second call only changes the options.
 */
export function makeStrict(database: D1Database, options: StrictOptions = {}): void {
  const databases: Methods & { [place]?: StrictDatabase } = Object.getPrototypeOf(database);
  const fresh = { options: { ...defaults, ...options }, freeAt: 0 };
  if (databases[place]) {
    Object.assign(databases[place], fresh);
    return;
  }
  databases[place] = fresh;
  const statements = Object.getPrototypeOf(database.prepare('select 1'));
  for (const name of ['first', 'run', 'all', 'raw']) replace(fresh, statements, name, () => 1);
  replace(fresh, databases, 'batch', ([batch]) => (batch as unknown[]).length);
  const { bind } = statements;
  statements.bind = function (this: D1PreparedStatement, ...values: unknown[]) {
    for (const value of values) if (bytesOf(value) > valueBytesMax) throw new Error(refusals.value);
    return bind.apply(this, values);
  };
}

/** @param count the number of statements in the call */
function replace(
  state: StrictDatabase,
  methods: Methods,
  name: string,
  count: (given: unknown[]) => number,
): void {
  const real = methods[name];
  if (!real) throw new Error(`D1 has no method ${name}.`);
  methods[name] = async function (...given) {
    await turn(state, count(given));
    const startedAt = RealDate.now();
    const result = await real.apply(this, given);
    if (RealDate.now() - startedAt > queryMsMax) throw new Error(refusals.timeout);
    return result;
  };
}

/**
 * Waits until the database has time for this query. Uses a clock rather than a chain of promises, because workerd lets no request wait for
 * the promise of another request that may be cancelled.
 */
async function turn(state: StrictDatabase, statements: number): Promise<void> {
  const { queryMs, distanceMs, queueMs } = state.options;
  const now = RealDate.now();
  const waitMs = Math.max(0, state.freeAt - now);
  if (waitMs > queueMs) throw new Error(refusals.overloaded);
  const busyMs = statements * queryMs;
  if (busyMs > queryMsMax) throw new Error(refusals.timeout);
  state.freeAt = now + waitMs + busyMs;
  const totalMs = waitMs + busyMs + distanceMs;
  if (totalMs > 0) await new Promise<void>((resolve) => startTimer(resolve, totalMs));
}

function bytesOf(value: unknown): number {
  if (value instanceof ArrayBuffer || ArrayBuffer.isView(value)) return value.byteLength;
  if (typeof value !== 'string' || value.length * 3 <= valueBytesMax) return 0;
  return encoder.encode(value).length;
}
