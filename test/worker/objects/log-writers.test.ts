/**
 * Hosts that write on sockets of their own: what a ticket opens, and what it does not.
 * @module-tag slow
 */
import { evictDurableObject, runInDurableObject } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { eq } from 'drizzle-orm';
import { expect, test, vi } from 'vitest';
import { type HubFrameOf, protocolVersion as v } from '../../../protocol/frames.ts';
import { logStreamOf } from '../../../worker/gateways/log-streams.ts';
import { readersOf } from '../../../worker/objects/reader-places.ts';
import { makeLogTicket, writerLifeMs } from '../../../worker/security/log-ticket.ts';
import { runners } from '../../../worker/store/schema/runners.ts';
import { deps } from '../../support/worker/api.ts';
import { enrolRunner, FakeRunner, hubOf } from '../../support/worker/fake-runner.ts';
import { deploy, newHost } from '../../support/worker/host.ts';
import { linesFrom, range } from '../../support/worker/log-lines.ts';
import { LogReader, logs } from '../../support/worker/log-reader.ts';
import { dialLog, LogSocket } from '../../support/worker/log-socket.ts';

/** A job at work whose log somebody reads. */
async function readJob() {
  const host = await newHost();
  const service = await host.addService();
  const runner = await FakeRunner.connect(host.keys);
  const deployment = await deploy(service);
  const { job, epoch } = await runner.next('start');
  const reader = await LogReader.open(deployment.id, 0);
  const frame = (first: number, last: number) =>
    ({ v, type: 'logs', job, epoch, first, lines: linesFrom(first, last), last: false }) as const;
  /** Sends a line through the hub, whose answer has a ticket. */
  const askTicket = async (line: number) => {
    runner.send(frame(line, line));
    const { ticket = '' } = await runner.next('log-ack');
    return ticket;
  };
  const stub = logStreamOf(env.LOG_STREAM, deployment.id);
  return { host, runner, runnerId: host.runnerId, deployment, job, epoch, reader, frame, askTicket, stub };
}

const throughOf = async (socket: LogSocket) => ((await socket.next()) as HubFrameOf<'log-ack'>).through;

test('lines of a read log reach readers over a socket of the host, mixed with the way through the hub', async () => {
  const { runner, frame, askTicket, reader, deployment, stub } = await readJob();
  const socket = await LogSocket.open(await askTicket(1));
  socket.send(frame(2, 3));
  expect(await socket.next()).toMatchObject({ type: 'log-ack', through: 3, watched: true });
  await evictDurableObject(stub);
  // What was not acknowledged comes again on the other way, and a gap is not stored.
  runner.send(frame(2, 5));
  expect(await runner.next('log-ack')).toMatchObject({ through: 5 });
  socket.send(frame(4, 6));
  socket.send(frame(8, 9));
  expect([await throughOf(socket), await throughOf(socket)]).toEqual([6, 6]);
  await logs.finish(deployment.id, { ok: true });
  expect(await reader.closed).toBe(1000);
  expect(reader.ids).toEqual(range(1, 6));
  expect(await socket.closed).toBe(1000);
});

test('nobody reads: the hub gives no ticket, the last reader takes the socket along, and none can be opened', async () => {
  const { runner, job, frame, askTicket, reader } = await readJob();
  const ticket = await askTicket(1);
  const socket = await LogSocket.open(ticket);
  reader.socket.close(1000);
  expect(await socket.closed).toBe(1000);
  expect((await dialLog(ticket)).status).toBe(409);
  await expect
    .poll(async () => {
      runner.send(frame(2, 2));
      return await runner.next('log-ack');
    })
    .toEqual({ v, type: 'log-ack', job, through: 2, watched: false });
});

test('a socket of the host is no reader, and a second one replaces the first', async () => {
  const { askTicket, stub, frame } = await readJob();
  const ticket = await askTicket(1);
  const first = await LogSocket.open(ticket);
  const second = await LogSocket.open(ticket);
  expect(await first.closed).toBe(1000);
  second.send(frame(2, 2));
  expect(await throughOf(second)).toBe(2);
  await runInDurableObject(stub, (_, ctx) => expect(readersOf(ctx)).toHaveLength(1));
});

test('a later attempt takes the log over, and an earlier one is refused', async () => {
  const { runnerId, deployment, job, epoch } = await readJob();
  const ticketOf = (attempt: number) =>
    makeLogTicket(
      deps.fingerprint,
      { runnerId, log: { kind: 'job', id: deployment.id, job, epoch: attempt } },
      Date.now(),
    );
  const earlier = await LogSocket.open(await ticketOf(epoch));
  const later = await LogSocket.open(await ticketOf(epoch + 1));
  expect(await earlier.closed).toBe(1000);
  expect((await dialLog(await ticketOf(epoch))).status).toBe(409);
  later.leave();
});

test('a ticket that is forged, of another use, too old or of a revoked host opens nothing', async () => {
  const { askTicket, runnerId, deployment, job, epoch } = await readJob();
  const [claims = '', signature = ''] = (await askTicket(1)).split('.');
  const log = { kind: 'job', id: deployment.id, job, epoch } as const;
  const other = await enrolRunner('revoked');
  await deps.db.update(runners).set({ revokedAt: 1 }).where(eq(runners.id, other.runnerId));
  const useless = [
    '',
    '.',
    claims,
    `${claims}.`,
    `${claims}.${signature.slice(0, -1)}`,
    `${btoa(atob(claims).replace(runnerId, other.runnerId))}.${signature}`,
    `${claims}.${await deps.fingerprint('transfer', claims)}`,
    await makeLogTicket(deps.fingerprint, { runnerId, log }, Date.now() - 61_000),
    await makeLogTicket(deps.fingerprint, { runnerId: other.runnerId, log }, Date.now()),
  ];
  for (const ticket of useless) expect((await dialLog(ticket)).status, ticket).toBe(401);
});

test('frames about another log, and what is no frame, are dropped on the socket', async () => {
  const victim = await readJob();
  const evil = await readJob();
  vi.spyOn(console, 'warn').mockReturnValue();
  const socket = await LogSocket.open(await evil.askTicket(1));
  socket.send(victim.frame(1, 1));
  socket.send({ ...evil.frame(2, 2), epoch: evil.epoch + 1 });
  socket.send({ v, type: 'runtime-logs', serviceId: evil.deployment.serviceId, part: 'live', lines: [] });
  socket.send({ v, type: 'alive', jobs: [] });
  socket.send({ nonsense: true } as never);
  socket.send(evil.frame(2, 2));
  expect(await throughOf(socket)).toBe(2);
  expect(socket.unread).toEqual([]);
  expect((await logs.read(victim.deployment.id, 0)).lines).toEqual([]);
});

test('a revoked host loses its sockets, also one that has no control socket any more', async () => {
  const { askTicket, runner, runnerId } = await readJob();
  const socket = await LogSocket.open(await askTicket(1));
  await runner.disconnect();
  await hubOf(runnerId).revoke(runnerId);
  expect(await socket.closed).toBe(1000);
  await runInDurableObject(hubOf(runnerId), async (_, ctx) =>
    expect((await ctx.storage.list()).size).toBe(0),
  );
});

test('a socket ends with the time of its ticket, and its last frame is not acknowledged', async () => {
  const { askTicket, frame, stub } = await readJob();
  const socket = await LogSocket.open(await askTicket(1));
  await runInDurableObject(stub, (log) => {
    const real = Reflect.get(log, 'deps');
    Reflect.set(log, 'deps', () => ({ ...real(), now: () => Date.now() + writerLifeMs + 1_000 }));
  });
  socket.send(frame(2, 2));
  expect(await socket.closed).toBe(1000);
  expect(socket.unread).toEqual([]);
});
