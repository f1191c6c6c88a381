/**
 * What the embedded control plane reaches for tenants, with the real workerd and a name with a dot that this machine resolves to loopback: it
 * is in a hosts file of a mount namespace of its own.
 * @module-tag slow
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { beforeAll, expect, onTestFinished, test } from 'vitest';
import { ensureWorkerBundle } from '../../local/worker-bundle/worker-bundle.ts';
import { temporaryDirectory } from '../support/runner/temporary.ts';

const projectRoot = fileURLToPath(new URL('../..', import.meta.url));
const cache = join(projectRoot, 'node_modules/.cache/longshore');
const inner = 'internal.corp-example.com';
const operatorToken = 'test-operator-token-0123456789abcdef';

beforeAll(() => ensureWorkerBundle({ projectRoot, cache }), 60_000);

/** Starts the control plane, says its address, and ends with its input. */
const program = (directory: string) => `
  import { startControlPlane } from '${projectRoot}local/control-plane/control-plane.ts';
  import { ensureWorkerBundle } from '${projectRoot}local/worker-bundle/worker-bundle.ts';
  const controlPlane = await startControlPlane({
    bundle: await ensureWorkerBundle(${JSON.stringify({ projectRoot, cache })}),
    migrationsDirectory: '${projectRoot}migrations',
    persistDirectory: '${directory}',
    port: 0,
    secrets: { OPERATOR_TOKEN: '${operatorToken}', ENCRYPTION_KEY: 'dGVzdC1lbmNyeXB0aW9uLWtleS0wMTIzNDU2Nzg5YWI' },
    logFile: '${directory}/control-plane.log',
    onRuntimeStart: () => undefined,
  });
  console.log('url ' + controlPlane.url);
  process.stdin.resume().once('end', () => void controlPlane.stop().then(() => process.exit(0)));
`;

/** @returns a caller of a control plane for which the name is one of this machine */
async function started() {
  const directory = await temporaryDirectory();
  const hosts = join(directory, 'hosts');
  await writeFile(hosts, `127.0.0.1 localhost ${inner}\n`);
  const own = process.getuid?.() === 0 ? '-m' : '-rm';
  const child: ChildProcess = spawn(
    'unshare',
    [
      ...[own, 'sh', '-c', 'mount --bind "$1" /etc/hosts && exec "$2" --input-type=module -e "$3"'],
      ...['sh', hosts, process.execPath, program(directory)],
    ],
    { stdio: ['pipe', 'pipe', 'inherit'] },
  );
  onTestFinished(async () => {
    const ended = once(child, 'exit');
    child.stdin?.end();
    await ended;
  });
  if (!child.stdout) throw new Error('no output');
  let url = '';
  for await (const line of createInterface({ input: child.stdout })) {
    url = /^url (.+)$/.exec(line)?.[1] ?? '';
    if (url !== '') break;
  }
  return async (method: string, path: string, token: string, body?: object, cookie = '') => {
    const reply = await fetch(`${url}${path}`, {
      method,
      headers: { authorization: `Bearer ${token}`, cookie },
      ...(body ? { body: JSON.stringify(body) } : {}),
    });
    const text = await reply.text();
    const { status, headers } = reply;
    return { status, text, cookie: headers.get('set-cookie') ?? '', json: () => JSON.parse(text) };
  };
}

/** A server of this machine that greets as a mail server does, and counts who comes. */
async function aPrivateServer() {
  const seen = { connections: 0 };
  const server = createServer((socket) => {
    seen.connections += 1;
    socket.on('error', () => undefined).end('550 words of a private server\r\n');
  });
  onTestFinished(() => void server.close());
  // Channels take no other ports for mail.
  for (const port of [2525, 2587, 587]) {
    server.listen(port, '127.0.0.1');
    const isFree = await once(server, 'listening').then(
      () => true,
      () => false,
    );
    if (isFree) return { seen, port };
  }
  throw new Error('no port for mail is free');
}

const mail = { from: 'a@example.com', to: ['b@example.com'] };
const channels: [string, (port: number) => object][] = [
  ['Slack', (port) => ({ slack: { url: `https://${inner}:${port}/v1/secrets?list=true` } })],
  ['a mail server', (port) => ({ smtp: { ...mail, host: inner, port, security: 'starttls' } })],
];

test('a tenant reaches no private server by a name, through channels, mails and the host of a GitHub App; the operator does once it is allowed', async () => {
  const call = await started();
  const { seen, port } = await aPrivateServer();
  const keyOf = async (tenantId: string) => {
    const body = { name: 'k', access: 'write', projects: 'all', expiresInDays: null, tenantId };
    const reply = await call('POST', '/api/system/keys', operatorToken, body);
    expect(reply.status, reply.text).toBe(200);
    return reply.json().token as string;
  };
  const tried = async (key: string) => {
    const answers: string[] = [];
    for (const [name, config] of channels) {
      const body = { name: `${name} ${Math.random()}`, events: ['*'], ...config(port) };
      const made = await call('POST', '/api/notification-channels', key, body);
      expect(made.status, made.text).toBe(200);
      const { id } = made.json().channel;
      answers.push((await call('POST', `/api/notification-channels/${id}/test`, key)).text);
    }
    const app = await call('POST', '/api/github-apps', key, { host: `${inner}:${port}` });
    expect(app.status, app.text).toBe(200);
    const state = new URL(app.json().setupUrl).searchParams.get('state');
    const { cookie } = await call('GET', `/api/github-setup?state=${state}`, '');
    const done = `/api/github-setup/done?state=${state}&code=abc`;
    answers.push((await call('GET', done, '', undefined, cookie.split(';')[0])).text);
    return answers;
  };
  const tenant = await call('POST', '/api/system/tenants', operatorToken, { name: 'strangers' });
  expect(tenant.status, tenant.text).toBe(200);
  const stranger = await keyOf(tenant.json().tenant.id);
  const answers = await tried(stranger);
  expect(answers.join()).not.toContain('words of a private server');
  expect(seen.connections).toBe(0);
  const own = await keyOf('default');
  await tried(own);
  expect(seen.connections).toBe(0);
  const allowed = { allowPrivateEventWebhook: true };
  expect((await call('PATCH', '/api/system/settings', operatorToken, allowed)).status).toBe(200);
  // The same requests arrive, so the others were kept from it.
  await tried(await keyOf('default'));
  expect(seen.connections).toBeGreaterThanOrEqual(3);
  const before = seen.connections;
  await tried(await keyOf(tenant.json().tenant.id));
  expect(seen.connections).toBe(before);
}, 120_000);
