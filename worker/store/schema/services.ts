import { sql } from 'drizzle-orm';
import { index, integer, real, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core';
import type {
  ContainerSettings,
  HealthSettings,
  StopSettings,
} from '../../../protocol/container-settings.ts';
import type { BuildSettings } from '../../../protocol/job-spec.ts';
import type { SleepHistory } from '../../../protocol/observed/observed-service.ts';
import type { ServiceTrouble } from '../../../protocol/service-trouble.ts';
import type { NamedSourceFile } from '../../../protocol/sources/source-files.ts';
import type { TrafficRules } from '../../../protocol/traffic/traffic-rules.ts';
import { serviceKinds } from '../../domain/services/service-kind.ts';
import type { PushSettings } from '../../domain/services/settings/source-settings.ts';
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
    /** The planned host of a move, or the present host if only the port will change; both happen with the next successful deployment. */
    nextRunnerId: text('next_runner_id').references(() => runners.id),
    /** The port reserved on that host. */
    nextHostPort: integer('next_host_port'),
    name: text('name').notNull(),
    slug: text('slug').notNull(),
    /** Derived from repoUrl. It changes with the source; a database stays one. */
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
    /** Chosen from the port blocks that the host reports; constant while the service is on its host. */
    hostPort: integer('host_port').notNull(),
    /** `<slug>.<root domain or localhost>`, unique in the instance and constant; null for workers and databases. */
    generatedHostname: text('generated_hostname').unique(),
    /** Increased by every change of the service's names; a host keeps the names of the highest revision. */
    routesRevision: integer('routes_revision').notNull().default(0),
    databasePublicEnabled: flag('database_public_enabled').notNull(),
    databasePublicHostname: text('database_public_hostname'),
    postgresLogicalReplicationEnabled: flag('postgres_logical_replication_enabled').notNull(),
    /** Database settings that a user chose (domain/engine-settings); `null` without any. */
    engineSettings: json<Record<string, string>>('engine_settings'),
    /** The default image when the database first needed one: later defaults do not change it. `null`: no database, or `imageRef` was always set. */
    defaultImageRef: text('default_image_ref'),
    healthCheckPath: text('health_check_path'),
    /** Replacements of the image's own settings (domain/container-settings); `null` without any. */
    containerSettings: json<ContainerSettings>('container_settings'),
    /** `null`: the runner's own times. */
    healthSettings: json<HealthSettings>('health_settings'),
    stopSettings: json<StopSettings>('stop_settings'),
    /** Null: none is set. */
    buildSettings: json<BuildSettings>('build_settings'),
    /** Null: each push to the branch deploys, and no new digest of the image. */
    pushSettings: json<PushSettings>('push_settings'),
    /** Rules for requests before they reach the app (api/traffic-rules); `null` without any. */
    trafficRules: json<TrafficRules>('traffic_rules'),
    /** Number of containers of its live version; the memory limit applies to each. */
    replicas: integer('replicas').notNull().default(1),
    /** Minutes without a request after which its containers stop until the next request; `null`: never. */
    sleepAfterMinutes: integer('sleep_after_minutes'),
    memoryLimitMb: integer('memory_limit_mb'),
    cpuLimit: real('cpu_limit'),
    status: text('status', {
      enum: ['idle', 'queued', 'building', 'active', 'failed', 'crashed', 'stopped'],
    }).notNull(),
    /** Whether the host saw the live version crash; the status shows it again when no deployment is in progress. */
    crashed: flag('crashed').notNull().default(false),
    /** Whether a client stopped it: its live version does not run until it is started or deployed. */
    stopped: flag('stopped').notNull().default(false),
    /** Why the live version does not work properly, with its last log lines; `null` without a problem. */
    trouble: json<ServiceTrouble>('trouble'),
    /** When its live version fell asleep and woke up, as last reported by the host; `null` if it has not slept. */
    sleep: json<SleepHistory>('sleep'),
    /** Size of its live container and its data volume on the host's disk, in units of 2^20 bytes, as last measured. */
    diskMb: integer('disk_mb'),
    /** As last reported by the host; never probed during a GET. */
    reachable: flag('reachable').notNull(),
    /** Detected framework; for databases, the engine. */
    framework: text('framework'),
    /** Variables of the framework and of `.env.example`, found by the last deployment. */
    suggestedKeys: json<{ key: string; label: string }[]>('suggested_keys').notNull(),
    /** Files that explanations may mention (protocol/sources/source-files), in the last fetched source; `null` if its host never reported them. */
    sourceFiles: json<NamedSourceFile[]>('source_files'),
    /** Whether the deletion of the service, its project and its backups is refused. */
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
    index('services_image_updates').on(table.id).where(sql`kind = 'image' and push_settings is not null`),
  ],
);

/** Files that are mounted into the containers of services: one row for all files of a service, so that they change and move together. */
export const serviceFiles = sqliteTable('service_files', {
  serviceId: text('service_id')
    .primaryKey()
    .references(() => services.id, { onDelete: 'cascade' }),
  /** The list as JSON (domain/mounted-files), sealed with the project's data key. */
  sealedFiles: sealedText('sealed_files').notNull(),
  updatedAt: moment('updated_at').notNull(),
});

/** Environment variables of services. Values are sealed with the project's data key. */
export const variables = sqliteTable(
  'variables',
  {
    id: text('id').primaryKey(),
    serviceId: text('service_id')
      .notNull()
      .references(() => services.id, { onDelete: 'cascade' }),
    key: text('key').notNull(),
    sealedValue: sealedText('sealed_value').notNull(),
    /** The choice of the request that set it; `null`: the rule decides at each read (domain/secret-variables). */
    secret: flag('secret'),
    /** Where it applies; `null`: in builds and containers. */
    scope: text('scope', { enum: ['build', 'run'] }),
    createdAt: moment('created_at').notNull(),
    updatedAt: moment('updated_at').notNull(),
  },
  (table) => [uniqueIndex('variables_service_key').on(table.serviceId, table.key)],
);
