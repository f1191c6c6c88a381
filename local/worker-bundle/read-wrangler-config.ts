/**
 * Prints the parts of wrangler.toml that the embedded control plane needs. Wrangler reads the file; it is large, so this is a separate
 * program.
 */
import { unstable_readConfig } from 'wrangler';
import { z } from 'zod';
import type { WorkerConfig } from './worker-bundle.ts';

const wranglerConfigSchema = z.object({
  name: z.string(),
  compatibility_date: z.string(),
  compatibility_flags: z.array(z.string()),
  vars: z.record(z.string(), z.json()),
  d1_databases: z.array(z.object({ binding: z.string() })),
  r2_buckets: z.array(z.object({ binding: z.string() })),
  durable_objects: z.object({ bindings: z.array(z.object({ name: z.string(), class_name: z.string() })) }),
  migrations: z.array(z.object({ new_sqlite_classes: z.array(z.string()).default([]) })),
});

const config = wranglerConfigSchema.parse(
  unstable_readConfig({ config: process.argv[2] ?? 'wrangler.toml' }),
);
const sqliteClasses = new Set(config.migrations.flatMap((migration) => migration.new_sqlite_classes));

const needed: WorkerConfig = {
  name: config.name,
  compatibilityDate: config.compatibility_date,
  compatibilityFlags: config.compatibility_flags,
  vars: config.vars,
  databaseBindings: config.d1_databases.map((database) => database.binding),
  bucketBindings: config.r2_buckets.map((bucket) => bucket.binding),
  durableObjects: Object.fromEntries(
    config.durable_objects.bindings.map(({ name, class_name: className }) => [
      name,
      { className, useSQLite: sqliteClasses.has(className) },
    ]),
  ),
};

process.stdout.write(JSON.stringify(needed));
