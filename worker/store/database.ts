import { type DrizzleD1Database, drizzle } from 'drizzle-orm/d1';

/** D1 through drizzle, without drizzle's relational layer: stores write their joins. */
export type Database = DrizzleD1Database;

export function openDatabase(binding: D1Database): Database {
  return drizzle(binding);
}
