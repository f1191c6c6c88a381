/** The log of the running container: from the runner's frames to the client's events. */
import { createExecutionContext, evictDurableObject } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { eq } from 'drizzle-orm';
import { beforeEach, expect, test } from 'vitest';
import { protocolVersion, type RuntimeLine } from '../../../../protocol/frames.ts';
import { newId } from '../../../../protocol/ids.ts';
import { createApp } from '../../../../worker/app.ts';
import { movedLine } from '../../../../worker/domain/logs/log-events.ts';
import { RecentLines } from '../../../../worker/domain/logs/recent-lines.ts';
import { runtimeLogOf } from '../../../../worker/gateways/runtime-logs.ts';
import { services } from '../../../../worker/store/schema/services.ts';
import { tenants } from '../../../../worker/store/schema/tenants.ts';
import { createClient, deps, insertKey, insertProject } from '../../../support/worker/api.ts';
import { enrolRunner, FakeRunner, setHubClock } from '../../../support/worker/fake-runner.ts';
import { deploy, newHost, runnerRow, type TestHost } from '../../../support/worker/host.ts';
import { parseEvents } from '../../../support/worker/log-reader.ts';
import { LogSocket } from '../../../support/worker/log-socket.ts';

const second = 1_790_000_000_000_000;
const line = (n: number, text = `line ${n}`): RuntimeLine => ({
  id: second + n,
  stream: 'stdout',
  line: text,
});

let host: TestHost;
let runner: FakeRunner;
let serviceId: string;
let token: string;

beforeEach(async () => {
  host = await newHost();
  serviceId = (await host.addService()).id;
  runner = await FakeRunner.connect(host.keys);
  ({ token } = await insertKey({ access: 'read' }));
});

/** Opens the stream; resolves when the answer's head is there. */
async function open(headers: Record<string, string> = {}) {
  const request = new Request(`https://longshore.test/api/services/${serviceId}/runtime-logs/stream`, {
    headers: { authorization: `Bearer ${token}`, ...headers },
  });
  const response = await createApp().fetch(request, env, createExecutionContext());
  if (!response.body || response.status !== 200)
    throw new Error(`${response.status} ${await response.text()}`);
  const reader = response.body.getReader();
  const decoder = new TextDecoder();
  let text = '';
  const until = async (part: string) => {
    while (!text.includes(part)) {
      const { value, done } = await reader.read();
      if (done) throw new Error(`ended: ${text}`);
      text += decoder.decode(value, { stream: true });
    }
  };
  const events = () => parseEvents(text).map(({ event, data }) => [event, JSON.parse(data)]);
  return { until, events, leave: () => reader.cancel(), end: async () => until('"closed":true') };
}

const sendLines = (part: 'past' | 'live', ...lines: RuntimeLine[]) =>
  runner.send({ v: protocolVersion, type: 'runtime-logs', serviceId, part, lines });

test('the first reader makes the host send the last 200 lines, and later lines follow with their fields', async () => {
  const stream = await open();
  expect(await runner.next('tail')).toMatchObject({ serviceId, after: 0, lines: 200 });
  sendLines('past', { ...line(1), replica: 2 }, line(2));
  sendLines('live', { ...line(3, 'ünïcode "quoted"'), replica: 3 });
  await stream.until('quoted');
  const entry = (n: number, text = `line ${n}`) => ({
    id: second + n,
    line: text,
    stream: 'stdout',
    createdAt: new Date((second + n) / 1000).toISOString(),
  });
  expect(stream.events()).toEqual([
    ['snapshot', [{ ...entry(1), replica: 2 }, entry(2)]],
    ['log', { ...entry(3, 'ünïcode "quoted"'), replica: 3 }],
  ]);
  expect(await runner.next('tail-ack')).toMatchObject({ serviceId, watched: true });
});

test('a second reader is served from memory, both get what follows, and the last to leave ends it', async () => {
  const first = await open();
  await runner.next('tail');
  sendLines('past', line(1));
  await first.until('line 1');
  const late = await open();
  expect(await runner.next('tail')).toMatchObject({ lines: 0 });
  await late.until('line 1');
  sendLines('live', line(2));
  await Promise.all([first.until('line 2'), late.until('line 2')]);
  await first.leave();
  await late.leave();
  for (;;) {
    sendLines('live', line(3));
    if (!(await runner.next('tail-ack')).watched) break;
  }
});

test('readers that come at once share one question to the host', async () => {
  const readers = await Promise.all([open(), open(), open(), open()]);
  await runner.next('tail');
  sendLines('past', line(1));
  await Promise.all(readers.map(({ until }) => until('line 1')));
  await open();
  expect(await runner.next('tail')).toMatchObject({ lines: 0 });
});

test('Last-Event-ID resumes: the snapshot holds only later lines', async () => {
  const stream = await open({ 'last-event-id': String(second + 1) });
  await runner.next('tail');
  sendLines('past', line(1), line(2));
  await stream.until('line 2');
  expect(
    stream
      .events()
      .flatMap(([, data]) => data)
      .map(({ line: text }) => text),
  ).toEqual(['line 2']);
});

test('one key cannot take the places of all readers of a log; closing a stream frees its place', async () => {
  const tenantId = newId('tenant', deps.fillRandom);
  await deps.db
    .insert(tenants)
    .values({ id: tenantId, name: tenantId, quotas: { logReadersPerKey: 2 }, createdAt: 1 });
  const project = await insertProject({ tenantId });
  serviceId = (await host.addService({ projectId: project.id })).id;
  const other = await insertKey({ tenantId, access: 'read' });
  ({ token } = await insertKey({ tenantId, access: 'read' }));
  const first = await open();
  await runner.next('tail');
  sendLines('past', line(1));
  await first.until('line 1');
  await open();
  const own = token;
  const refused = await createClient()('GET', `/api/services/${serviceId}/runtime-logs/stream`, { token });
  expect([refused.status, refused.headers.get('retry-after'), refused.body]).toEqual([
    429,
    '10',
    expect.objectContaining({
      code: 'rate_limited',
      error: 'This key has 2 streams of this log open, which is its limit: close some, or try again later.',
    }),
  ]);
  token = other.token;
  await (await open()).until('line 1');
  token = own;
  await first.leave();
  await expect
    .poll(() =>
      open().then(
        () => 'open',
        () => 'refused',
      ),
    )
    .toBe('open');
});

test('the short-lived keys of a key share its places among the readers of a log', async () => {
  const tenantId = newId('tenant', deps.fillRandom);
  await deps.db
    .insert(tenants)
    .values({ id: tenantId, name: tenantId, quotas: { logReadersPerKey: 1 }, createdAt: 1 });
  const project = await insertProject({ tenantId });
  serviceId = (await host.addService({ projectId: project.id })).id;
  const maker = await insertKey({ tenantId, access: 'deploy' });
  const made = await insertKey({ tenantId, access: 'read', madeBy: maker.id });
  token = maker.token;
  const first = await open();
  await runner.next('tail');
  sendLines('past', line(1));
  await first.until('line 1');
  const path = `/api/services/${serviceId}/runtime-logs/stream`;
  const refused = await createClient()('GET', path, { token: made.token });
  expect([refused.status, refused.body.code]).toEqual([429, 'rate_limited']);
});

test('repeated lines come once, in the order of their ids', async () => {
  const stream = await open();
  await runner.next('tail');
  sendLines('past', line(2), line(3));
  sendLines('live', line(4));
  sendLines('live', line(4), line(5));
  await stream.until('line 5');
  const ids = stream
    .events()
    .flatMap(([, data]) => data)
    .map(({ id }) => id - second);
  expect(ids).toEqual([2, 3, 4, 5]);
});

test('a line from the far future hides none of those that follow', async () => {
  const stream = await open();
  await runner.next('tail');
  sendLines('past', line(1));
  sendLines('live', { ...line(0, 'from the year 2200'), id: 7_258_118_400_000_000 });
  sendLines('live', line(2));
  await stream.until('line 2');
  const texts = stream.events().flatMap(([, data]) => data);
  expect(texts.map(({ line: text }) => text)).toEqual(['line 1', 'line 2']);
});

test('a service that moves takes its log along: old readers end, and lines of the old host are dropped', async () => {
  const old = await open();
  await runner.next('tail');
  sendLines('past', line(1, 'of the old host'));
  await old.until('old host');
  const keys = await enrolRunner('new');
  const arrived = await FakeRunner.connect(keys);
  await env.DB.prepare('update services set runner_id = ? where id = ?').bind(keys.runnerId, serviceId).run();
  const stream = await open();
  await old.end();
  expect(await arrived.next('tail')).toMatchObject({ after: 0, lines: 200 });
  sendLines('live', line(2, 'of the old host'));
  expect((await runner.next('tail-ack')).watched).toBe(true);
  expect((await runner.next('tail-ack')).watched).toBe(false);
  const past = { v: protocolVersion, type: 'runtime-logs', serviceId, part: 'past' } as const;
  arrived.send({ ...past, lines: [line(3, 'of the new host')] });
  await stream.until('new host');
  const texts = stream.events().flatMap(([, data]) => data);
  expect(texts.map(({ line: text }) => text)).toEqual(['of the new host']);
});

test('the stream of a service that moves says so, and ends with the deployment at the new host', async () => {
  const old = await open();
  await runner.next('tail');
  sendLines('past', line(1));
  await old.until('line 1');
  const keys = await enrolRunner('new');
  const arrived = await FakeRunner.connect(keys);
  const planned = { nextRunnerId: keys.runnerId, nextHostPort: 41_777 };
  await deps.db.update(services).set(planned).where(eq(services.id, serviceId));
  await deploy({ id: serviceId, runnerId: host.runnerId });
  const start = await arrived.next('start');
  await arrived.report(start, { type: 'result', result: { outcome: 'succeeded', facts: {} } });
  await old.end();
  expect(old.events().slice(-2)).toEqual([
    ['log', expect.objectContaining({ id: second + 2, stream: 'system', line: movedLine })],
    ['status', { ok: false, closed: true, code: 'moved', error: expect.stringContaining('another host') }],
  ]);
});

test('readers outlive the sleep of the object', async () => {
  const stream = await open();
  await runner.next('tail');
  sendLines('past', line(1));
  await stream.until('line 1');
  await evictDurableObject(runtimeLogOf(env.RUNTIME_LOG, serviceId), { webSockets: 'hibernate' });
  sendLines('live', line(2));
  await stream.until('line 2');
});

const away = {
  ok: false,
  closed: true,
  code: 'runner_offline',
  error: expect.stringContaining('not connected'),
};

test('a stream whose host falls silent, as by a cut link, ends within 45 s and says why; the host counts as away then', async () => {
  const stream = await open();
  await runner.next('tail');
  sendLines('past', line(1));
  await stream.until('line 1');
  await setHubClock(host.runnerId, Date.now() + 29_000);
  await runtimeLogOf(env.RUNTIME_LOG, serviceId).keepFollowing();
  expect((await runnerRow(host.runnerId)).connectedAt).not.toBeNull();
  // The Worker looks every 15 s.
  await setHubClock(host.runnerId, Date.now() + 44_000);
  await runtimeLogOf(env.RUNTIME_LOG, serviceId).keepFollowing();
  await stream.end();
  expect(stream.events().at(-1)).toEqual(['status', away]);
  await expect.poll(() => runnerRow(host.runnerId)).toMatchObject({ connectedAt: null });
});

test('a log whose host is away is 503 at once, and a stream whose host leaves ends with its status', async () => {
  const stream = await open();
  await runner.next('tail');
  sendLines('past', line(1));
  await stream.until('line 1');
  await runner.disconnect();
  await runtimeLogOf(env.RUNTIME_LOG, serviceId).keepFollowing();
  await stream.end();
  expect(stream.events().at(-1)).toEqual(['status', away]);
  const reply = await createClient()('GET', `/api/services/${serviceId}/runtime-logs/stream`, { token });
  expect([reply.status, reply.body.code]).toEqual([503, 'runner_offline']);
});

test('a static site has no runtime log (400)', async () => {
  const { id } = await host.addService({ runtimeMode: 'static' });
  const reply = await createClient()('GET', `/api/services/${id}/runtime-logs/stream`, { token });
  expect([reply.status, reply.body.code]).toEqual([400, 'unsupported']);
});

test('stored lines are bounded, and a reader that falls behind gets a notice', () => {
  const recent = new RecentLines();
  recent.add(Array.from({ length: 5_000 }, (_, n) => line(n + 1)));
  const { lines, isComplete } = recent.after(second + 1);
  expect([lines.length, isComplete]).toEqual([2_000, false]);
  expect(recent.after(second + 4_999)).toEqual({ lines: [line(5_000)], isComplete: true });
});

test('the host sends over a socket of its own: readers get each line once, the hub is left alone, and the last reader ends it', async () => {
  const stream = await open();
  const { ticket = '' } = await runner.next('tail');
  sendLines('past', line(1));
  sendLines('live', line(2));
  const socket = await LogSocket.open(ticket);
  const send = (part: 'past' | 'live', ...lines: RuntimeLine[]) =>
    socket.send({ v: protocolVersion, type: 'runtime-logs', serviceId, part, lines });
  // What the hub did not answer yet is sent again.
  send('live', line(2));
  send('live', line(3));
  await stream.until('line 3');
  expect([await socket.next(), await socket.next()]).toEqual([tailAck(true), tailAck(true)]);
  await runtimeLogOf(env.RUNTIME_LOG, serviceId).keepFollowing();
  expect(await socket.next()).toMatchObject({ type: 'tail', serviceId, lines: 0 });
  expect(runner.unreadNow).not.toContain('tail');
  expect(stream.events().flatMap(([, data]) => data)).toHaveLength(3);
  // Answers are counted by the runner: only those to live frames.
  send('past', line(1));
  send('live', line(4));
  await stream.until('line 4');
  expect(await socket.next()).toEqual(tailAck(true));
  expect(socket.unread).toEqual([]);
  await stream.leave();
  expect(await socket.closed).toBe(1000);
});

test('lines of a host that the service has left are dropped on its socket too', async () => {
  await open();
  const { ticket = '' } = await runner.next('tail');
  const socket = await LogSocket.open(ticket);
  const other = await newHost();
  await deps.db.update(services).set({ runnerId: other.runnerId }).where(eq(services.id, serviceId));
  const elsewhere = await FakeRunner.connect(other.keys);
  const moved = await open();
  expect(await socket.closed).toBe(1000);
  await elsewhere.next('tail');
  elsewhere.send({ v: protocolVersion, type: 'runtime-logs', serviceId, part: 'past', lines: [line(1)] });
  await moved.until('line 1');
});

const tailAck = (watched: boolean) => ({ v: protocolVersion, type: 'tail-ack', serviceId, watched });
