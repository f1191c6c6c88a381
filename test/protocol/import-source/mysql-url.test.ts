import { expect, test } from 'vitest';
import { labelOfMysql, parseMysqlUrl } from '../../../protocol/import-source/mysql-url.ts';

test('a URL of MySQL is parsed, and percent-encoded parts are decoded', () => {
  const source = parseMysqlUrl(
    'mysql://a%40b:p%2Fs%3As%22%20%C3%A9@DB.Example.com/sh%60op?ssl-mode=REQUIRED',
  );
  expect(source).toEqual({
    host: 'db.example.com',
    port: 3306,
    user: 'a@b',
    password: 'p/s:s" é',
    database: 'sh`op',
    tls: 'REQUIRED',
  });
  expect(labelOfMysql(source)).toBe('db.example.com/sh`op');
});

test('a URL of MySQL may name an address, a port and no password', () => {
  expect(parseMysqlUrl('mysql://root@[2001:db8::1]:25060/app')).toMatchObject({
    host: '2001:db8::1',
    port: 25_060,
    password: '',
    tls: 'PREFERRED',
  });
});

test.each([
  ['postgres://u:secret@h/d', /must have the form mysql:/],
  ['mysql://u:secret@h', /names no database/],
  ['mysql://u:secret@h/', /names no database/],
  ['mysql://h/d', /names no user/],
  ['mysql://u:secret@h/mysql', /belongs to the server/],
  ['mysql://u:secret@h/Information_Schema', /belongs to the server/],
  ['mysql://u:secret@/d', /exactly one host|must have the form/],
  ['mysql://u:secret@one,two/d', /exactly one host/],
  ['mysql://u:secret@h/d?ssl-mode=VERIFY_IDENTITY', /ssl-mode must be one of DISABLED, PREFERRED, REQUIRED/],
  ['mysql://u:secret@h/d?allowLoadLocalInfile=true', /"allowLoadLocalInfile" is not supported/],
  ['mysql://u:secret@h/d?socket=/tmp/x', /"socket" is not supported/],
  ['mysql://u:secret@h/d#x', /fragment/],
  ['mysql://u:%00secret@h/d', /zero byte/],
  ['mysql://u:se cret@h/d', /contains a space/],
])('a URL of MySQL is refused with the reason, and never with its password: %s', (url, reason) => {
  expect(() => parseMysqlUrl(url)).toThrow(reason);
  expect(() => parseMysqlUrl(url)).not.toThrow(/secret/);
});
