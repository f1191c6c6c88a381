/** Errors of the instance's own statements, which a retry would not fix. */
const statementError = /SQLITE_(CONSTRAINT|ERROR|MISMATCH|RANGE|TOOBIG|AUTH)|no such (table|column)/;

/** D1 could not be reached or gave up (overload, reset, lost connection), so the request can be retried. */
export function isStoreFailure(thrown: unknown): boolean {
  for (const message of messagesOf(thrown)) {
    if (/\bD1_|\bD1 DB\b/.test(message)) return !statementError.test(message);
  }
  return false;
}

/** Kinds of schema rules whose violation is caused by the request. */
export type SchemaRule = 'UNIQUE' | 'NOT NULL' | 'FOREIGN KEY' | 'CHECK';

/** Whether a statement failed because it violated a rule of this kind. @param column as `table.column`; default: any */
export function violates(thrown: unknown, rule: SchemaRule, column = ''): boolean {
  for (const message of messagesOf(thrown)) {
    if (message.includes(`${rule} constraint failed`) && message.includes(column)) return true;
  }
  return false;
}

/** Whether an insert failed because its id already exists. */
export function repeatsId(thrown: unknown): boolean {
  for (const message of messagesOf(thrown)) {
    if (/UNIQUE constraint failed: \w+\.id\b/.test(message)) return true;
  }
  return false;
}

/** The messages of all causes, because drizzle wraps D1's errors. */
function* messagesOf(thrown: unknown): Generator<string> {
  for (let error = thrown; error instanceof Error; error = error.cause) yield error.message;
}
