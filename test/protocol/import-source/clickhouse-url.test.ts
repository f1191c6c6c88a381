import { expect, test } from 'vitest';
import { labelOfClickhouse, parseClickhouseUrl } from '../../../protocol/import-source/clickhouse-url.ts';

test('a URL of ClickHouse is parsed, and percent-encoded parts are decoded', () => {
  const source = parseClickhouseUrl('https://a%40b:p%2Fs%3As%22%20%C3%A9@DB.Example.com/sh%60op');
  expect(source).toEqual({
    host: 'db.example.com',
    port: 8443,
    user: 'a@b',
    password: 'p/s:s" é',
    database: 'sh`op',
    isEncrypted: true,
  });
  expect(labelOfClickhouse(source)).toBe('db.example.com/sh`op');
});

test.each([
  ['http://default@h/d', 8123],
  ['https://default@h/d', 8443],
  ['https://default@h:443/d', 443],
  ['http://default:1234@h:80/d', 80],
  ['http://default:1234@h/d', 8123],
  ['https://default@[2001:db8::1]/d', 8443],
  ['https://default@[2001:db8::1]:9999/d', 9999],
])('a URL of ClickHouse has the port that it names, or that of ClickHouse: %s', (url, port) => {
  expect(parseClickhouseUrl(url).port).toBe(port);
});

test.each([
  ['clickhouse://u:secret@h:9000/d', /must have the form https:/],
  ['https://u:secret@h', /names no database/],
  ['https://h/d', /names no user/],
  ['https://u:secret@h/system', /belongs to the server/],
  ['https://u:secret@h/INFORMATION_SCHEMA', /belongs to the server/],
  ['https://u:secret@h/d?max_execution_time=0', /"max_execution_time" is not supported/],
  ['https://u:secret@h/d#x', /fragment/],
  ['https://u:%00secret@h/d', /zero byte/],
  ['https://u:se cret@h/d', /contains a space/],
])('a URL of ClickHouse is refused with the reason, and never with its password: %s', (url, reason) => {
  expect(() => parseClickhouseUrl(url)).toThrow(reason);
  expect(() => parseClickhouseUrl(url)).not.toThrow(/secret/);
});
