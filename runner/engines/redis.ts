/** Redis. Its password is a setting and no data: the next container simply has another one. */
import { Redis } from 'ioredis';
import type { VolumeEngine } from './database-engine.ts';
import { engineTimeoutMs } from './engine.ts';
import { EngineError } from './engine-error.ts';
import { openRedisSession } from './redis/redis-session.ts';

/** Read before the arguments: so the password stands in no command line. */
const configFile = '/usr/local/etc/longshore-redis.conf';

export const redis: VolumeEngine = {
  name: 'redis',
  credentialsIn: 'settings',
  container: ({ env }) => ({
    port: 6379,
    dataDirectory: '/data',
    command: ['redis-server', configFile],
    stopSignal: undefined,
    env: { ...env },
    files: { [configFile]: configText(env.REDIS_PASSWORD ?? '') },
  }),
  async ping({ host, port }, env) {
    const client = new Redis({
      host,
      port,
      ...(env.REDIS_PASSWORD ? { password: env.REDIS_PASSWORD } : {}),
      lazyConnect: true,
      connectTimeout: engineTimeoutMs,
      commandTimeout: engineTimeoutMs,
      retryStrategy: () => null,
      maxRetriesPerRequest: 0,
    });
    let broken: Error | undefined;
    client.on('error', (error: Error) => {
      broken = error;
    });
    try {
      await client.connect();
      await client.ping();
    } catch (error) {
      throw EngineError.from(broken ?? error);
    } finally {
      client.disconnect();
    }
  },
  changeCredentials: async () => {},
  connect: (address, env) => openRedisSession(address, env.REDIS_PASSWORD ?? ''),
  restore: 'volume',
  data: async () => (await import('./redis/data.ts')).redisData,
};

/** Data survives a crash but for the last second: https://redis.io/docs/latest/operate/oss_and_stack/management/persistence/ */
function configText(password: string): string {
  const lines = [
    'dir /data',
    'appendonly yes',
    'protected-mode no',
    'repl-diskless-sync-delay 0', // a backup comes alone: nobody else is waited for
    `requirepass ${quoted(password)}`,
  ];
  return `${lines.join('\n')}\n`;
}

/** Redis reads `\xhh` in double quotes: no byte of a password means anything else there. */
function quoted(text: string): string {
  const bytes = [...Buffer.from(text)].map((byte) => `\\x${byte.toString(16).padStart(2, '0')}`);
  return `"${bytes.join('')}"`;
}
