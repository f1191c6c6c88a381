/**
 * Settings of the server. Settings that follow from the memory limit are in a file that also reads the data's own `postgresql.conf`, so
 * that ALTER SYSTEM has precedence over them. Settings chosen in Longshore are on the command line, which has precedence over both:
 * https://www.postgresql.org/docs/17/config-setting.html
 */
import type { EngineName } from '../../../protocol/database.ts';

export const configFile = '/etc/longshore-postgres.conf';

type Settings = Readonly<Record<string, string>>;

const kbPerMb = 1024;
/** PostgreSQL's own default. */
const defaultConnections = 100;

/**
 * - `shared_buffers`: a quarter of the memory, https://www.postgresql.org/docs/17/runtime-config-resource.html
 * - `effective_cache_size`: three quarters, which includes what the kernel caches, https://wiki.postgresql.org/wiki/Tuning_Your_PostgreSQL_Server
 * - `max_connections`: one per 10 MB, from 50 to 1000, similar to RDS (one per 9.1 MB),
 *   https://docs.aws.amazon.com/AmazonRDS/latest/UserGuide/CHAP_Limits.html
 * - `work_mem`: the remaining memory, for three sorts per connection at once, from 1 MB to 64 MB; `maintenance_work_mem`: a sixteenth, from 16 MB to
 *   2 GB, both as PGTune computes them, https://pgtune.leopard.in.ua/
 * @returns nothing without a limit: then PostgreSQL's defaults apply
 */
export function settingsForMemory(memoryLimitMb: number | null, chosen: Settings): Record<string, string> {
  if (memoryLimitMb === null) return {};
  const sharedMb = Math.max(1, Math.floor(memoryLimitMb / 4));
  const connections = between(50, Math.floor(memoryLimitMb / 10), 1000);
  const used = Number(chosen.max_connections ?? connections) || defaultConnections;
  const workKb = Math.floor(((memoryLimitMb - sharedMb) * kbPerMb) / (used * 3));
  const all = {
    shared_buffers: `${sharedMb}MB`,
    effective_cache_size: `${Math.max(1, Math.floor((memoryLimitMb * 3) / 4))}MB`,
    max_connections: String(connections),
    work_mem: `${between(kbPerMb, workKb, 64 * kbPerMb)}kB`,
    maintenance_work_mem: `${between(16, Math.floor(memoryLimitMb / 16), 2048)}MB`,
  };
  return Object.fromEntries(Object.entries(all).filter(([name]) => chosen[name] === undefined));
}

/**
 * Parallel queries keep their tables in `/dev/shm`, and fail when it is full: https://hub.docker.com/_/postgres ("Caveats"). This is only a
 * limit: memory is allocated at its use, and counts as the container's.
 */
export const shmSizeMb = (memoryLimitMb: number | null) =>
  memoryLimitMb === null ? 1024 : Math.max(256, Math.floor(memoryLimitMb / 4));

/** @param pgData directory of the data */
export function configText(pgData: string, settings: Settings): string {
  const lines = Object.entries(settings).map(([name, value]) => `${name} = '${value}'`);
  return [`include '${pgData}/postgresql.conf'`, ...lines, ''].join('\n');
}

/** A list of preloaded libraries replaces the one in `postgresql.conf`, without which TimescaleDB does not work. */
export function withOwnLibraries(engine: EngineName, chosen: Settings): Settings {
  const { shared_preload_libraries: libraries } = chosen;
  if (engine !== 'timescale' || libraries === undefined) return chosen;
  const others = libraries.split(',').filter((name) => name !== '' && name !== 'timescaledb');
  return { ...chosen, shared_preload_libraries: ['timescaledb', ...others].join(',') };
}

/** Arguments of `postgres`. */
export const optionsOf = (settings: Settings) =>
  Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);

const between = (min: number, value: number, max: number) => Math.min(max, Math.max(min, value));
