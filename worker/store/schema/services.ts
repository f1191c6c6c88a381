import { index, integer, real, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core';
import type { ServiceTrouble } from '../../../protocol/service-trouble.ts';
import { flag, json, moment, sealedText } from './columns.ts';
import { projects } from './projects.ts';
import { runners } from './runners.ts';

export const services = sqliteTable(
  'services',
  {
    id: text('id').primaryKey(),
    projectId: text('project_id')
      .notNull()
      .references(() => projects.id, { onDelete: 'cascade' }),
    /** The host it runs on: chosen at creation; a database never moves. */
    runnerId: text('runner_id')
      .notNull()
      .references(() => runners.id),
    /** The host it is to move to: it does so with its next successful deployment, which runs there. */
    nextRunnerId: text('next_runner_id').references(() => runners.id),
    /** Its port on that host, reserved until then. */
    nextHostPort: integer('next_host_port'),
    name: text('name').notNull(),
    slug: text('slug').notNull(),
    /** `git`, `image` or `database`: derived from repoUrl at creation, never changes. */
    kind: text('kind', { enum: ['git', 'image', 'database'] }).notNull(),
    repoFullName: text('repo_full_name'),
    repoUrl: text('repo_url').notNull(),
    imageRef: text('image_ref'),
    branch: text('branch').notNull(),
    rootDir: text('root_dir'),
    sealedGitToken: sealedText('sealed_git_token'),
    installCommand: text('install_command'),
    buildCommand: text('build_command'),
    startCommand: text('start_command'),
    staticOutput: text('static_output'),
    buildMethod: text('build_method', { enum: ['auto', 'dockerfile', 'analyzer'] }).notNull(),
    dockerfilePath: text('dockerfile_path'),
    detectedBuildMethod: text('detected_build_method', { enum: ['dockerfile', 'analyzer'] }),
    runtimeMode: text('runtime_mode', { enum: ['web', 'worker', 'static'] }).notNull(),
    internalPort: integer('internal_port').notNull(),
    /** From the blocks the host reports; kept for life. */
    hostPort: integer('host_port').notNull(),
    /** `<slug>.<root domain or localhost>`, unique in the instance, fixed for life; null for workers and databases. */
    generatedHostname: text('generated_hostname').unique(),
    /** Raised by every change of the service's names: a host keeps the names of the highest revision it was told. */
    routesRevision: integer('routes_revision').notNull().default(0),
    databasePublicEnabled: flag('database_public_enabled').notNull(),
    databasePublicHostname: text('database_public_hostname'),
    postgresLogicalReplicationEnabled: flag('postgres_logical_replication_enabled').notNull(),
    healthCheckPath: text('health_check_path'),
    memoryLimitMb: integer('memory_limit_mb'),
    cpuLimit: real('cpu_limit'),
    status: text('status', {
      enum: ['idle', 'queued', 'building', 'active', 'failed', 'crashed'],
    }).notNull(),
    /** The host saw the live version die; its status says so again once no deployment is at work. */
    crashed: flag('crashed').notNull().default(false),
    /** Why its live version does not serve as it should, and what that printed last; null while all is well. */
    trouble: json<ServiceTrouble>('trouble'),
    /** The host's last word; never probed during a GET. */
    reachable: flag('reachable').notNull(),
    /** Detected framework; for databases the engine. */
    framework: text('framework'),
    /** Variables that frameworks and `.env.example` name, found by the last deployment. */
    suggestedKeys: json<{ key: string; label: string }[]>('suggested_keys').notNull(),
    lastDeployedAt: moment('last_deployed_at'),
    createdAt: moment('created_at').notNull(),
    updatedAt: moment('updated_at').notNull(),
  },
  (table) => [
    uniqueIndex('services_project_slug').on(table.projectId, table.slug),
    uniqueIndex('services_runner_port').on(table.runnerId, table.hostPort),
    uniqueIndex('services_next_runner_port').on(table.nextRunnerId, table.nextHostPort),
    index('services_runner').on(table.runnerId),
  ],
);
