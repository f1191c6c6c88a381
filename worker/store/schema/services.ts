import { index, integer, real, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core';
import type { ContainerSettings } from '../../../protocol/container-settings.ts';
import type { HealthSettings } from '../../../protocol/health-settings.ts';
import type { SleepHistory } from '../../../protocol/observed/sleep-history.ts';
import type { ServiceTrouble } from '../../../protocol/service-trouble.ts';
import type { StopSettings } from '../../../protocol/settings/stop-settings.ts';
import type { NamedSourceFile } from '../../../protocol/sources/source-files.ts';
import type { TrafficRules } from '../../../protocol/traffic/traffic-rules.ts';
import { serviceKinds } from '../../domain/services/service-kind.ts';
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
    /** The current host, chosen at creation; a database never moves. */
    runnerId: text('runner_id')
      .notNull()
      .references(() => runners.id),
    /** The planned host of a move, or the present host while only the port is to change; both happen with the next successful deployment. */
    nextRunnerId: text('next_runner_id').references(() => runners.id),
    /** The port reserved on that host. */
    nextHostPort: integer('next_host_port'),
    name: text('name').notNull(),
    slug: text('slug').notNull(),
    /** Derived from repoUrl at creation, then constant. */
    kind: text('kind', { enum: serviceKinds }).notNull(),
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
    /** From the port blocks that the host reports; constant while the service stays on its host. */
    hostPort: integer('host_port').notNull(),
    /** `<slug>.<root domain or localhost>`, unique in the instance and constant; null for workers and databases. */
    generatedHostname: text('generated_hostname').unique(),
    /** Increased by every change of the service's names; a host keeps the names of the highest revision. */
    routesRevision: integer('routes_revision').notNull().default(0),
    databasePublicEnabled: flag('database_public_enabled').notNull(),
    databasePublicHostname: text('database_public_hostname'),
    postgresLogicalReplicationEnabled: flag('postgres_logical_replication_enabled').notNull(),
    /** Settings of the database server that its user chose (domain/engine-settings); null: none. */
    engineSettings: json<Record<string, string>>('engine_settings'),
    /** The default image of a database, as it was when the database needed it: a later default does not change it. Null: not a database, or `imageRef` was always set. */
    defaultImageRef: text('default_image_ref'),
    healthCheckPath: text('health_check_path'),
    /** What replaces the image's own settings (domain/container-settings); null: nothing. */
    containerSettings: json<ContainerSettings>('container_settings'),
    /** Null: the runner's own times. */
    healthSettings: json<HealthSettings>('health_settings'),
    stopSettings: json<StopSettings>('stop_settings'),
    /** What applies to requests before they reach the app (api/traffic-rules); null: nothing. */
    trafficRules: json<TrafficRules>('traffic_rules'),
    /** How many containers of its live version serve it; the memory limit is that of each one. */
    replicas: integer('replicas').notNull().default(1),
    /** Minutes without a request after which its containers stop until the next one; null: never. */
    sleepAfterMinutes: integer('sleep_after_minutes'),
    memoryLimitMb: integer('memory_limit_mb'),
    cpuLimit: real('cpu_limit'),
    status: text('status', {
      enum: ['idle', 'queued', 'building', 'active', 'failed', 'crashed', 'stopped'],
    }).notNull(),
    /** Whether the host saw the live version crash; the status shows it again once no deployment is in progress. */
    crashed: flag('crashed').notNull().default(false),
    /** Whether a client stopped it: its live version stands still until it is started or deployed. */
    stopped: flag('stopped').notNull().default(false),
    /** Why the live version does not work properly, with its last log lines; null while all is well. */
    trouble: json<ServiceTrouble>('trouble'),
    /** When its live version fell asleep and woke, as last reported by the host; null: it has not slept. */
    sleep: json<SleepHistory>('sleep'),
    /** What its live container and its data volume hold on the host's disk, in units of 2^20 bytes, as last measured. */
    diskMb: integer('disk_mb'),
    /** As last reported by the host; never probed during a GET. */
    reachable: flag('reachable').notNull(),
    /** Detected framework; for databases, the engine. */
    framework: text('framework'),
    /** Variables of the framework and of `.env.example`, found by the last deployment. */
    suggestedKeys: json<{ key: string; label: string }[]>('suggested_keys').notNull(),
    /** Files that explanations name (protocol/sources/source-files), as the last fetched source has them; null: its host never told. */
    sourceFiles: json<NamedSourceFile[]>('source_files'),
    /** Whether its deletion, that of its project and that of its backups are refused. */
    protected: flag('protected').notNull().default(false),
    lastDeployedAt: moment('last_deployed_at'),
    createdAt: moment('created_at').notNull(),
    updatedAt: moment('updated_at').notNull(),
  },
  (table) => [
    uniqueIndex('services_project_slug').on(table.projectId, table.slug),
    uniqueIndex('services_runner_port').on(table.runnerId, table.hostPort),
    uniqueIndex('services_next_runner_port').on(table.nextRunnerId, table.nextHostPort),
    index('services_runner').on(table.runnerId),
    index('services_project_created').on(table.projectId, table.createdAt),
  ],
);
