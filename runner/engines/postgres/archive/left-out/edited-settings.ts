/**
 * Finds settings that were edited in `postgresql.conf` of the data directory. Settings from `initdb` and the image do not count. Files
 * elsewhere belong to the image or to the runner.
 */
import type pg from 'pg';
import type { DataPlace } from '../../../archive/archive.ts';

/** https://github.com/postgres/postgres/blob/REL_17_STABLE/src/bin/initdb/initdb.c, `setup_config`; the image adds `listen_addresses`. */
const initial: Readonly<Record<string, string>> = {
  max_connections: '100',
  shared_buffers: '128MB',
  dynamic_shared_memory_type: 'posix',
  max_wal_size: '1GB',
  min_wal_size: '80MB',
  listen_addresses: '*',
  shared_preload_libraries: '',
};
/** `initdb` takes these settings from its locale. */
const localeNames = ['lc_messages', 'lc_monetary', 'lc_numeric', 'lc_time'];
const zoneNames = ['timezone', 'log_timezone'];
const utcNames = ['UTC', 'Etc/UTC', 'GMT'];
/** Languages whose date order and text search are known here. */
const isEnglish = /^(C|POSIX|en_US)\b/;
const english: Readonly<Record<string, readonly string[]>> = {
  datestyle: ['iso, mdy'],
  default_text_search_config: ['pg_catalog.english', 'pg_catalog.simple'],
};
/**
 * The image of TimescaleDB writes these, with values that follow from the host:
 * https://github.com/timescale/timescaledb-tune/tree/main/pkg/pgtune
 */
const isTuned =
  /^(timescaledb\..*|shared_(buffers|preload_libraries)|effective_.*|(maintenance_)?work_mem|max_(worker_processes|parallel_.*|connections|locks_per_transaction)|(wal|bgwriter|autovacuum)_.*|(min|max)_wal_size|checkpoint_.*|default_(statistics_target|toast_compression)|random_page_cost|jit)$/;
/** The time after which the image has finished writing the file. */
const initMinutes = 10;

interface Facts {
  settings: { name: string; value: string }[];
  locale: string;
  /** True if the file was written long after the database was created. */
  isLater: boolean;
}

const factsQuery = `SELECT
  (SELECT coalesce(jsonb_agg(jsonb_build_object('name', lower(name), 'value', coalesce(setting, '')) ORDER BY name), '[]') FROM pg_file_settings
    WHERE name <> '' AND starts_with(sourcefile, current_setting('data_directory') || '/')
      AND sourcefile NOT LIKE '%postgresql.auto.conf') AS settings,
  (SELECT datcollate FROM pg_database WHERE datname = 'template0') AS locale,
  (SELECT conf.modification > made.modification + make_interval(mins => $1)
    FROM pg_stat_file('postgresql.conf', true) conf, pg_stat_file('PG_VERSION', true) made) IS TRUE AS "isLater"`;

/** @returns at most one sentence */
export async function findEditedSettings(
  client: pg.Client,
  env: Pick<DataPlace['env'], string>,
): Promise<string[]> {
  const { rows } = await client.query<Facts>(factsQuery, [initMinutes]);
  const [facts] = rows;
  const names = (facts?.settings ?? [])
    .filter((setting) => !isInitial(setting, facts as Facts, env.TZ))
    .map(({ name }) => name);
  return names.length === 0
    ? []
    : [
        `Settings that were edited in postgresql.conf: ${[...new Set(names)].join(', ')}. "engineSettings" stay with the service.`,
      ];
}

function isInitial(
  { name, value }: Facts['settings'][number],
  { settings, locale, isLater }: Facts,
  zone: string | undefined,
): boolean {
  const isTimescale = settings.some(
    (each) => each.name === 'shared_preload_libraries' && each.value.includes('timescaledb'),
  );
  if (isTimescale && !isLater && isTuned.test(name)) return true;
  if (isTimescale && name === 'shared_preload_libraries') return value === 'timescaledb';
  if (localeNames.includes(name)) return value === locale;
  if (zoneNames.includes(name)) return utcNames.includes(value) || value === zone;
  const known = english[name];
  if (known) return !isEnglish.test(locale) || known.includes(value);
  return initial[name] === value;
}
