// biome-ignore-all lint/suspicious/noTemplateCurlyInString: references of variables are written like that
import { describe, expect, test } from 'vitest';
import { isSecretByRule } from '../../../../worker/domain/variables/secret-variables.ts';

describe('the name decides', () => {
  test.each(
    'API_KEY STRIPE_SECRET_KEY KEY SSH_KEYS API_KEY_2 API_KEY2 ENCRYPTION_KEY_V1 APIKEY MY_APIKEY JWT_SECRET SECRET_KEY_BASE GITHUB_TOKEN TOKENS POSTGRES_PASSWORD MYSQL_ROOT_PASSWORD PASSPHRASE DB_PASS REDIS_PASSWD DB_PWD GOOGLE_APPLICATION_CREDENTIALS PRIVATE_URL SENTRY_DSN NPM_AUTH PASSWORD_SALT'.split(
      ' ',
    ),
  )('%s is secret, even without a value', (key) => {
    expect([isSecretByRule(key, 'x'), isSecretByRule(key, '')]).toEqual([true, true]);
  });

  test.each(
    'NODE_ENV PORT LOG_LEVEL POSTGRES_USER POSTGRES_DB GREETING KEYCLOAK_URL MONKEY AUTHOR HOCKEY_URL PWD OLDPWD DATABASE_URL DSNAME MYSQL_DATABASE MONGO_INITDB_ROOT_USERNAME TIMESCALEDB_TELEMETRY CLICKHOUSE_DEFAULT_ACCESS_MANAGEMENT'.split(
      ' ',
    ),
  )('%s is plain', (key) => {
    expect(isSecretByRule(key, 'x')).toBe(false);
  });
});

describe('the value decides', () => {
  test.each([
    ['a URL with a password', 'postgres://app:hunter2@db:5432/app'],
    ['a URL with a password and no user', 'redis://:hunter2@cache:6379'],
    ['a password with an unencoded slash', 'postgres://app:p/w#d@db/app'],
    ['a password of a reference and more', 'postgres://app:x${db.PASS}@db/app'],
    ['such a URL among others', 'http://a.example,amqp://me:hunter2@mq'],
    ['a query with a credential', 'https://api.example.com/?v=1&api_key=12345'],
    ['a connection string', 'Server=db;User Id=sa;Password=hunter2'],
    ['libpq keywords', 'host=db user=app password=hunter2'],
    ['an Azure connection string', 'AccountName=x;AccountKey=abc=='],
    ['a private key', '-----BEGIN PRIVATE KEY-----\nMII\n-----END PRIVATE KEY-----'],
    ['a certificate with its key', '-----BEGIN CERTIFICATE-----\nM\n-----BEGIN RSA PRIVATE KEY-----'],
    ['an OpenPGP key', '-----BEGIN PGP PRIVATE KEY BLOCK-----'],
    ['a service account', '{"private_key":"-----BEGIN PRIVATE KEY-----\\nMII"}'],
    ['a PEM block in base64', btoa('-----BEGIN PRIVATE KEY-----\nMII')],
    ['a GitHub token', 'ghp_0123456789abcdefghij0123456789abcdef'],
    ['a Stripe key', `sk_${'live'}_0123456789abcdefghij`],
    ['an AWS key id', 'AKIAIOSFODNN7EXAMPLE'],
    ['a Slack token', `xox${'b'}-1234567890-abcdef`],
    ['a key of this platform', `lsk_${'a'.repeat(8)}_${'b'.repeat(49)}`],
    ['a JSON Web Token', 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2ln'],
    ['an incoming webhook', 'https://hooks.slack.com/services/T0/B0/xyz'],
  ])('%s is secret', (_, value) => {
    expect(isSecretByRule('SETTING', value)).toBe(true);
  });

  test.each([
    ['', 'production', '8080', 'true', 'https://example.com/?q=1', 'http://localhost:3000/@scope/pkg'],
    ['postgres://app@db/app', 'ssh://git@github.com:22/x', 'http://a:80,http://b@c', 'me@example.com'],
    ['${db.DATABASE_URL}', 'postgres://${U}:${db.POSTGRES_PASSWORD}@db/app', 'x?password=${db.PASS}'],
    [
      '-----BEGIN CERTIFICATE-----\nMII',
      '-----BEGIN PUBLIC KEY-----\nMII',
      'sha256:0f1e2d3c4b5a',
      'key: value',
    ],
    ['max_tokens=4096', 'feature=secretless', 'sk', 'eyJ', '550e8400-e29b-41d4-a716-446655440000'],
  ])('%s and the like are plain', (...values) => {
    expect(values.map((value) => isSecretByRule('SETTING', value))).toEqual(values.map(() => false));
  });
});

test.each(['a', 'a://a:', 'eyJ-', '-----BEGIN ', 'password ', '${A}', 'http://', 'sk-', ' '])(
  'a hostile value of 64 KB of %j is classified in little time',
  (part) => {
    const value = part.repeat(Math.floor(65_536 / part.length));
    const start = performance.now();
    isSecretByRule('SETTING', value);
    expect(performance.now() - start).toBeLessThan(5_000); // a busy machine
  },
);
