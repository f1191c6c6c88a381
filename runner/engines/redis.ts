/** Redis. Its password is a setting, not data: a new container simply starts with another one. */
import type { VolumeEngine } from './database-engine.ts';
import { keepUsers } from './redis/archive/users.ts';
import { openRedisSession } from './redis/redis-session.ts';
import { RespConnection } from './redis/resp-connection.ts';
import { withUsersFile } from './redis/users-file.ts';

/** Redis reads it before the arguments, so the password is in no command line. */
const configFile = '/usr/local/etc/longshore-redis.conf';

export const redis: VolumeEngine = {
  name: 'redis',
  credentialsIn: 'settings',
  container({ env }) {
    const password = env.REDIS_PASSWORD ?? '';
    const { command, files } = withUsersFile(['redis-server', configFile], password);
    return {
      port: 6379,
      dataDirectory: '/data',
      command,
      stopSignal: undefined,
      env: { ...env },
      files: { ...files, [configFile]: configText(password) },
    };
  },
  keepSettings: keepUsers,
  ping: (address, env) => RespConnection.ping(address, env.REDIS_PASSWORD ?? ''),
  changeCredentials: async () => {},
  connect: (address, env) => openRedisSession(address, env.REDIS_PASSWORD ?? ''),
  restore: 'volume',
  data: async () => (await import('./redis/data.ts')).redisData,
};

/** After a crash at most the last second of data is lost: https://redis.io/docs/latest/operate/oss_and_stack/management/persistence/ */
function configText(password: string): string {
  const lines = [
    'dir /data',
    'appendonly yes',
    'protected-mode no',
    'repl-diskless-sync-delay 0', // a backup is the only replica: there is no other one to wait for
    `requirepass ${quoted(password)}`,
  ];
  return `${lines.join('\n')}\n`;
}

/** In double quotes Redis reads `\xhh`, so no byte of a password has a special meaning. */
function quoted(text: string): string {
  const bytes = [...Buffer.from(text)].map((byte) => `\\x${byte.toString(16).padStart(2, '0')}`);
  return `"${bytes.join('')}"`;
}
