import { describe, expect, test } from 'vitest';
import { labelOfMongo, parseMongoUrl } from '../../../protocol/import-source/mongodb-url.ts';

describe('the URL of a MongoDB', () => {
  test('the URL of a MongoDB means all databases of port 27017, without authentication, unless it says otherwise', () => {
    expect(parseMongoUrl('mongodb://Db.Example.com')).toEqual({
      host: 'db.example.com',
      port: 27_017,
      isSrv: false,
      user: '',
      password: '',
      authSource: null,
      database: null,
      tls: 'off',
    });
  });

  test('the URL of a MongoDB names user, password, port, one database and where the user lives', () => {
    expect(parseMongoUrl('mongodb://app%40x:p%C3%A4%2Fss@[2001:db8::1]:7000/shop?authSource=admin')).toEqual({
      host: '2001:db8::1',
      port: 7_000,
      isSrv: false,
      user: 'app@x',
      password: 'pä/ss',
      authSource: 'admin',
      database: 'shop',
      tls: 'off',
    });
    expect(parseMongoUrl('mongodb://h/admin').database).toBeNull();
  });

  test('the URL of a MongoDB asks for TLS, and then for a trusted certificate, unless it says otherwise', () => {
    expect(parseMongoUrl('mongodb://h/?tls=true').tls).toBe('verify-full');
    expect(parseMongoUrl('mongodb://h/?ssl=true&tlsAllowInvalidCertificates=true').tls).toBe('require');
    expect(() => parseMongoUrl('mongodb://h/?tlsInsecure=true')).toThrow(/requires tls=true/);
    expect(() => parseMongoUrl('mongodb://h/?tls=1')).toThrow(/tls must be true or false/);
  });

  test('the URL that hosts of MongoDB show is accepted: by the DNS, with TLS, and with options about writing', () => {
    const url = 'mongodb+srv://u:p@cluster0.example.net/?retryWrites=true&w=majority&appName=Cluster0';
    expect(parseMongoUrl(url)).toMatchObject({
      isSrv: true,
      host: 'cluster0.example.net',
      tls: 'verify-full',
    });
    expect(parseMongoUrl('mongodb+srv://u:p@c.example.net/shop?tls=false').tls).toBe('off');
    expect(() => parseMongoUrl('mongodb+srv://c.example.net:27017')).toThrow(/can't have a port/);
  });

  test.each([
    ['http://h', /must have the form mongodb:/],
    ['mongodb:///x', /exactly one host/],
    ['mongodb://u:p@a:27017,b:27017/x', /several servers: use only one/],
    ['mongodb://a,b', /several servers: use only one/],
    ['mongodb://h:70000', /must have the form/],
    ['mongodb://:p@h', /names no user/],
    ['mongodb://h/a.b', /path must be the name of a database/],
    ['mongodb://h/local', /belongs to the server/],
    ['mongodb://h/?proxyHost=x', /parameter "proxyHost" is not supported/],
    ['mongodb://h/?authMechanism=MONGODB-AWS', /parameter "authMechanism" is not supported/],
    ['mongodb://h/x#y', /write "#" as %23/],
    ['mongodb://u:%ff@h', /password is not percent-encoded/],
  ])('%s is refused', (url, words) => {
    expect(() => parseMongoUrl(url)).toThrow(words);
  });

  test('the URL of a MongoDB is never quoted by its refusal, nor its password by its label', () => {
    const refused = () => parseMongoUrl('mongodb://u:tell-nobody@h/?x=1');
    expect(refused).toThrow(expect.objectContaining({ message: expect.not.stringMatching(/tell-nobody/) }));
    expect(labelOfMongo(parseMongoUrl('mongodb://u:tell-nobody@db.example.com:7000'))).toBe(
      'db.example.com/*',
    );
    expect(labelOfMongo(parseMongoUrl('mongodb://u:tell-nobody@db.example.com/shop'))).toBe(
      'db.example.com/shop',
    );
  });
});
