import { appendFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { FailureReader } from '../../../../runner/proxy/certificates/issuer-failure.ts';
import { followIssuerLog } from '../../../../runner/proxy/certificates/issuer-log.ts';
import { temporaryDirectory } from '../../../support/runner/temporary-directory.ts';

const identifier = 'shop.example';
const ended = (error: string) =>
  JSON.stringify({
    level: 'error',
    logger: 'tls.obtain',
    msg: 'could not get certificate from issuer',
    identifier,
    error,
  });
const challenge = (fields: object) =>
  JSON.stringify({ level: 'error', msg: 'challenge failed', identifier, ...fields });

/** What Caddy 2.6.2 wrote when pebble could not connect. */
const challenges26 = [
  challenge({
    logger: 'http.acme_client',
    challenge_type: 'http-01',
    status_code: 400,
    problem_type: 'urn:ietf:params:acme:error:connection',
    error: 'dial tcp 192.0.2.1:80: connect: connection refused',
  }),
  challenge({
    logger: 'http.acme_client',
    challenge_type: 'tls-alpn-01',
    error: 'Failed to connect to 192.0.2.1:443.',
  }),
];
const noSolvers = `[${identifier}] solving challenges: ${identifier}: no solvers available for remaining challenges (configured=[http-01 tls-alpn-01] offered=[tls-alpn-01 dns-01 http-01] remaining=[dns-01]) (order=https://ca.example/order/1) (ca=https://ca.example/dir)`;

function read(...lines: string[]) {
  const reader = new FailureReader();
  return lines.map((line) => reader.take(line)).at(-1);
}

test('the reason for which a CA gave no certificate names what each challenge found', () => {
  expect(read(...challenges26, ended(noSolvers))).toEqual({
    hostname: identifier,
    failure: {
      kind: 'refused',
      sentence:
        'The CA could not verify that shop.example points to this host. HTTP-01: dial tcp 192.0.2.1:80: connect: connection refused; TLS-ALPN-01: Failed to connect to 192.0.2.1:443.',
    },
  });
});

test('the reason for which a CA gave no certificate is found where later Caddys nest it', () => {
  const problem = { type: 'urn:ietf:params:acme:error:dns', detail: 'no valid A records found' };
  const line = challenge({ logger: 'tls.issuance.acme.acme_client', challenge_type: 'http-01', problem });
  expect(read(line, ended(noSolvers))?.failure.sentence).toContain('HTTP-01: no valid A records found.');
});

test.each([
  [
    `HTTP 429 urn:ietf:params:acme:error:rateLimited - too many failed authorizations (5) for "${identifier}" in the last 1h0m0s`,
    'limited',
    `The CA's rate limit is reached: too many failed authorizations (5) for "${identifier}" in the last 1h0m0s.`,
  ],
  [
    'HTTP 403 urn:ietf:params:acme:error:caa - CAA record for shop.example prevents issuance',
    'refused',
    'The CA refused: CAA record for shop.example prevents issuance.',
  ],
  [
    'HTTP 500 urn:ietf:params:acme:error:serverInternal - Service busy; retry later.',
    'unreachable',
    'The CA reported an internal error: Service busy; retry later.',
  ],
  [
    `[${identifier}] creating new order: Get "https://ca.example/dir": dial tcp 192.0.2.1:443: connect: connection refused (ca=https://ca.example/dir)`,
    'unreachable',
    'The CA can\'t be reached: creating new order: Get "https://ca.example/dir": dial tcp 192.0.2.1:443: connect: connection refused.',
  ],
])('the reason for which a CA gave no certificate is read from %s', (error, kind, sentence) => {
  expect(read(ended(error))?.failure).toEqual({ kind, sentence });
});

test('the reason of one order is not that of the next', () => {
  expect(
    read(...challenges26, ended(noSolvers), ended('dial tcp: i/o timeout'))?.failure.sentence,
  ).not.toContain('HTTP-01');
});

test('the reason for which a CA gave no certificate is cut where the CA quotes a whole page, and lines of other things are passed over', () => {
  const page = challenge({
    challenge_type: 'http-01',
    error: `Invalid response: "${'<p>'.repeat(5_000)}"`,
  });
  const sentence = read(page, ended(noSolvers))?.failure.sentence ?? '';
  expect(sentence.length).toBeLessThan(500);
  expect(read('no JSON', '{"msg":"x"}', '[]', JSON.stringify({ msg: 'will retry', identifier }))).toBe(
    undefined,
  );
});

test('the log is followed from its end on, over half lines and over being set aside', () => {
  const file = join(temporaryDirectory(), 'certificates.log');
  const line = (why: string) => `${ended(why)}\n`;
  const log = () => followed.failureOf(identifier)?.sentence;
  writeFileSync(file, line('before'));
  const followed = followIssuerLog(file);
  expect(log()).toBe(undefined);
  appendFileSync(file, line('first').slice(0, 50));
  expect(log()).toBe(undefined);
  appendFileSync(file, line('first').slice(50));
  expect(log()).toContain('first');
  expect(followed.failureOf(identifier)).toBe(followed.failureOf(identifier));
  renameSync(file, `${file}.1`);
  expect(log()).toContain('first');
  writeFileSync(file, line('second'));
  expect(log()).toContain('second');
  writeFileSync(file, '');
  appendFileSync(file, line('x'));
  expect(log()).toContain('x.');
});

test('the log may be missing at first', () => {
  expect(followIssuerLog('/nowhere/certificates.log').failureOf(identifier)).toBe(undefined);
});
