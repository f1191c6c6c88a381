import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { logEventStream, logStreamTiming } from '../../../../worker/api/logs/log-event-stream.ts';
import {
  logEntries,
  logEvents,
  snapshotEnd,
  snapshotStart,
  statusEvent,
} from '../../../../worker/domain/logs/log-events.ts';
import { grantStepBytes } from '../../../../worker/domain/logs/log-window.ts';

const { keepUpMs, pingMs, recheckMs, stalledMs } = logStreamTiming;
const lines = [{ id: 1, stream: 'stdout' as const, at: 0, line: 'ä\n' }];
const snapshot = snapshotStart + snapshotEnd(null);

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'Date'], now: 1_000_000 });
});
afterEach(() => {
  vi.useRealTimers();
});

/** What has happened so far is known on both sides. */
const settled = () => new Promise((resolve) => setTimeout(resolve, 1));

const send = (object: WebSocket, text: string) => object.send(new TextEncoder().encode(text));

/** A bridge whose log object is this test. */
function openBridge({ stillOpen = async () => true, keepUp = async () => {} } = {}) {
  const { 0: socket, 1: object } = new WebSocketPair();
  const request = new AbortController();
  const grants: string[] = [];
  const closed = new Promise<void>((resolve) => object.addEventListener('close', () => resolve()));
  const granted = new Promise<void>((resolve) => {
    object.addEventListener('message', ({ data }) => {
      grants.push(String(data));
      resolve();
    });
  });
  object.accept();
  const response = logEventStream({
    socket,
    signal: request.signal,
    stillOpen,
    keepUp,
    now: () => Date.now(),
  });
  return { object, request, response, grants, granted, closed };
}

function readerOf(response: Response): ReadableStreamDefaultReader<Uint8Array> {
  if (!response.body) throw new Error('no body');
  return response.body.getReader();
}

async function readUntil(reader: ReadableStreamDefaultReader<Uint8Array>, end: string): Promise<string> {
  const decoder = new TextDecoder();
  let text = '';
  while (!text.endsWith(end)) {
    const { value, done } = await reader.read();
    if (done) throw new Error(`ended after ${text}`);
    text += decoder.decode(value, { stream: true });
  }
  return text;
}

test('the answer is an event stream that no proxy holds back or changes', () => {
  const { response, request } = openBridge();
  expect(Object.fromEntries(response.headers)).toEqual({
    'content-type': 'text/event-stream; charset=utf-8',
    'cache-control': 'no-cache, no-transform',
    'x-accel-buffering': 'no',
  });
  request.abort();
});

test('text is copied byte for byte, and the answer ends when the log does', async () => {
  const { object, response } = openBridge();
  const reader = readerOf(response);
  const sent = [snapshot, logEvents('dep_x', lines), statusEvent({ ok: true })];
  for (const text of sent) send(object, text);
  object.close(1000);
  expect(await readUntil(reader, statusEvent({ ok: true }))).toBe(sent.join(''));
  expect((await reader.read()).done).toBe(true);
  expect(vi.getTimerCount()).toBe(0);
});

test('a ping comes every 15 s, only between two events and never before the snapshot', async () => {
  const { object, response, request } = openBridge();
  const reader = readerOf(response);
  vi.advanceTimersByTime(pingMs);
  send(object, snapshotStart);
  await readUntil(reader, snapshotStart);
  await settled();
  vi.advanceTimersByTime(2 * pingMs);
  send(object, logEntries('dep_x', lines) + snapshotEnd(1));
  expect(await readUntil(reader, '\n\n')).toBe(logEntries('dep_x', lines) + snapshotEnd(1));
  await settled();
  vi.advanceTimersByTime(pingMs);
  expect(await readUntil(reader, '\n\n')).toBe(`event: ping\ndata: {"t":${1_000_000 + 4 * pingMs}}\n\n`);
  request.abort();
});

test('a revoked permission ends the stream at the next check', async () => {
  let allowed = true;
  const { object, response, closed } = openBridge({
    // As a look at the database does, it takes a moment.
    stillOpen: () => settled().then(() => allowed),
  });
  const text = response.text();
  send(object, snapshot);
  vi.advanceTimersByTime(recheckMs);
  send(object, logEvents('dep_x', lines));
  await settled();
  allowed = false;
  vi.advanceTimersByTime(recheckMs);
  await closed;
  expect(await text).toContain(logEvents('dep_x', lines));
  expect(vi.getTimerCount()).toBe(0);
});

test('a check that fails ends the stream too', async () => {
  const { closed, response } = openBridge({ stillOpen: () => Promise.reject(new Error('D1 is down')) });
  const reader = readerOf(response);
  vi.advanceTimersByTime(recheckMs);
  await closed;
  for (;;) if ((await reader.read()).done) break;
});

test('a log is kept up four times for each check of the key, and a failure of it does not end the stream', async () => {
  const calls = { stillOpen: 0, keepUp: 0 };
  const { object, response, closed } = openBridge({
    stillOpen: async () => ++calls.stillOpen > 0,
    keepUp: async () => {
      calls.keepUp += 1;
      throw new Error('the host is away');
    },
  });
  const text = response.text();
  for (let n = 0; n < 8; n++) vi.advanceTimersByTime(keepUpMs);
  expect(calls).toEqual({ stillOpen: 2, keepUp: 8 });
  object.close(1000);
  await closed;
  await text;
  expect(vi.getTimerCount()).toBe(0);
});

test('a client that leaves frees the log at once', async () => {
  const { object, response, closed } = openBridge();
  const reader = readerOf(response);
  send(object, snapshot);
  await readUntil(reader, snapshot);
  await reader.cancel();
  await closed;
  expect(vi.getTimerCount()).toBe(0);
});

test('a finished request frees the log at once', async () => {
  const { request, closed } = openBridge();
  request.abort();
  await closed;
  expect(vi.getTimerCount()).toBe(0);
});

test('text is granted when the client has taken it, in steps', async () => {
  const { object, response, grants, granted, request } = openBridge();
  const reader = readerOf(response);
  const piece = 'x'.repeat(grantStepBytes / 2);
  send(object, piece);
  await readUntil(reader, piece);
  expect(grants).toEqual([]);
  send(object, `${piece}y`);
  await readUntil(reader, 'y');
  await granted;
  expect(grants).toEqual([String(grantStepBytes + 1)]);
  request.abort();
});

test('a client that takes nothing for a minute is cut, and is sent no pings meanwhile', async () => {
  const { object, closed, grants } = openBridge();
  send(object, snapshot);
  for (let piece = 0; piece < 8; piece++) send(object, 'x'.repeat(grantStepBytes));
  const echo = new Promise((resolve) => setTimeout(resolve, 50));
  await echo;
  vi.advanceTimersByTime(stalledMs);
  await closed;
  expect(grants.length).toBeLessThan(8);
  expect(vi.getTimerCount()).toBe(0);
});
