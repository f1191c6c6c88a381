/** Settings of the server, all on its command line. `SET PERSIST` has precedence: https://dev.mysql.com/doc/refman/9.0/en/persisted-system-variables.html */
import { inBytes } from '../memory-size.ts';

/** The address of MySQL's default administrative port. Only programs in the container reach it. */
export const adminAddress = '127.0.0.1';
export const adminPort = 33_062;
/** Versions before 8.0.14 don't know the option. */
export const adminOption = `--loose-admin-address=${adminAddress}`;

type Settings = Readonly<Record<string, string>>;

/**
 * - `innodb_buffer_pool_size`: as `innodb_dedicated_server` computes it (128 MB below 1 GB, half up to 4 GB, then three quarters),
 *   https://dev.mysql.com/doc/refman/9.0/en/innodb-dedicated-server.html, but at most a quarter of a small limit
 * - `max_connections`: one per 12 MB, as RDS does, from 50 to 5000, https://docs.aws.amazon.com/AmazonRDS/latest/UserGuide/CHAP_Limits.html
 * @returns nothing without a limit: then MySQL's defaults apply
 */
export function settingsForMemory(memoryLimitMb: number | null, chosen: Settings): Record<string, string> {
  if (memoryLimitMb === null) return {};
  const all = {
    innodb_buffer_pool_size: `${bufferPoolMb(memoryLimitMb)}MB`,
    max_connections: String(Math.min(5000, Math.max(50, Math.floor(memoryLimitMb / 12)))),
  };
  return Object.fromEntries(Object.entries(all).filter(([name]) => chosen[name] === undefined));
}

function bufferPoolMb(memoryLimitMb: number): number {
  if (memoryLimitMb < 1024) return Math.min(128, Math.max(5, Math.floor(memoryLimitMb / 4)));
  return Math.floor(memoryLimitMb * (memoryLimitMb <= 4096 ? 0.5 : 0.75));
}

/** Arguments of `mysqld`. */
export const optionsOf = (settings: Settings) =>
  Object.entries(settings).map(([name, value]) => `--${name.replaceAll('_', '-')}=${inBytes(value)}`);
