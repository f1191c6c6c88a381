/** Failures that lie with our statement, not with the store: trying again would not help. */
const ourMistake = /SQLITE_(CONSTRAINT|ERROR|MISMATCH|RANGE|TOOBIG|AUTH)|no such (table|column)/;

/** D1 could not be reached or gave up (overload, reset, lost connection): nothing can be said but "try again". */
export function isStoreFailure(thrown: unknown): boolean {
  for (const message of messagesOf(thrown)) {
    if (/\bD1_|\bD1 DB\b/.test(message)) return !ourMistake.test(message);
  }
  return false;
}

/** @returns the violated unique columns (`services.runner_id, services.host_port`), null for any other failure. */
export function violatedUnique(thrown: unknown): string | null {
  for (const message of messagesOf(thrown)) {
    const match = /UNIQUE constraint failed: ([\w., ]+)/.exec(message);
    if (match?.[1]) return match[1].trim();
  }
  return null;
}

/** drizzle wraps what D1 throws; the reason is in the causes. */
function* messagesOf(thrown: unknown): Generator<string> {
  for (let error = thrown; error instanceof Error; error = error.cause) yield error.message;
}
