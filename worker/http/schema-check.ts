import { ApiError } from '../domain/errors.ts';
import { isMigrated, newestMigration } from '../store/instance/health-store.ts';
import type { Database } from '../store/sql/database.ts';

const retryAfterSeconds = 10;

/** Refuses to work on a database that lacks a migration of this version. Checks once per isolate, because a schema never changes back. */
export class SchemaCheck {
  #isMigrated = false;

  /** @throws ApiError `unavailable` while the newest migration is missing */
  async assertMigrated(db: Database): Promise<void> {
    this.#isMigrated ||= await isMigrated(db);
    if (this.#isMigrated) return;
    throw new ApiError(
      'unavailable',
      `The database lacks the migration ${newestMigration} of this version: run "npm run cloudflare" again, or go back to the version before.`,
      { retryAfterSeconds },
    );
  }
}
