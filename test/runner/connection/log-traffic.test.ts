/** Lines on two ways to one log: through a hub, and on a socket of their own over a real line that breaks. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import fc from 'fast-check';
import { expect, onTestFinished, test } from 'vitest';
import { type WebSocket, WebSocketServer } from 'ws';
import { runnerPaths } from '../../../protocol/enrolment.ts';
import {
  type HubFrame,
  type LogLine,
  parseRunnerFrame,
  pingText,
  type RunnerFrame,
  type RunnerFrameOf,
  protocolVersion as v,
} from '../../../protocol/frames.ts';
import { LogTraffic } from '../../../runner/connection/log-traffic.ts';
import { openJournal } from '../../../runner/journal/journal.ts';
import { manualClock } from '../../support/runner/manual-clock.ts';
import { noContainerLogs } from '../../support/runner/no-container-logs.ts';
import { temporaryDirectory } from '../../support/runner/temporary-directory.ts';
import { until } from '../../support/runner/until.ts';

const job = 'job_1';
type Logs = RunnerFrameOf<'logs'>;

/** A log as worker/objects/log-stream is one, with its own door. */
async function startLog() {
  const lines: string[] = [];
  const server = createServer();
  const sockets = new WebSocketServer({ noServer: true });
  const log = {
    lines,
    url: '',
    tickets: [] as (string | undefined)[],
    paths: new Set<string | undefined>(),
    /** How upgrades are answered. */
    refuses: false,
    /** Frames by each way. */
    frames: { hub: 0, socket: 0 },
    pings: 0,
    /** Sockets that are open on the other side too. */
    opened: 0,
    store({ first, lines: sent }: Logs): HubFrame {
      if (first <= lines.length + 1)
        lines.push(...sent.slice(lines.length + 1 - first).map(({ line }) => line));
      return { v, type: 'log-ack', job, through: lines.length, watched: true };
    },
    current: (): WebSocket | undefined => [...sockets.clients].at(-1),
  };
  server.on('upgrade', (request, socket, head) => {
    log.paths.add(request.url);
    log.tickets.push(request.headers.authorization);
    if (log.refuses)
      return socket.end('HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\nconnection: close\r\n\r\n');
    return sockets.handleUpgrade(request, socket, head, (accepted) => {
      accepted.once('pong', () => log.opened++);
      accepted.ping();
      accepted.on('message', (data) => {
        if (String(data) === pingText) return void log.pings++;
        const parsed = parseRunnerFrame(String(data));
        if (!parsed.ok || parsed.frame.type !== 'logs') throw new Error(String(data));
        log.frames.socket += 1;
        return accepted.send(JSON.stringify(log.store(parsed.frame)));
      });
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  log.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  onTestFinished(() => {
    for (const socket of sockets.clients) socket.terminate();
    server.close();
  });
  return log;
}

async function stage() {
  const log = await startLog();
  const clock = manualClock();
  const journal = openJournal(temporaryDirectory(), 0);
  /** Frames that the hub did not answer yet. */
  const held: Logs[] = [];
  const hub = { up: true, answers: true };
  const answer = (frame: Logs) => {
    log.frames.hub += 1;
    traffic.take(log.store(frame) as never);
  };
  const traffic: LogTraffic = new LogTraffic({
    url: log.url,
    clock,
    spool: journal.logs,
    containerLogs: noContainerLogs,
    epochOf: () => 1,
    watched: () => {},
    send(frame: RunnerFrame) {
      if (!hub.up || frame.type !== 'logs') return false;
      if (hub.answers) queueMicrotask(() => answer(frame));
      else held.push(frame);
      return true;
    },
  });
  onTestFinished(() => traffic.stop());
  traffic.jobs.watch(job);
  let written = 0;
  const write = (count: number) => {
    const lines = Array.from(
      { length: count },
      (): LogLine => ({ stream: 'stdout', at: 0, line: `${++written}` }),
    );
    journal.logs.append(job, lines, { bytes: 0, full: false });
    traffic.jobs.pump(job);
  };
  return {
    log,
    clock,
    hub,
    traffic,
    write,
    giveTicket: (ticket = 'ticket') =>
      traffic.take({ v, type: 'log-ack', job, through: log.lines.length, watched: true, ticket }),
    /** The hub answers late, whatever way is used now. */
    releaseHub() {
      for (const frame of held.splice(0)) answer(frame);
    },
    reconnectHub() {
      held.splice(0);
      hub.up = true;
      traffic.reconnected();
    },
    all: () => Array.from({ length: written }, (_, index) => `${index + 1}`),
    settled: () => until('all lines are acknowledged', () => traffic.jobs.isAcknowledged(job)),
  };
}

test('with a ticket, lines take a socket of their own, and the hub when it ends', async () => {
  const { log, write, giveTicket, settled, all, traffic } = await stage();
  write(2);
  await settled();
  giveTicket('the-ticket');
  await until('the socket', () => log.current());
  expect([...log.paths]).toEqual([runnerPaths.log]);
  expect(log.tickets).toEqual(['Bearer the-ticket']);
  await until('the way', () => {
    write(1);
    return log.frames.socket > 0;
  });
  const byHub = log.frames.hub;
  write(3);
  await settled();
  expect(log.frames.hub).toBe(byHub);
  log.current()?.close(1000);
  await until('the way back', () => {
    write(1);
    return log.frames.hub > byHub;
  });
  await settled();
  expect(log.lines).toEqual(all());
  traffic.forget(job);
});

test('a control plane that does not know the socket is asked again only after a pause', async () => {
  const { log, write, giveTicket, settled, all, clock } = await stage();
  log.refuses = true;
  giveTicket();
  await until('the refusal', () => log.tickets.length === 1);
  write(5);
  await settled();
  expect(log.lines).toEqual(all());
  giveTicket();
  log.refuses = false;
  await until('a time without a dial', async () => {
    write(1);
    await settled();
    return log.frames.hub > 3;
  });
  expect(log.tickets).toHaveLength(1);
  await clock.advance(300_000);
  giveTicket();
  await until('the socket', () => log.current());
});

test('a socket that answers no pings is given up, and its lines go through the hub', async () => {
  const { log, write, giveTicket, settled, all, clock } = await stage();
  giveTicket();
  await until('the socket', () => log.current());
  log.current()?.removeAllListeners('message');
  write(4);
  for (let second = 0; second < 60; second += 5) await clock.advance(5_000);
  await settled();
  expect(log.lines).toEqual(all());
  expect(log.frames.socket).toBe(0);
});

const step = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({ do: fc.constant('write' as const), count: fc.integer({ min: 1, max: 20 }) }),
  },
  { weight: 5, arbitrary: fc.record({ do: fc.constant('ticket' as const) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('break' as const) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('end' as const) }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('hub' as const), answers: fc.boolean() }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('cut-hub' as const) }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('pause' as const) }) },
);

test('lines reach the log once and in order, whatever way they take and whichever breaks', {
  tags: 'slow',
  timeout: 60_000,
}, async () => {
  let bySocket = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 12, maxLength: 30 }), async (steps) => {
      const { log, hub, write, giveTicket, releaseHub, reconnectHub, settled, all, clock, traffic } =
        await stage();
      for (const one of steps) {
        if (one.do === 'write') write(one.count);
        else if (one.do === 'ticket') await dialled(giveTicket, log);
        else if (one.do === 'break') log.current()?.terminate();
        else if (one.do === 'end') log.current()?.close(1000);
        else if (one.do === 'hub') hub.answers = one.answers;
        else if (one.do === 'cut-hub') hub.up = false;
        else await new Promise((resolve) => setTimeout(resolve, 2));
        if (one.do === 'hub' && one.answers) releaseHub();
        if (one.do === 'pause') await clock.advance(15_000);
      }
      hub.answers = true;
      reconnectHub();
      for (let round = 0; round < 20; round++) await clock.advance(15_000);
      await settled();
      expect(log.lines).toEqual(all());
      traffic.stop();
      bySocket += log.frames.socket;
    }),
    { numRuns: 25 },
  );
  expect(bySocket).toBeGreaterThan(40);
});

/** Waits until the socket is open, if one was dialled. */
async function dialled(give: () => void, log: Awaited<ReturnType<typeof startLog>>): Promise<void> {
  const { opened } = log;
  const dials = log.tickets.length;
  give();
  await new Promise((resolve) => setTimeout(resolve, 5));
  if (log.tickets.length > dials) await until('the socket', () => log.opened > opened);
}
