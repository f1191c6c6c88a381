import { createExecutionContext } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { eq } from 'drizzle-orm';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { deploymentRoutes } from '../../../../worker/api/deployments/deployments.ts';
import { logDocument } from '../../../../worker/api/logs/log-document.ts';
import { createApp } from '../../../../worker/app.ts';
import { createDependencies } from '../../../../worker/context.ts';
import { logStreamOf } from '../../../../worker/gateways/log-streams.ts';
import { apiKeys } from '../../../../worker/store/schema/api-keys.ts';
import { deployments } from '../../../../worker/store/schema/deployments.ts';
import { deps, insertKey } from '../../../support/worker/api.ts';
import {
  insertDeploymentOf,
  insertHostedService,
  NotingHubs,
} from '../../../support/worker/deployment-rows.ts';
import { linesFrom, range } from '../../../support/worker/log-lines.ts';
import { entriesOf, type LogEntry, parseEvents } from '../../../support/worker/log-reader.ts';

let hubs: NotingHubs;
let token: string;
let keyId: string;
const building = { job: { state: 'active', epoch: 1 }, deployment: { status: 'building' } } as const;

beforeEach(async () => {
  hubs = new NotingHubs();
  ({ token, id: keyId } = await insertKey({ access: 'read' }));
});
afterEach(() => {
  vi.useRealTimers();
});

async function newDeployment(changes: Parameters<typeof insertDeploymentOf>[1] = building) {
  const { service, runner } = await insertHostedService();
  const rows = await insertDeploymentOf(service.id, changes);
  const { id } = rows.deployment;
  return { id, runner, job: rows.job, log: logStreamOf(env.LOG_STREAM, id) };
}

function get(path: string, headers: Record<string, string> = {}): Promise<Response> {
  const app = createApp({ dependenciesOf: () => ({ ...createDependencies(env), hubs }) }, deploymentRoutes);
  const request = new Request(`https://longshore.test${path}`, {
    headers: { authorization: `Bearer ${token}`, ...headers },
  });
  return Promise.resolve(app.fetch(request, env, createExecutionContext()));
}

/** Reads an event stream as it comes. */
class StreamReader {
  text = '';
  readonly #reader: ReadableStreamDefaultReader<Uint8Array>;
  readonly #decoder = new TextDecoder();

  constructor(response: Response) {
    if (!response.body) throw new Error('no body');
    this.#reader = response.body.getReader();
  }
  async until(part: string): Promise<void> {
    while (!this.text.includes(part)) if (!(await this.#next())) throw new Error(`ended: ${this.text}`);
  }
  async toEnd(): Promise<void> {
    while (await this.#next());
  }
  async #next(): Promise<boolean> {
    const { value, done } = await this.#reader.read();
    if (done) return false;
    this.text += this.#decoder.decode(value, { stream: true });
    return true;
  }
  get ids(): number[] {
    return parseEvents(this.text)
      .flatMap(entriesOf)
      .map(({ id }) => id);
  }
}

test('a log is read whole, each entry in the documented shape', async () => {
  const { id, log } = await newDeployment();
  expect(await (await get(`/api/deployments/${id}/logs`)).json()).toEqual({ logs: [] });
  await log.append(1, [
    { stream: 'stderr', at: Date.parse('2026-11-21T10:00:00.5Z'), line: 'tab\t "q" \0 ü' },
  ]);
  const response = await get(`/api/deployments/${id}/logs`);
  expect(response.headers.get('content-type')).toContain('application/json');
  const { logs } = await response.json<{ logs: LogEntry[] }>();
  expect(logs).toEqual([
    {
      id: 1,
      deploymentId: id,
      line: 'tab\t "q" \0 ü',
      stream: 'stderr',
      createdAt: expect.stringMatching(/Z$/),
    },
  ]);
});

test('a log of 10,000 lines is written page by page as the client takes it', async () => {
  const { id, log } = await newDeployment();
  for (let first = 1; first <= 10_000; first += 500) {
    const lines = linesFrom(first, first + 499).map((line) => ({
      ...line,
      line: line.line.padEnd(200, '.'),
    }));
    await log.append(first, lines);
  }
  let pages = 0;
  const logs = {
    ...deps.logs,
    readEntries: (deploymentId: string, after: number) => {
      pages += 1;
      return deps.logs.readEntries(deploymentId, after);
    },
  };
  const response = await logDocument(logs, id);
  expect(pages).toBe(1);
  const reader = response.body?.getReader();
  await reader?.read();
  expect(pages).toBeLessThanOrEqual(2);
  await reader?.cancel();

  const whole = await (await logDocument(deps.logs, id)).json<{ logs: LogEntry[] }>();
  expect(whole.logs.map((entry) => entry.id)).toEqual(range(1, 10_000));
});

test('a log of 50 MB is sent in pieces below 1 MB, none of them read before the client has taken the last', {
  tags: 'slow',
}, async () => {
  const { id, log } = await newDeployment();
  const text = 'x'.repeat(4_000);
  for (let first = 1; first <= 12_500; first += 250) {
    const lines = linesFrom(first, first + 249).map((line) => ({ ...line, line: text }));
    await log.append(first, lines);
  }
  const reader = (await logDocument(deps.logs, id)).body?.getReader();
  let bytes = 0;
  let largest = 0;
  for (let piece = await reader?.read(); piece?.value; piece = await reader?.read()) {
    bytes += piece.value.byteLength;
    largest = Math.max(largest, piece.value.byteLength);
  }
  expect(bytes).toBeGreaterThan(50_000_000);
  expect(largest).toBeLessThan(1_000_000);
});

test('lines are read by id: those after `after`, at most `limit`, over as many pages as that takes', async () => {
  const { id, log } = await newDeployment();
  for (let first = 1; first <= 6_000; first += 500) {
    const lines = linesFrom(first, first + 499).map((line) => ({
      ...line,
      line: line.line.padEnd(200, '.'),
    }));
    await log.append(first, lines);
  }
  const ask = (query: string) => get(`/api/deployments/${id}/logs?${query}`);
  const idsOf = async (query: string) => {
    const { logs } = await (await ask(query)).json<{ logs: LogEntry[] }>();
    return logs.map((entry) => entry.id);
  };
  expect(await idsOf('after=10&limit=3')).toEqual([11, 12, 13]);
  expect(await idsOf('limit=5000')).toEqual(range(1, 5_000));
  expect(await idsOf('after=5990')).toEqual(range(5_991, 6_000));
  expect(await idsOf('after=5998&limit=10000')).toEqual([5_999, 6_000]);
  expect(await idsOf('after=6000&limit=1')).toEqual([]);
  for (const query of ['after=-1', 'after=x', 'limit=0', 'limit=10001', 'from=1']) {
    expect([query, (await ask(query)).status]).toEqual([query, 400]);
  }
});

test('a live stream is a snapshot, each line as it comes, a status and the end', async () => {
  const { id, log, runner, job } = await newDeployment();
  await log.append(1, linesFrom(1, 2));
  const response = await get(`/api/deployments/${id}/stream`);
  expect(response.status).toBe(200);
  expect(response.headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
  const reader = new StreamReader(response);
  await reader.until('"id":2,');
  expect(hubs.calls).toEqual([`watch ${runner.id} ${job.id}`]);
  await log.append(3, linesFrom(3, 3));
  await reader.until('"id":3,');
  await deps.logs.finish(id, { ok: true });
  await reader.toEnd();
  expect(parseEvents(reader.text).map(({ event }) => event)).toEqual(['snapshot', 'log', 'status']);
  expect(reader.ids).toEqual([1, 2, 3]);
});

test('Last-Event-ID resumes: the snapshot holds only later lines', async () => {
  const { id, log } = await newDeployment();
  await log.append(1, linesFrom(1, 9));
  const reader = new StreamReader(await get(`/api/deployments/${id}/stream`, { 'last-event-id': '6' }));
  await reader.until('"id":9,');
  await log.append(10, linesFrom(10, 10));
  await reader.until('"id":10,');
  expect(reader.ids).toEqual([7, 8, 9, 10]);
  await deps.logs.finish(id, { ok: true });
  await reader.toEnd();
});

test.each(['-1', '1.5', 'abc', '1 2', '9999999999999999'])(
  'Last-Event-ID %s is refused with a sentence',
  async (value) => {
    const { id } = await newDeployment();
    const response = await get(`/api/deployments/${id}/stream`, { 'last-event-id': value });
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({
      code: 'invalid_request',
      error: expect.stringContaining('Last-Event-ID'),
    });
  },
);

test('a deployment that ended before its log ends for its next reader', async () => {
  const lost = { state: 'failed', failureCode: 'runner_lost', failureMessage: 'The host was lost.' } as const;
  const { id, log } = await newDeployment({
    job: lost,
    deployment: { status: 'failed', finishedAt: deps.now() },
  });
  await log.append(1, linesFrom(1, 1));
  const reader = new StreamReader(await get(`/api/deployments/${id}/stream`));
  await reader.toEnd();
  const events = parseEvents(reader.text);
  expect(events.flatMap(entriesOf).map(({ line }) => line)).toEqual(['line 1', 'The host was lost.']);
  expect(events.at(-1)).toMatchObject({
    event: 'status',
    data: '{"ok":false,"closed":true,"status":"failed","code":"runner_lost","error":"The host was lost."}',
  });
  expect(hubs.calls).toEqual([]);
});

test('a stream that was open when the program died between deployment and log ends within 60 s', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  const { id } = await newDeployment();
  const reader = new StreamReader(await get(`/api/deployments/${id}/stream`));
  await reader.until('event: snapshot');
  await deps.db.update(deployments).set({ status: 'running', finishedAt: 1 }).where(eq(deployments.id, id));
  vi.advanceTimersByTime(60_000);
  await reader.toEnd();
  expect(reader.text).toContain(
    'event: status\ndata: {"ok":true,"closed":true,"status":"running","code":null,"error":null}\n\n',
  );
});

test('a key that is revoked loses its open streams within 60 s', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  const { id, log } = await newDeployment();
  const reader = new StreamReader(await get(`/api/deployments/${id}/stream`));
  await reader.until('event: snapshot');
  await deps.db.update(apiKeys).set({ revokedAt: 1 }).where(eq(apiKeys.id, keyId));
  vi.advanceTimersByTime(60_000);
  await reader.toEnd();
  expect(reader.text).not.toContain('status');
  expect(await log.append(1, linesFrom(1, 1))).toEqual({ through: 1, watched: false });
});

test('a page of a running build asks its host for the lines that wait there; one of an ended build does not', async () => {
  const running = await newDeployment();
  expect((await get(`/api/deployments/${running.id}/logs`)).status).toBe(200);
  expect(hubs.calls).toEqual([`watch ${running.runner.id} ${running.job.id}`]);
  const ended = await newDeployment({ job: { state: 'succeeded' } });
  expect((await get(`/api/deployments/${ended.id}/logs`)).status).toBe(200);
  expect(hubs.calls).toHaveLength(1);
});

test('a stream of a queued deployment waits for the host without asking it', async () => {
  const { id, log } = await newDeployment({});
  const reader = new StreamReader(await get(`/api/deployments/${id}/stream`));
  await reader.until('event: snapshot\ndata: []\n\n');
  expect(hubs.calls).toEqual([]);
  expect(await log.append(1, linesFrom(1, 1))).toEqual({ through: 1, watched: true });
  await reader.until('"id":1,');
  await deps.logs.finish(id, { ok: false });
  await reader.toEnd();
});
