/** Failures that lie with our statement, not with the store: trying again would not help. */
const ourMistake = /SQLITE_(CONSTRAINT|ERROR|MISMATCH|RANGE|TOOBIG|AUTH)|no such (table|column)/;

/** D1 could not be reached or gave up (overload, reset, lost connection): nothing can be said but "try again". */
export function isStoreFailure(thrown: unknown): boolean {
  for (const message of messagesOf(thrown)) {
    if (/\bD1_|\bD1 DB\b/.test(message)) return !ourMistake.test(message);
  }
  return false;
}

/** The kinds of rules in the schema whose violation says something about the request. */
export type SchemaRule = 'UNIQUE' | 'NOT NULL' | 'FOREIGN KEY' | 'CHECK';

/** Whether a statement failed because it broke a rule of that kind. @param column the one it must be: `table.column` */
export function violates(thrown: unknown, rule: SchemaRule, column = ''): boolean {
  for (const message of messagesOf(thrown)) {
    if (message.includes(`${rule} constraint failed`) && message.includes(column)) return true;
  }
  return false;
}

/** Whether there is a row with this id already. */
export function repeatsId(thrown: unknown): boolean {
  for (const message of messagesOf(thrown)) {
    if (/UNIQUE constraint failed: \w+\.id\b/.test(message)) return true;
  }
  return false;
}

/** drizzle wraps what D1 throws; the reason is in the causes. */
function* messagesOf(thrown: unknown): Generator<string> {
  for (let error = thrown; error instanceof Error; error = error.cause) yield error.message;
}
