import { type SQL, sql } from 'drizzle-orm';
import { retryWaitsMs } from '../../domain/alerts/events.ts';

/** The wait after an attempt, in milliseconds, for a row with the counter `attempts`. D1 binds numbers as floats, which JSON paths don't accept. */
const step = sql`cast(min(attempts, ${retryWaitsMs.length - 1}) as integer)`;
export const retryWait: SQL = sql`json_extract(${JSON.stringify(retryWaitsMs)}, '$[' || ${step} || ']')`;
