/** The table of properties for Redis. */
import type { Redis } from 'ioredis';
import { withRedis } from '../../../../support/docker/redis-source.ts';
import { type Database, useDatabases } from '../../../../support/docker/use-databases.ts';
import { type Proofs, propertyContract } from './property-contract.ts';

const env = { REDIS_PASSWORD: `it's "so" \\ zë` };
const image = { engine: 'redis', image: 'redis:8', env } as const;
const { server, elsewhere } = useDatabases({ server: image, elsewhere: image });

const redis = <T>(of: Database, use: (client: Redis) => Promise<T>) =>
  withRedis({ port: of.port, password: env.REDIS_PASSWORD }, use);
const asks = (use: (client: Redis) => Promise<unknown>) => (of: Database) => redis(of, use);
const keys = ['hash', 'zset', 'stream', 'list', 'set', 'bits', 'float'];
const library = "#!lua name=mine\nredis.register_function('twice', function(_, args) return args[1] * 2 end)";

const proofs: Proofs = {
  'one moment of all data': {
    kept: asks(async (client) => (await client.get('a_first')) === (await client.get('z_last'))),
  },
  'all databases of the server': {
    kept: asks(async (client) => (await client.info('keyspace')).match(/^db\d+:keys=\d+/gm)),
  },
  'exact values': { kept: asks((client) => Promise.all(keys.map((key) => client.dumpBuffer(key)))) },
  'views, functions, triggers': {
    kept: asks(async (client) => [
      await client.function('LIST', 'WITHCODE'),
      await client.fcall('twice', 0, 21),
    ]),
  },
  'users, roles, memberships': {
    same: asks(async (client) => (await client.call('ACL', 'USERS')) as string[]),
    listed: /the users app,/,
  },
  passwords: {
    same: asks(async (client) => JSON.stringify(await client.call('ACL', 'GETUSER', 'app'))),
    listed: /the users app,/,
  },
  'settings of the server': { listed: /^Settings made with CONFIG SET .*: slowlog-max-len\.$/ },
};

propertyContract({
  ...{ engine: 'redis', server, elsewhere, proofs },
  addToBoth: () => redis(server, (client) => client.multi().incr('a_first').incr('z_last').exec()),
  fill: () =>
    redis(server, async (client) => {
      await client.mset('a_first', 1, 'z_last', 1);
      await client.hset('hash', { ünï: '💧', lines: 'a\r\n\u0000b' });
      await client.zadd('zset', '-inf', 'a', 0.1, 'b');
      await client.xadd('stream', '1-1', 'a', '1');
      await client.xgroup('CREATE', 'stream', 'readers', '0');
      await client.rpush('list', ...Array.from({ length: 5_000 }, (_, at) => `v${at}`));
      await client.sadd('set', 1, 2, 'three');
      await client.set('bits', Buffer.from([0xff, 0x00, 0x80]));
      await client.incrbyfloat('float', 0.1);
      await client.call('FUNCTION', 'LOAD', library);
      await client.call('ACL', 'SETUSER', 'app', 'on', '>app-secret', '~answer', '+get');
      await client.config('SET', 'slowlog-max-len', '7');
      await client.select(9);
      await client.set('other', 'x');
    }),
});
