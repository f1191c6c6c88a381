/**
 * Shells, as a client opens them and as the host is told: who may, what passes, and each way in which they end.
 * @module-tag slow
 */
import {
  createExecutionContext,
  evictDurableObject,
  runDurableObjectAlarm,
  runInDurableObject,
} from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { and, desc, eq, like } from 'drizzle-orm';
import { beforeEach, expect, test } from 'vitest';
import { runnerPaths } from '../../../../protocol/enrolment.ts';
import { protocolVersion } from '../../../../protocol/frames.ts';
import type { HostRequestOf } from '../../../../protocol/host-request.ts';
import {
  shellPieceBytes,
  shellProtocol,
  shellShortMessages,
  shellWindowBytes,
} from '../../../../protocol/shells/shell.ts';
import { createApp } from '../../../../worker/app.ts';
import { shellOver } from '../../../../worker/domain/services/shell-messages.ts';
import type { Shell } from '../../../../worker/objects/shell.ts';
import { apiKeys } from '../../../../worker/store/schema/api-keys.ts';
import { auditLog } from '../../../../worker/store/schema/audit.ts';
import { services } from '../../../../worker/store/schema/services.ts';
import { createClient, deps, insertKey, insertTenant, type Reply } from '../../../support/worker/api.ts';
import { FakeRunner, origin } from '../../../support/worker/fake-runner.ts';
import { newHost, type TestHost } from '../../../support/worker/host.ts';
import { insertMember } from '../../../support/worker/members.ts';

const call = createClient();
let host: TestHost;
let runner: FakeRunner;
let serviceId: string;
let key: Awaited<ReturnType<typeof insertKey>>;

beforeEach(async () => {
  host = await newHost();
  runner = await FakeRunner.connect(host.keys);
  serviceId = (await host.addService({ lastDeployedAt: 1 })).id;
  key = await insertKey();
});

const open = (body: object = {}, token = key.token) =>
  call('POST', `/api/services/${serviceId}/shells`, { token, body });

/** What one side has received, in order: texts parsed, bytes as arrays. */
class End {
  readonly got: unknown[] = [];
  readonly closed: Promise<number>;
  readonly socket: WebSocket;
  constructor(socket: WebSocket) {
    this.socket = socket;
    socket.binaryType = 'arraybuffer';
    this.closed = new Promise((resolve) => socket.addEventListener('close', ({ code }) => resolve(code)));
    socket.addEventListener('message', ({ data }) => {
      const isText = typeof data === 'string';
      this.got.push(isText ? JSON.parse(data) : [...new Uint8Array(data as ArrayBuffer)]);
    });
    socket.accept();
  }
  say(message: object): void {
    this.socket.send(JSON.stringify(message));
  }
  send(stream: number, length: number, filler = 7): void {
    this.socket.send(new Uint8Array(length + 1).fill(filler, 1).fill(stream, 0, 1));
  }
}

async function upgrade(path: string, headers: Record<string, string>): Promise<Response> {
  const request = new Request(`${origin}${path}`, { headers: { upgrade: 'websocket', ...headers } });
  return createApp().fetch(request, env, createExecutionContext());
}
const asHost = ({ shellId, token }: HostRequestOf<'open-shell'>) =>
  upgrade(`${runnerPaths.shell}?shell=${shellId}`, { authorization: `Bearer ${token}` });
const asClient = (id: string, ticket: string) =>
  upgrade(`/api/shells/connect?shell=${id}`, { 'sec-websocket-protocol': `${shellProtocol}, ${ticket}` });

/** A runner that connects to the session, as the real one does. */
async function answer(
  container = 'longshore-container',
): Promise<{ ask: HostRequestOf<'open-shell'>; end: End }> {
  const { id, ask } = await runner.next('request');
  if (ask.op !== 'open-shell') throw new Error(ask.op);
  const { webSocket } = await asHost(ask);
  if (!webSocket) throw new Error('the host was not let in');
  const value = { opened: true, container };
  runner.send({ v: protocolVersion, type: 'response', id, outcome: { ok: true, value } });
  return { ask, end: new End(webSocket) };
}

async function opened(body: object = {}) {
  const [reply, { ask, end: hostEnd }] = await Promise.all([open(body), answer()]);
  expect(reply.status, reply.text).toBe(200);
  const { shell, ticket } = reply.body;
  const response = await asClient(shell.id, ticket);
  expect([response.status, response.headers.get('sec-websocket-protocol')]).toEqual([101, shellProtocol]);
  if (!response.webSocket) throw new Error('no socket');
  const client = new End(response.webSocket);
  await expect.poll(() => hostEnd.got).toEqual([{ type: 'start' }]);
  hostEnd.got.length = 0;
  return { id: shell.id as string, ticket: ticket as string, ask, hostEnd, client };
}

const objectOf = (id: string) =>
  env.SHELL.get(env.SHELL.idFromName(id)) as unknown as DurableObjectStub<Shell>;
/** The start before the end: both are written after the answer, so either may be stored first. */
const entriesOf = (id: string) =>
  deps.db
    .select()
    .from(auditLog)
    .where(and(eq(auditLog.resourceId, id), like(auditLog.route, 'shell %')))
    .orderBy(desc(auditLog.route));
/** The session, at a time in the future. */
const later = (id: string, ms: number) =>
  runInDurableObject(objectOf(id), async (shell) => {
    const now = Date.now() + ms;
    shell.deps = { ...shell.deps, now: () => now };
    await shell.alarm();
  });
const over = (reason: unknown) => ({ type: 'exit', code: null, reason });

test('what one side sends arrives at the other in order, and the exit code ends both', async () => {
  const asked = { command: ['ls', '-l'], terminal: { columns: 80, rows: 24 } };
  const { id, ask, hostEnd, client } = await opened(asked);
  expect(ask).toMatchObject({
    ...{ serviceId, keyId: key.id, tenantId: 'default', command: asked.command },
    terminal: { ...asked.terminal, type: 'xterm-256color' },
  });
  client.send(0, 2);
  client.say({ type: 'resize', columns: 100, rows: 30 });
  hostEnd.send(1, 1);
  hostEnd.send(2, 1);
  await expect.poll(() => hostEnd.got).toEqual([[0, 7, 7], { type: 'resize', columns: 100, rows: 30 }]);
  await expect
    .poll(() => client.got)
    .toEqual([
      [1, 7],
      [2, 7],
    ]);
  hostEnd.say({ type: 'exit', code: 3, reason: null });
  expect([await client.closed, await hostEnd.closed]).toEqual([1000, 1000]);
  expect(client.got.at(-1)).toEqual({ type: 'exit', code: 3, reason: null });
  expect(hostEnd.got.at(-1)).toEqual({ type: 'over' });
  await expect.poll(async () => (await entriesOf(id)).length).toBe(2);
  const entries = await entriesOf(id);
  const container = `longshore-${serviceId}-stable`;
  expect(entries.map(({ route, actor, detail }) => ({ route, actor, detail }))).toEqual([
    { route: 'shell started', actor: key.id, detail: { serviceId, container } },
    {
      route: 'shell ended',
      actor: key.id,
      detail: { serviceId, container, seconds: 0, bytesIn: 2, bytesOut: 2, exitCode: 3, reason: null },
    },
  ]);
  const left = () =>
    runInDurableObject(objectOf(id), async (_, { storage }) => [
      (await storage.list()).size,
      await storage.getAlarm(),
    ]);
  await expect.poll(left).toEqual([0, null]);
});

test('an object that lost its memory goes on', async () => {
  const { id, hostEnd, client } = await opened();
  await evictDurableObject(objectOf(id));
  client.send(0, 1);
  hostEnd.send(1, 1);
  await expect.poll(() => [hostEnd.got, client.got]).toEqual([[[0, 7]], [[1, 7]]]);
});

test('a ticket and a token open their own end of their own session, once', async () => {
  const { id, ticket, ask, client } = await opened();
  const other = await opened();
  const refused = async (response: Response) => [
    response.status,
    (await response.json<{ code: string }>()).code,
  ];
  expect(await refused(await asClient(id, ticket))).toEqual([409, 'conflict']);
  expect(await refused(await asHost(ask))).toEqual([409, 'conflict']);
  for (const wrong of [other.ticket, ask.token, '', key.token])
    expect(await refused(await asClient(id, wrong))).toEqual([401, 'unauthenticated']);
  expect((await asHost({ ...ask, token: ticket })).status).toBe(401);
  client.socket.close(1000);
  await expect.poll(async () => (await entriesOf(id)).length).toBe(2);
  expect(await refused(await asClient(id, ticket))).toEqual([404, 'not_found']);
  expect((await asHost(ask)).status).toBe(404);
  expect((await call('GET', `/api/shells/connect?shell=${id}`)).status).toBe(400);
});

test('a page of another origin connects to no shell, not even with its ticket; a page of this one does', async () => {
  const [reply] = await Promise.all([open({}), answer()]);
  const { shell, ticket } = reply.body;
  const from = (headers: Record<string, string>) =>
    upgrade(shell.connectPath, { 'sec-websocket-protocol': `${shellProtocol}, ${ticket}`, ...headers });
  for (const headers of [
    { origin: 'https://evil.example' },
    { origin: 'null' },
    { origin, 'sec-fetch-site': 'cross-site' },
    { origin: `${origin}.evil.example` },
  ]) {
    const refused = await from(headers);
    expect([refused.status, (await refused.json<{ code: string }>()).code]).toEqual([403, 'forbidden']);
  }
  expect((await from({ origin })).status).toBe(101);
});

test.each<[string, (sides: { hostEnd: End; client: End }) => void, RegExp]>([
  ['a client that sends more than its window', ({ client }) => floods(client, 0), /The client did not keep/],
  ['a host that sends more than its window', ({ hostEnd }) => floods(hostEnd, 1), /The host did not keep/],
  ['a client that sends output', ({ client }) => client.send(1, 1), /The client did not keep/],
  ['a host that sends input', ({ hostEnd }) => hostEnd.send(0, 1), /The host did not keep/],
  [
    'a piece that is too long',
    ({ hostEnd }) => hostEnd.send(1, shellPieceBytes + 1),
    /The host did not keep/,
  ],
  [
    'a client that sends single bytes without end',
    ({ client }) => {
      for (let sent = 0; sent <= 2 * shellShortMessages.burst; sent++) client.send(0, 1);
    },
    /more than 100 short messages a second/,
  ],
  ['an empty message', ({ client }) => client.socket.send(new Uint8Array(0)), /The client did not keep/],
  [
    'text that is no message',
    ({ client }) => client.say({ type: 'exit', code: 0 }),
    /The client did not keep/,
  ],
  [
    'a text that is too long',
    ({ hostEnd }) => hostEnd.socket.send('x'.repeat(5000)),
    /The host did not keep/,
  ],
  ['a host that goes', ({ hostEnd }) => hostEnd.socket.close(1000), /connection to the host was lost/],
])('%s ends the session, and both sides know', async (_, act, reason) => {
  const { id, hostEnd, client } = await opened();
  act({ hostEnd, client });
  await client.closed;
  await hostEnd.closed;
  expect(client.got.at(-1)).toEqual(over(expect.stringMatching(reason)));
  await expect
    .poll(async () => (await entriesOf(id)).at(1)?.detail)
    .toMatchObject({ reason: expect.stringMatching(reason) });
});

function floods(end: End, stream: number): void {
  for (let sent = 0; sent <= shellWindowBytes; sent += shellPieceBytes) end.send(stream, shellPieceBytes);
}

test('bytes that the other side has granted may be sent again', async () => {
  const { hostEnd, client } = await opened();
  for (let round = 0; round < 3; round++) {
    for (let sent = 0; sent < shellWindowBytes; sent += shellPieceBytes) hostEnd.send(1, shellPieceBytes);
    const pieces = ((round + 1) * shellWindowBytes) / shellPieceBytes;
    await expect.poll(() => client.got.length).toBe(pieces);
    client.say({ type: 'grant', bytes: shellWindowBytes });
    await expect.poll(() => hostEnd.got.length).toBe(round + 1);
  }
});

test.each<[string, () => Promise<{ token: string; end(): Promise<unknown> }>]>([
  [
    'key was revoked',
    async () => ({
      token: key.token,
      end: () => deps.db.update(apiKeys).set({ revokedAt: 1 }).where(eq(apiKeys.id, key.id)),
    }),
  ],
  [
    'member was removed',
    async () => ofMember((id, token) => call('DELETE', `/api/members/${id}`, { token })),
  ],
  [
    'role was lowered',
    async () =>
      ofMember((id, token) => call('PATCH', `/api/members/${id}`, { token, body: { role: 'viewer' } })),
  ],
])('a ticket whose %s before it was used starts no command, and both sides end', async (_, whose) => {
  const { token, end } = await whose();
  const [reply, { end: hostEnd }] = await Promise.all([open({}, token), answer()]);
  expect(reply.status, reply.text).toBe(200);
  await end();
  const { status, webSocket } = await asClient(reply.body.shell.id, reply.body.ticket);
  if (webSocket) {
    const client = new End(webSocket);
    await client.closed;
    expect(client.got).toEqual([over('The key that opened this shell is no longer valid for the service.')]);
  } else expect([401, 404]).toContain(status);
  await hostEnd.closed;
  expect(hostEnd.got).not.toContainEqual({ type: 'start' });
});

/** A developer, and what an owner does to them. */
async function ofMember(change: (id: string, token: string) => Promise<Reply>) {
  const [owner, member] = [await insertMember(), await insertMember({ role: 'developer' })];
  return {
    token: member.token,
    end: async () => expect((await change(member.id, owner.token)).status).toBe(200),
  };
}

test('the key is checked each minute: revoked, expired, lowered or without its project, it ends the session', async () => {
  const rotated = () => ({ tokenId: 'b0rotate', previousTokenId: key.tokenId, previousSecretHash: 'x' });
  const changes: (() => Partial<typeof apiKeys.$inferInsert>)[] = [
    () => ({ revokedAt: 1 }),
    () => ({ expiresAt: 1 }),
    () => ({ access: 'deploy' }),
    () => ({ allProjects: false }),
    () => ({ tokenId: 'a0rotate' }),
    () => ({ ...rotated(), tokenId: 'c0rotate', previousUntil: 1 }),
    // The old token would still be valid, but the key has ended.
    () => ({ ...rotated(), previousUntil: Date.now() + 86_400_000, expiresAt: 1 }),
  ];
  for (const change of changes) {
    const { id, client } = await opened();
    await runDurableObjectAlarm(objectOf(id));
    expect(client.got).toEqual([]);
    await deps.db.update(apiKeys).set(change()).where(eq(apiKeys.id, key.id));
    await runDurableObjectAlarm(objectOf(id));
    await client.closed;
    expect(client.got).toEqual([over(expect.stringContaining('no longer valid'))]);
    key = await insertKey();
  }
});

test('a service that moved to another host ends the session', async () => {
  const { id, client } = await opened();
  await deps.db
    .update(services)
    .set({ runnerId: (await newHost()).runnerId })
    .where(eq(services.id, serviceId));
  await runDurableObjectAlarm(objectOf(id));
  await client.closed;
});

test('a session that nobody connects to is forgotten', async () => {
  const [reply, { end }] = await Promise.all([open(), answer()]);
  await later(reply.body.shell.id, 31_000);
  await end.closed;
  expect((await asClient(reply.body.shell.id, reply.body.ticket)).status).toBe(404);
  expect(await entriesOf(reply.body.shell.id)).toEqual([]);
});

test('time ends a session: 30 minutes without a byte, 8 hours, and a side that is silent', () => {
  const minute = 60_000;
  const times = { createdAt: 0, startedAt: 0, usedAt: 0, client: 0, host: 0 };
  const at = (now: number, more: Partial<typeof times>) =>
    shellOver({ ...times, client: now, host: now, ...more }, now);
  expect(at(29 * minute, {})).toBeUndefined();
  expect(at(30 * minute, {})).toMatch(/30 minutes/);
  expect(at(30 * minute, { usedAt: minute })).toBeUndefined();
  expect(at(480 * minute, { usedAt: 479 * minute })).toMatch(/8 hours/);
  expect(at(4 * minute, { client: minute })).toMatch(/client was silent/);
  expect(at(4 * minute, { host: minute })).toMatch(/connection to the host/);
});

test('a new container is a command that waits, also of a stopped service, and is aborted when its shell is over', async () => {
  const { body } = await call('POST', `/api/services/${serviceId}/deployments`, { token: key.token });
  await runner.report(await runner.next('start'), {
    type: 'result',
    result: { outcome: 'succeeded', facts: {} },
  });
  expect(body.deployment.status).toBe('queued');
  await deps.db.update(services).set({ stopped: true }).where(eq(services.id, serviceId));
  const { ask, client } = await opened({ container: 'new' });
  const start = await runner.next('start');
  expect(start.spec).toMatchObject({ kind: 'run', runId: ask.runId, timeLimitSeconds: 18_000 });
  client.socket.close(1000);
  expect(await runner.next('abort')).toMatchObject({ job: start.job });
  const { hostEnd } = await opened({ container: 'new' });
  expect(hostEnd.got).toEqual([]);
});

test('a new container whose host refuses the shell, or is away, does not stay', async () => {
  const database = await host.addService({
    kind: 'database',
    repoFullName: 'database:redis',
    lastDeployedAt: 1,
  });
  const reply = await call('POST', `/api/services/${database.id}/shells`, {
    token: key.token,
    body: { container: 'new' },
  });
  expect(codeOf(reply)).toEqual([400, 'unsupported']);
  const away = await newHost();
  serviceId = (await away.addService({ lastDeployedAt: 1 })).id;
  expect(codeOf(await open({ container: 'new' }))).toEqual([503, 'runner_offline']);
  expect((await call('GET', `/api/services/${serviceId}/runs`, { token: key.token })).body.runs).toEqual([]);
});

const codeOf = ({ status, body }: Reply) => [status, body.code];

test('without a container, a runner that knows shells, or a connected host there is none, in words', async () => {
  const set = (fields: Partial<typeof services.$inferInsert>) =>
    deps.db.update(services).set(fields).where(eq(services.id, serviceId));
  await set({ stopped: true });
  const stopped = await open();
  expect([...codeOf(stopped), stopped.body.error]).toEqual([
    409,
    'conflict',
    expect.stringContaining('is stopped'),
  ]);
  await set({ stopped: false, lastDeployedAt: null });
  expect(codeOf(await open())).toEqual([409, 'conflict']);
  await set({ lastDeployedAt: 1, runtimeMode: 'static' });
  expect(codeOf(await open())).toEqual([400, 'unsupported']);
  await set({ runtimeMode: 'web' });
  const away = await newHost();
  serviceId = (await away.addService({ lastDeployedAt: 1 })).id;
  expect(codeOf(await open())).toEqual([503, 'runner_offline']);
});

test('what the host refuses is passed on, and leaves no session', async () => {
  const refuse = async (outcome: object) => {
    const reply = open();
    const { id, ask } = await runner.next('request');
    runner.sendText(JSON.stringify({ v: protocolVersion, type: 'response', id, outcome }));
    const known = ask as HostRequestOf<'open-shell'>;
    return [...codeOf(await reply), (await asHost(known)).status];
  };
  const value = { opened: false, code: 'quota_exceeded', message: 'Too many.' };
  expect(await refuse({ ok: true, value })).toEqual([409, 'quota_exceeded', 404]);
  expect(await refuse({ ok: true, value: 'nonsense' })).toEqual([503, 'unavailable', 404]);
  expect(await refuse({ ok: false, code: 'internal', message: 'no' })).toEqual([503, 'unavailable', 404]);
});

test('a key below write and a key of another tenant open none', async () => {
  const [read, deploy] = [await insertKey({ access: 'read' }), await insertKey({ access: 'deploy' })];
  for (const { token } of [read, deploy]) expect(codeOf(await open({}, token))).toEqual([403, 'forbidden']);
  const { token } = await insertKey({ access: 'destroy', tenantId: await insertTenant('other') });
  expect(codeOf(await open({}, token))).toEqual([404, 'not_found']);
});
