import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { parseCommandLine } from '../../runner/command-line.ts';
import { enroll } from '../../runner/enroll.ts';
import { startChild } from '../support/runner/child.ts';
import { temporaryDirectory } from '../support/runner/temporary-directory.ts';
import { startTestHub, type TestHub } from '../support/runner/test-hub.ts';

let hub: TestHub;
let data: string;

beforeEach(async () => {
  hub = await startTestHub();
  data = join(temporaryDirectory(), 'runner');
  return () => hub.close();
});

async function runner(...args: string[]) {
  const child = startChild('runner/main.ts', args);
  return { code: await child.ended, output: child.output() };
}

/** What the command line says, with ports of the test's own: those of this machine may all be in use. */
async function enrolWith(...more: string[]) {
  const args = ['enroll', '--url', hub.url, '--token', 'tok', '--data', data, ...more];
  const command = parseCommandLine(args, {});
  if (command.verb !== 'enroll') throw new Error('not an enrolment');
  return await enroll(command.options, (_, use) => use(ports));
}
const ports = { webPorts: { first: 41_000, last: 41_999 }, databasePorts: { first: 45_000, last: 45_999 } };
const modeOf = (name = '') => statSync(join(data, name)).mode & 0o777;

test('enrolling registers keys and facts, and writes settings that only the owner can read', async () => {
  const acme = ['--acme-ca', 'https://ca.example/dir', '--acme-email', 'ops@example.com'];
  await enrolWith('--name', 'server-1', '--http-port', '8080', '--allow-private', 'git,import', ...acme);
  const [asked] = hub.enrolments;
  expect(asked).toMatchObject({ token: 'tok', name: 'server-1' });
  expect(asked?.facts).toMatchObject({ httpPort: 8080, httpsPort: 443, ...ports });
  expect(asked?.identityKey).not.toBe(asked?.sealingKey);
  const text = readFileSync(join(data, 'runner.json'), 'utf8');
  expect(JSON.parse(text)).toMatchObject({
    url: hub.url,
    runnerId: 'run_aaaaaaaaaaaaaaaa',
    name: 'server-1',
    allowPrivate: ['git', 'import'],
    acmeDirectory: 'https://ca.example/dir',
    acmeEmail: 'ops@example.com',
    ...ports,
  });
  expect(modeOf()).toBe(0o700);
  for (const name of ['runner.json', 'identity.pem', 'sealing.pem']) expect(modeOf(name)).toBe(0o600);
  expect(text).not.toContain('"tok"');
});

test('enrolling a second time in one data directory is refused with a way out', async () => {
  await enrolWith();
  const refused = await runner('enroll', '--url', hub.url, '--token', 'tok', '--data', data);
  expect(refused.code).toBe(1);
  expect(refused.output).toMatch(/^This host is enrolled already .*choose another --data.*\n$/);
  expect(hub.enrolments).toHaveLength(1);
});

test('enrolling may be repeated after a refusal, with the same keys', async () => {
  hub.refuseEnrolment = { status: 401, body: { error: 'The token is used up.', code: 'unauthenticated' } };
  await expect(enrolWith()).rejects.toThrow(`${hub.url} refused the enrolment: The token is used up.`);
  const key = readFileSync(join(data, 'identity.pem'), 'utf8');
  delete hub.refuseEnrolment;
  await enrolWith();
  expect(readFileSync(join(data, 'identity.pem'), 'utf8')).toBe(key);
});

test('enrolling takes the token from the environment, where no process list shows it', () => {
  const command = parseCommandLine(['enroll', '--url', hub.url], { LONGSHORE_TOKEN: 'tok' });
  expect(command).toMatchObject({ verb: 'enroll', options: { token: 'tok' } });
});

test('enrolling with a control plane that does not answer reports it', async () => {
  // compressnet: nobody listens there.
  await expect(enrolWith('--url', 'http://127.0.0.1:2')).rejects.toThrow(
    /^http:\/\/127\.0\.0\.1:2 does not answer: .*ECONNREFUSED/,
  );
});

test.each([
  [['enroll', '--token', 'x'], /needs --url/],
  [['enroll', '--url', 'https://x'], /needs --token/],
  [['enroll', '--url', 'ftp://x', '--token', 'x'], /is not an http or https address/],
  [['enroll', '--url', 'https://x', '--token', 'x', '--http-port', '0'], /--http-port 0 is not a port/],
  [
    ['enroll', '--url', 'https://x', '--token', 'x', '--public-ip', 'a.b'],
    /--public-ip a\.b is not an IP address/,
  ],
  [['enroll', '--url', 'https://x', '--token', 'x', '--allow-private', 'all'], /git, import/],
  [['deploy'], /no command "deploy"/],
  [['run', 'now'], /is not expected here/],
  [['run', '--verbose'], /--verbose/],
])('the command line %j is refused in one sentence with exit code 1', async (args, sentence) => {
  const { code, output } = await runner(...args);
  expect(code).toBe(1);
  expect(output).toMatch(sentence);
  expect(output.trimEnd().split('\n')).toHaveLength(1);
});

test('--help names every option', async () => {
  const { code, output } = await runner('--help');
  expect(code).toBe(0);
  for (const flag of [
    'url',
    'token',
    'data',
    'name',
    'http-port',
    'https-port',
    'caddy',
    'allow-private',
    'public-ip',
  ]) {
    expect(output).toContain(`--${flag}`);
  }
});

test.each([
  ['{', /runner\.json can't be used/],
  ['{"url":"https://x"}', /runner\.json can't be used/],
])('a settings file of %j is refused in one sentence', async (text, sentence) => {
  await enrolWith();
  writeFileSync(join(data, 'runner.json'), text);
  const { code, output } = await runner('run', '--data', data);
  expect(code).toBe(1);
  expect(output).toMatch(sentence);
  expect(output.trimEnd().split('\n')).toHaveLength(1);
});

test('settings without usable keys are refused in one sentence', async () => {
  await enrolWith();
  writeFileSync(join(data, 'sealing.pem'), readFileSync(join(data, 'identity.pem')));
  const { code, output } = await runner('run', '--data', data);
  expect(code).toBe(1);
  expect(output).toMatch(/sealing\.pem can't be used \(it contains no x25519 key\)/);
});
