import type { Redis } from 'ioredis';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { EngineSession } from '../../../runner/engines/engine.ts';
import { redis } from '../../../runner/engines/redis.ts';
import { type EngineHost, startEngine } from '../../support/docker/engine-container.ts';
import { caps, env, image, withClient } from './redis-fixture.ts';

describe('A query of Redis', () => {
  let host: EngineHost;
  let session: EngineSession;
  const client = <T>(use: (client: Redis) => Promise<T>) => withClient(host.address, env, use);
  const ask = (text: string, database?: number) =>
    session.query({ action: 'query', text, ...(database !== undefined && { database }) }, caps);

  beforeAll(async () => {
    host = await startEngine(redis, image, env);
    session = await redis.connect(host.address, env);
  });
  afterAll(async () => {
    await session?.close();
    await host?.remove();
  });

  test('a query of Redis reads a line as redis-cli does', async () => {
    const echo = async (word: string) => (await ask(`ECHO ${word}`)).rows[0]?.value;
    expect(await echo('"a\\x00\\xff\\n\\"b\\\\"')).toBe('\\x6100ff0a22625c');
    expect(await echo(`'it\\'s \\n'`)).toBe(`it's \\n`);
    expect(await echo('pre"fix"')).toBe('prefix');
    expect(await echo('"💧\\💧"')).toBe('💧💧');
    expect(await echo('""')).toBe('');
    expect(await echo('"a\nb"')).toBe('a\nb');
    for (const line of ['ECHO "a', 'ECHO "a"b', "ECHO 'a\\'", 'ECHO a\nb', 'ECHO \ud800']) {
      await expect(ask(line), line).rejects.toMatchObject({ code: 'invalid_request' });
    }
  });

  test('a query of Redis returns maps, nulls and mixed lists with their types', async () => {
    await ask('HSET map a 1 b \\xff');
    expect(await ask('HGETALL map')).toEqual({
      columns: [
        { name: 'key', type: 'string' },
        { name: 'value', type: 'string' },
      ],
      rows: [
        { key: 'a', value: '1' },
        { key: 'b', value: '\\x5c786666' },
      ],
      rowCount: 2,
      truncated: false,
    });
    expect(await ask('GET nothing')).toMatchObject({
      columns: [{ name: 'value', type: 'null' }],
      rows: [{ value: null }],
    });
    expect(await ask('HMGET map a none')).toMatchObject({ rows: [{ value: '1' }, { value: null }] });
    expect(await ask('SETRANGE map2 0 ab')).toMatchObject({
      columns: [{ name: 'value', type: 'integer' }],
      rows: [{ value: '2' }],
      rowCount: 1,
    });
  });

  test('bytes that are shown at twice their size stay within 1 MB', async () => {
    await client((client) =>
      client.rpush('binary', ...Array.from({ length: 9 }, () => Buffer.alloc(100_000, 0xff))),
    );
    const { rows, truncated } = await ask('LRANGE binary 0 -1');
    expect([rows.length, truncated]).toEqual([4, true]);
  });

  test('no command of the server, its settings, users, scripts or connections gets through', async () => {
    const denied = [
      ...['CONFIG SET dir /tmp', '"CON\\x46IG" GET dir', 'CONFIG|GET dir', 'config|get dir', 'CONFIG HELP'],
      ...['MODULE LIST', 'MODULE LOAD /tmp/x.so', 'REPLICAOF 127.0.0.1 1', 'SLAVEOF NO ONE', 'FAILOVER'],
      ...['DEBUG SLEEP 0', 'SHUTDOWN NOSAVE', 'ACL LIST', 'ACL WHOAMI', 'ACL SETUSER x on nopass ~* +@all'],
      ...['SAVE', 'BGSAVE', 'BGREWRITEAOF', 'LASTSAVE', 'MONITOR', 'SYNC', 'PSYNC ? -1', 'REPLCONF ACK 0'],
      ...['SUBSCRIBE x', 'PSUBSCRIBE *', 'SSUBSCRIBE x', 'PUBLISH x y', 'SPUBLISH x y', 'PUBSUB CHANNELS'],
      ...['SCRIPT LOAD "return 1"', 'EVALSHA x 0', 'EVAL_RO "return 1" 0', 'FUNCTION LIST', 'FCALL x 0'],
      ...[
        'CLIENT LIST',
        'CLIENT KILL TYPE normal',
        'CLIENT PAUSE 1',
        'CLIENT REPLY OFF',
        'CLIENT TRACKING ON',
      ],
      ...['SELECT 1', 'AUTH x', 'HELLO 2', 'RESET', 'QUIT', 'MULTI', 'EXEC', 'WATCH x', 'READONLY', 'ROLE'],
      ...['LATENCY DOCTOR', 'SLOWLOG GET', 'CLUSTER INFO', 'CLUSTER MEET 127.0.0.1 1', 'SWAPDB 0 1'],
      ...['RESTORE x 0 x', 'MIGRATE 127.0.0.1 1 "" 0 1 KEYS a', 'WAIT 1 0', 'PFDEBUG GETREG x'],
    ];
    for (const line of denied) {
      const code = await ask(line).then(
        () => 'answered',
        (error: { code: string }) => error.code,
      );
      expect([line, code]).toEqual([line, 'unsupported']);
    }
    expect(await client((client) => client.acl('WHOAMI'))).toBe('default');
    expect((await ask('PING')).rows).toEqual([{ value: 'PONG' }]);
  });

  test('a command that only concerns the data runs, however heavy', async () => {
    await ask('RPUSH sorted 3 1 2');
    expect((await ask('sort sorted')).rows.map(({ value }) => value)).toEqual(['1', '2', '3']);
    expect((await ask('KEYS sorte?')).rows).toEqual([{ value: 'sorted' }]);
    expect((await ask('INFO server')).rows[0]?.value).toContain('redis_version');
    expect((await ask('OBJECT ENCODING sorted')).rows).toEqual([{ value: 'listpack' }]);
    await ask('SET x 1', 5);
    await ask('FLUSHDB', 5);
    expect((await ask('DBSIZE', 5)).rows).toEqual([{ value: '0' }]);
  });

  test('a waiting command is dropped by the server when its time is up', async () => {
    const asked = session.query({ action: 'query', text: 'BLPOP queue 0' }, { ...caps, timeoutMs: 500 });
    await expect(asked).rejects.toMatchObject({ code: 'invalid_request' });
    await expect.poll(() => client((client) => client.info('clients'))).toMatch(/blocked_clients:0/);
    await ask('RPUSH queue kept');
    expect((await ask('LLEN queue')).rows).toEqual([{ value: '1' }]);
  });
});
