import { describe, expect, test } from 'vitest';
import { labelOfRedis, parseRedisUrl } from '../../../protocol/import-source/redis-url.ts';

describe('the URL of a Redis', () => {
  test('the URL of a Redis means all logical databases of port 6379, without authentication, unless it says otherwise', () => {
    expect(parseRedisUrl('redis://Cache.Example.com')).toEqual({
      host: 'cache.example.com',
      port: 6379,
      user: '',
      password: '',
      database: null,
      tls: 'off',
    });
  });

  test('the URL of a Redis names user, password, port and one logical database', () => {
    expect(parseRedisUrl('redis://app%40x:p%C3%A4%2Fss@10.0.0.7:7000/12')).toEqual({
      host: '10.0.0.7',
      port: 7000,
      user: 'app@x',
      password: 'pä/ss',
      database: 12,
      tls: 'off',
    });
    expect(parseRedisUrl('redis://:secret@[2001:db8::1]/')).toMatchObject({
      host: '2001:db8::1',
      user: '',
      password: 'secret',
      database: null,
    });
  });

  test('the URL of a Redis asks for TLS by its scheme, and then for a certificate that somebody vouches for', () => {
    expect(parseRedisUrl('rediss://h').tls).toBe('verify-full');
    expect(parseRedisUrl('rediss://h/1?sslmode=require')).toMatchObject({ database: 1, tls: 'require' });
    expect(() => parseRedisUrl('redis://h?sslmode=require')).toThrow(/requires rediss:/);
    expect(() => parseRedisUrl('rediss://h?sslmode=none')).toThrow(/one of verify-full, require/);
  });

  test.each([
    ['http://h', /must have the form redis:/],
    ['redis:///0', /exactly one host/],
    ['redis://a,b:6379', /exactly one host/],
    ['redis://h:70000', /must have the form/],
    ['redis://h/zero', /number of one logical database.*import all of them/],
    ['redis://h/-1', /number of one logical database/],
    ['redis://h/1/2', /number of one logical database/],
    ['redis://h?db=2', /parameter "db" is not supported/],
    ['redis://h/1#x', /write "#" as %23/],
    ['redis://:a#b@h', /special characters percent-encoded/],
    ['redis://:%ff@h', /password is not percent-encoded/],
  ])('%s is refused', (url, words) => {
    expect(() => parseRedisUrl(url)).toThrow(words);
  });

  test('the URL of a Redis is never quoted by its refusal, nor its password by its label', () => {
    const refused = () => parseRedisUrl('redis://:tell-nobody@h/x');
    expect(refused).toThrow(expect.objectContaining({ message: expect.not.stringMatching(/tell-nobody/) }));
    expect(labelOfRedis(parseRedisUrl('redis://u:tell-nobody@cache.example.com:7000'))).toBe(
      'cache.example.com/*',
    );
    expect(labelOfRedis(parseRedisUrl('rediss://u:tell-nobody@cache.example.com/3'))).toBe(
      'cache.example.com/3',
    );
  });
});
