/**
 * The settings of each engine that a database's `engineSettings` may hold, by the engine's own names. They are the most common ones
 * that neither open the container nor disturb Longshore's own work on the data (such as its connections, files and logs).
 * No value may hold a quote, a line break or a special character of XML: the host writes them into command lines and files.
 */
import type { EngineName } from '../../../../protocol/database.ts';
import { choice, decimal, duration, matching, size, someOf, type ValueKind, whole } from './value-kinds.ts';

export interface EngineSetting extends ValueKind {
  /** Whether its memory is allocated at once or never freed: then it must be less than the memory limit. */
  isWithinMemory?: true;
}

export type SettingsOfEngine = Readonly<Record<string, EngineSetting>>;

const buffers = (kind: ValueKind): EngineSetting => ({ ...kind, isWithinMemory: true });
const timeZone = matching(/^[A-Za-z][A-Za-z0-9_+/-]*$/, 'the name of a time zone, such as "Europe/Berlin"');
const onOff = choice('on', 'off');

/** https://www.postgresql.org/docs/17/runtime-config.html */
const postgres: SettingsOfEngine = {
  max_connections: whole(10, 10_000, 300),
  shared_buffers: buffers(size('1MB', '1024GB', '512MB')),
  effective_cache_size: size('1MB', '4096GB', '2GB'),
  work_mem: buffers(size('64kB', '64GB', '16MB')),
  maintenance_work_mem: buffers(size('1MB', '64GB', '256MB')),
  max_wal_size: size('32MB', '1024GB', '4GB'),
  max_worker_processes: whole(8, 1000, 16),
  max_parallel_workers_per_gather: whole(0, 64, 2),
  max_wal_senders: whole(5, 1000, 20),
  max_replication_slots: whole(5, 1000, 20),
  shared_preload_libraries: matching(
    /^[a-z0-9_]+(,[a-z0-9_]+)*$/,
    'names of libraries with commas, without spaces, such as "pg_stat_statements"',
  ),
  statement_timeout: duration('30s'),
  lock_timeout: duration('5s'),
  idle_in_transaction_session_timeout: duration('10min'),
  log_min_duration_statement: duration('500ms', '-1'),
  random_page_cost: decimal(0, 1000, 1.1),
  jit: onOff,
  timezone: timeZone,
};

/** https://dev.mysql.com/doc/refman/9.0/en/server-system-variables.html */
const mysql: SettingsOfEngine = {
  max_connections: whole(10, 100_000, 300),
  innodb_buffer_pool_size: buffers(size('5MB', '4096GB', '512MB')),
  // Without the modes that change how SQL is parsed: Longshore's own statements would not work with them.
  sql_mode: someOf(
    [
      'ALLOW_INVALID_DATES',
      'ERROR_FOR_DIVISION_BY_ZERO',
      'NO_AUTO_VALUE_ON_ZERO',
      'NO_ENGINE_SUBSTITUTION',
      'NO_UNSIGNED_SUBTRACTION',
      'NO_ZERO_DATE',
      'NO_ZERO_IN_DATE',
      'ONLY_FULL_GROUP_BY',
      'STRICT_ALL_TABLES',
      'STRICT_TRANS_TABLES',
      'TIME_TRUNCATE_FRACTIONAL',
    ],
    'STRICT_TRANS_TABLES,NO_ENGINE_SUBSTITUTION',
  ),
  character_set_server: matching(/^[a-z0-9]+$/, 'the name of a character set, such as "utf8mb4"'),
  collation_server: matching(/^[a-z0-9_]+$/, 'the name of a collation, such as "utf8mb4_0900_ai_ci"'),
  default_time_zone: matching(
    /^([+-](0\d|1[0-4]):[0-5]\d|SYSTEM)$/,
    'an offset from UTC, such as "+01:00", or "SYSTEM" (the server knows no names of zones when it first starts)',
  ),
  max_allowed_packet: size('1MB', '1GB', '256MB'),
  innodb_lock_wait_timeout: whole(1, 86_400, 50),
  wait_timeout: whole(60, 2_147_483, 28_800),
  group_concat_max_len: whole(4, 1_000_000_000, 1_000_000),
  innodb_flush_log_at_trx_commit: choice('0', '1', '2'),
  binlog_expire_logs_seconds: whole(3600, 31_536_000, 259_200),
};

/** https://redis.io/docs/latest/operate/oss_and_stack/management/config/ */
const redis: SettingsOfEngine = {
  maxmemory: buffers(size('1MB', '4096GB', '512MB')),
  'maxmemory-policy': choice(
    'noeviction',
    'allkeys-lru',
    'allkeys-lfu',
    'allkeys-random',
    'volatile-lru',
    'volatile-lfu',
    'volatile-random',
    'volatile-ttl',
  ),
  appendfsync: choice('always', 'everysec', 'no'),
  'notify-keyspace-events': matching(
    /^[KEg$lshzxetdmnA]*$/,
    'letters of K, E, g, $, l, s, h, z, x, e, t, d, m, n and A, such as "Ex", or empty for none',
  ),
  maxclients: whole(100, 100_000, 20_000),
  databases: whole(16, 10_000, 32),
};

/** https://www.mongodb.com/docs/manual/reference/program/mongod/ */
const mongodb: SettingsOfEngine = {
  wiredTigerCacheSizeGB: decimal(0.25, 10_000, 1.5),
  maxConns: whole(10, 1_000_000, 2000),
  slowms: whole(0, 86_400_000, 200),
};

/** https://clickhouse.com/docs/operations/server-configuration-parameters/settings */
const clickhouse: SettingsOfEngine = {
  max_server_memory_usage: buffers(size('256MB', '4096GB', '4GB')),
  max_concurrent_queries: whole(10, 100_000, 200),
  max_connections: whole(10, 100_000, 4096),
  mark_cache_size: buffers(size('1MB', '1024GB', '512MB')),
  timezone: timeZone,
};

export const settingsOfEngines: Readonly<Record<EngineName, SettingsOfEngine>> = {
  postgres,
  timescale: postgres,
  mysql,
  redis,
  mongodb,
  clickhouse,
};

/** Settings that people look for here, and where to change them instead. */
export const otherWays: Readonly<Record<string, string>> = {
  wal_level: 'set "postgresLogicalReplicationEnabled" to true',
  requirepass: 'change the variable REDIS_PASSWORD',
  appendonly:
    'Redis always runs with its append-only file here, because turning it on later would lose the data',
};
