/**
 * Before each test file: the real migrations, and no row but theirs. Files share a runtime (vitest.config.ts), so each starts
 * by emptying what the one before it left. D1 is as strict as the hosted one. Durable Objects need no emptying: they are named by ids that no two tests share.
 */
import { applyD1Migrations } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { fixDraws } from '../support/fixed-draws.ts';
import { everything } from '../support/level.ts';
import { makeStrict } from '../support/worker/d1/strict-d1.ts';

// Not yet as slow as the hosted one: the files before this one in the same runtime have made the class of D1 so.
makeStrict(env.DB, { queryMs: 0 });
await applyD1Migrations(env.DB, env.TEST_MIGRATIONS);
await emptyTables(env.DB);
makeStrict(env.DB);
fixDraws(everything);

/** What `reset()` of cloudflare:test is for; that one now and then leaves D1 as it was (plugin 1.4.10). */
async function emptyTables(database: D1Database): Promise<void> {
  const { results } = await database
    .prepare(
      `select name from sqlite_master
       where type = 'table' and name <> 'd1_migrations' and name not glob '_cf_*' and name not glob 'sqlite_*'`,
    )
    .all<{ name: string }>();
  const statements = [
    'pragma defer_foreign_keys = on',
    ...results.map(({ name }) => `delete from "${name}"`),
    ...rowsOfMigrations(),
    // An instance without a scheduled run is unhealthy 11 minutes after its migration, and a run of all files takes longer.
    'update d1_migrations set applied_at = current_timestamp',
  ];
  await database.batch(statements.map((statement) => database.prepare(statement)));
}

/** Statements of the migrations that add rows, such as the default tenant's. */
function rowsOfMigrations(): string[] {
  const statements = env.TEST_MIGRATIONS.flatMap(({ queries }) => queries);
  return statements.filter((statement) => /^(\s*--.*\n)*\s*insert\b/i.test(statement));
}
