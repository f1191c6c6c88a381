/** Redis. Its password is a setting, not data: a new container simply starts with another one. */
import type { VolumeEngine } from './database-engine.ts';
import { inBytes } from './memory-size.ts';
import { keepUsers } from './redis/archive/users.ts';
import { openRedisSession } from './redis/redis-session.ts';
import { RespConnection } from './redis/resp-connection.ts';
import { allOptions, runtimeOptions } from './redis/runtime-options.ts';
import { withUsersFile } from './redis/users-file.ts';
import { openWayIn } from './redis/way-in.ts';

/** Redis reads this file before the arguments, so the password is not on a command line. */
const configFile = '/usr/local/etc/longshore-redis.conf';

export const redis: VolumeEngine = {
  name: 'redis',
  credentialsIn: 'settings',
  // Matches the line after "FATAL CONFIG FILE ERROR" that quotes the setting.
  errorLine: /^>>> /,
  container({ env, memoryLimitMb, chosen }) {
    const fromMemory = settingsForMemory(memoryLimitMb, chosen);
    const settings = { 'maxmemory-policy': 'noeviction', ...fromMemory, ...chosen };
    const password = env.REDIS_PASSWORD ?? '';
    const { command, files } = withUsersFile(['redis-server', configFile], password);
    return {
      port: 6379,
      dataDirectory: '/data',
      command,
      stopSignal: undefined,
      env: { ...env },
      files: { ...files, [configFile]: configText(password, settings) },
      fromMemory,
    };
  },
  keepSettings: keepUsers,
  ping: (address, env) => RespConnection.ping(address, env.REDIS_PASSWORD ?? ''),
  openWayIn,
  runtimeOptions,
  liveSettings: {
    read: allOptions,
    notKept: (names) =>
      `Settings made with CONFIG SET are left out, and end with a restore, which restarts the server: ${names}.`,
  },
  changeCredentials: async () => {},
  connect: (address, env) => openRedisSession(address, env.REDIS_PASSWORD ?? ''),
  restore: 'volume',
  data: async () => (await import('./redis/data.ts')).redisData,
};

/**
 * A quarter of the limit is left for the pages that are copied while a child process saves, and for the buffers of clients; without
 * `maxmemory` the kernel would kill the server. https://redis.io/docs/latest/operate/oss_and_stack/management/admin/
 */
function settingsForMemory(
  memoryLimitMb: number | null,
  { maxmemory }: Readonly<Record<string, string>>,
): Record<string, string> {
  if (memoryLimitMb === null || maxmemory !== undefined) return {};
  return { maxmemory: `${Math.floor(memoryLimitMb * 0.75)}MB` };
}

/** The configuration loses at most the last second of data in a crash: https://redis.io/docs/latest/operate/oss_and_stack/management/persistence/ */
function configText(password: string, settings: Readonly<Record<string, string>>): string {
  const lines = [
    'dir /data',
    'appendonly yes',
    'protected-mode no',
    'repl-diskless-sync-delay 0', // a backup is the only replica, so there is no other one to wait for
    `requirepass ${quoted(password)}`,
    ...Object.entries(settings).map(([name, value]) => `${name} ${quoted(inBytes(value))}`),
  ];
  return `${lines.join('\n')}\n`;
}

/** Redis reads `\xhh` in double quotes, so no byte of a password has a special meaning. */
function quoted(text: string): string {
  const bytes = [...Buffer.from(text)].map((byte) => `\\x${byte.toString(16).padStart(2, '0')}`);
  return `"${bytes.join('')}"`;
}
