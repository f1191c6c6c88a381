/** Drains of kept logs, with a receiver that a test switches off and on. */
import { randomBytes } from 'node:crypto';
import { rmSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import { type AddressInfo, createServer as createTcpServer } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import { Webhook } from 'standardwebhooks';
import { beforeEach, expect, onTestFinished, test } from 'vitest';
import type { Drain, DrainTarget } from '../../../protocol/logs/drains.ts';
import { searchedServicesMax } from '../../../protocol/logs/kept-logs.ts';
import { LogDrains } from '../../../runner/drains/log-drains.ts';
import { LogSearches } from '../../../runner/kept-logs/search/log-searches.ts';
import { listSegments } from '../../../runner/kept-logs/segment-files.ts';
import { oddLines, withoutColours } from '../../support/real-world/odd-output.ts';
import { KeptHost, serviceId } from '../../support/runner/kept-host.ts';
import { silentLogger } from '../../support/runner/silent-logger.ts';
import { temporaryDirectory } from '../../support/runner/temporary-directory.ts';
import { until } from '../../support/runner/until.ts';
import { selfSignedCertificate } from '../../support/self-signed-certificate.ts';

const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
let host: KeptHost;
let directory: string;
let receiver: Receiver;

class Receiver {
  status = 200;
  readonly requests: { headers: IncomingMessage['headers']; body: string }[] = [];
  readonly server: Server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      response.writeHead(this.status).end('thank you');
      if (this.status === 200)
        this.requests.push({ headers: request.headers, body: Buffer.concat(chunks).toString() });
      else this.refused += 1;
    });
  });
  refused = 0;

  async listen(): Promise<string> {
    await new Promise<void>((resolve) => this.server.listen(0, '127.0.0.1', resolve));
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}/in`;
  }

  lines(): { line: string; stream: string; id: number }[] {
    return this.requests.flatMap(({ body }) =>
      body
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line)),
    );
  }
}

beforeEach(async () => {
  directory = temporaryDirectory();
  host = new KeptHost(temporaryDirectory());
  receiver = new Receiver();
  onTestFinished(() => {
    host.keeper.stop();
    receiver.server.close();
  });
});

function drains(options: { waitingBytesMax?: number; allowPrivate?: boolean } = {}): LogDrains {
  const searches = new LogSearches(host.logs, { ms: 60_000 });
  const made = new LogDrains({
    ...{ logs: host.logs, clock: host.clock, logger: silentLogger, directory },
    search: (ask) => searches.answer(ask),
    waitingBytesMax: options.waitingBytesMax ?? 1e9,
    sender: { allowPrivate: options.allowPrivate ?? true, resolve: async () => ['127.0.0.1'] },
    open: (text) => text,
  });
  onTestFinished(() => made.stop());
  return made;
}

const drainTo = (target: DrainTarget, changes: Partial<Drain> = {}): Drain => ({
  ...{
    id: 'drn_1',
    allowPrivate: true,
    target,
    level: null,
    project: 'shop',
    services: [{ id: serviceId, slug: 'web' }],
  },
  ...changes,
});
/** What the control plane seals; this test's host opens it by doing nothing. */
const sealed = (...all: Drain[]) => JSON.stringify(all);
const http = (url: string): DrainTarget => ({
  kind: 'http',
  url,
  headers: { authorization: 'Bearer x' },
  secret,
});

/** Moves the clock, so that whatever waits goes on, until it holds. */
const comes = <Value>(what: string, look: () => Value | undefined | false) =>
  until(what, async () => {
    await host.clock.advance(1_000);
    return look();
  });

test('new lines arrive once and in order, signed, with their names; lines from before the drain do not', async () => {
  host.run('a');
  host.print('a', ['before']);
  await host.settle();
  const all = drains();
  await all.set(sealed(drainTo(http(await receiver.listen()))));
  const printed = oddLines.map(({ bytes }) => bytes.toString());
  host.print('a', printed);
  await host.settle();
  await comes('the lines', () => receiver.lines().length >= oddLines.length);
  const names = { service: 'web', project: 'shop', deploymentId: 'dep_a', stream: 'stdout' };
  expect(
    receiver.lines().map(({ line, ...sent }, index) => {
      const { shown = '' } = oddLines[index] ?? {};
      return { ...sent, shown: withoutColours(line).slice(0, shown.length) };
    }),
  ).toEqual(oddLines.map(({ shown, level }) => expect.objectContaining({ ...names, shown, level })));
  const { headers, body } = receiver.requests[0] ?? { headers: {}, body: '' };
  expect(headers.authorization).toBe('Bearer x');
  // The clock of the test is not that of the library.
  expect(headers['webhook-signature']).toBe(
    new Webhook(secret).sign(
      String(headers['webhook-id']),
      new Date(Number(headers['webhook-timestamp']) * 1_000),
      body,
    ),
  );
  await comes('the count', () => all.statusOf('drn_1')?.sentLines === oddLines.length);
  expect(all.statusOf('drn_1')).toMatchObject({ droppedLines: 0, lastError: null });
});

test('a service that prints little is sent beside more busy services than one search reads', async () => {
  const busy = Array.from({ length: searchedServicesMax }, (_, index) => `busy${index}`);
  const services = [...busy, 'quiet'].map((slug, index) => {
    const id = `svc_${String(index).padStart(16, '0')}`;
    host.run(slug, { serviceId: id });
    return { id, slug };
  });
  await host.settle();
  await drains().set(sealed(drainTo(http(await receiver.listen()), { services })));
  // Whenever lines arrive, each busy service prints another.
  const printBusy = () => {
    for (const slug of busy) host.print(slug, ['often']);
  };
  receiver.server.on('request', printBusy);
  printBusy();
  host.print('quiet', ['rare']);
  await until('three requests', async () => {
    await host.settle();
    return receiver.requests.length >= 3;
  });
  expect(receiver.lines().map(({ line }) => line)).toContain('rare');
});

test('an outage of the receiver and a restart of the runner lose and double no line', async () => {
  host.run('a');
  await host.settle();
  const target = http(await receiver.listen());
  const before = drains();
  await before.set(sealed(drainTo(target)));
  receiver.status = 503;
  host.print('a', ['one', 'two']);
  await host.settle();
  await comes('a refusal', () => receiver.refused > 1);
  expect(before.statusOf('drn_1')).toMatchObject({ sentLines: 0, lastError: 'The receiver answered 503.' });
  await before.stop();
  host.print('a', ['three']);
  await host.settle();
  receiver.status = 200;
  // The control plane may be away: the host has kept the drains.
  drains().start();
  await comes('the lines', () => receiver.lines().length === 3);
  expect(receiver.lines().map(({ line }) => line)).toEqual(['one', 'two', 'three']);
});

test('a new signing secret loses and doubles no line, whenever the receiver learns of it', async () => {
  const next = 'whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD';
  host.run('a');
  await host.settle();
  const target = http(await receiver.listen());
  const all = drains();
  await all.set(sealed(drainTo(target)));
  const until = host.clock.now() + 900_000;
  const isSigned = ({ headers, body }: Receiver['requests'][number], by: string) =>
    String(headers['webhook-signature'])
      .split(' ')
      .includes(
        new Webhook(by).sign(
          String(headers['webhook-id']),
          new Date(Number(headers['webhook-timestamp']) * 1_000),
          body,
        ),
      );
  const print = async (...lines: string[]) => {
    host.print('a', lines);
    await host.settle();
  };
  await print('one');
  await comes('a line', () => receiver.lines().length === 1);
  // The secret changes in the middle of an outage.
  receiver.status = 401;
  await print('two');
  await comes('a refusal', () => receiver.refused > 0);
  await all.set(sealed(drainTo({ ...target, secret: next, former: { secret, until } } as DrainTarget)));
  await print('three');
  receiver.status = 200;
  await comes('the lines', () => receiver.lines().length === 3);
  await host.clock.advance(900_001);
  await print('four');
  await comes('the last line', () => receiver.lines().length === 4);
  expect(receiver.lines().map(({ line }) => line)).toEqual(['one', 'two', 'three', 'four']);
  expect(receiver.requests.map((one) => [isSigned(one, secret), isSigned(one, next)])).toEqual([
    [true, false],
    ...receiver.requests.slice(1, -1).map(() => [true, true]),
    [false, true],
  ]);
});

test('lines that wait for more than a day are dropped, counted, and told in the stream', async () => {
  host.run('a');
  await host.settle();
  const all = drains();
  receiver.status = 500;
  await all.set(sealed(drainTo(http(await receiver.listen()))));
  host.print('a', ['old 1', 'old 2', 'old 3']);
  await host.settle();
  await comes('a refusal', () => receiver.refused > 0);
  await host.clock.advance(25 * 3_600_000);
  host.print('a', ['new']);
  await host.settle();
  await comes('the drop', () => all.statusOf('drn_1')?.droppedLines === 3);
  receiver.status = 200;
  await comes('the new line', () => all.statusOf('drn_1')?.sentLines === 1);
  expect(receiver.lines()).toEqual([
    expect.objectContaining({ stream: 'system', line: expect.stringMatching(/^3 lines were dropped/) }),
    expect.objectContaining({ line: 'new' }),
  ]);
  expect(all.statusOf('drn_1')).toMatchObject({ droppedLines: 3, lastError: null });
  const [note, line] = receiver.lines();
  expect(note?.id).toBeLessThan(line?.id ?? 0);
});

test('a drain with a level gets only lines of it and above, and stays at the end of the log', async () => {
  host.run('a');
  await host.settle();
  await drains().set(sealed(drainTo(http(await receiver.listen()), { level: 'error' })));
  host.print('a', ['level=info quiet', 'level=error loud']);
  await host.settle();
  await comes('the line', () => receiver.lines().length > 0);
  host.print('a', ['level=info quiet again', 'level=fatal louder']);
  await host.settle();
  await comes('the next', () => receiver.lines().length > 1);
  expect(receiver.lines().map(({ line }) => line)).toEqual(['level=error loud', 'level=fatal louder']);
});

test('OTLP has a resource for each service, with severity and time', async () => {
  host.run('a');
  await host.settle();
  await drains().set(sealed(drainTo({ kind: 'otlp', url: await receiver.listen(), headers: {} })));
  host.print('a', ['level=warn slow']);
  await host.settle();
  await comes('the line', () => receiver.requests.length > 0);
  const { resourceLogs } = JSON.parse(receiver.requests[0]?.body ?? '');
  expect(resourceLogs[0].resource.attributes).toContainEqual({
    key: 'service.name',
    value: { stringValue: 'web' },
  });
  expect(resourceLogs[0].scopeLogs[0].logRecords).toEqual([
    expect.objectContaining({
      ...{ severityNumber: 13, body: { stringValue: 'level=warn slow' } },
      timeUnixNano: expect.stringMatching(/^\d{19}$/),
      attributes: expect.arrayContaining([
        {
          key: 'log.record.uid',
          value: { stringValue: expect.stringMatching(/^svc_\w{16}-stdout-\d{16}$/) },
        },
      ]),
    }),
  ]);
});

test('syslog messages are those of RFC 5424 with their length before them', async () => {
  const got: Buffer[] = [];
  const server = createTcpServer((socket) => socket.on('data', (data) => got.push(data)));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  host.run('a', { replica: 2 });
  await host.settle();
  await drains().set(sealed(drainTo({ kind: 'syslog', host: 'logs.test', port, tls: false, ca: null })));
  host.print('a', ['level=error ünlucky']);
  await host.settle();
  await comes('the line', () => got.length > 0);
  const text = Buffer.concat(got).toString();
  const [, length, message = ''] = /^(\d+) (.*)$/s.exec(text) ?? [];
  expect(Number(length)).toBe(Buffer.byteLength(message));
  expect(message).toMatch(
    /^<131>1 \d{4}-\d\d-\d\dT[\d:.]+Z \S+ web dep_a stdout \[longshore@32473 project="shop" service="svc_0{16}" stream="stdout" id="\d{16}" replica="2"\] level=error ünlucky$/,
  );
});

test('a syslog receiver that sends without end is not read for longer than 64 KB', {
  tags: 'slow',
}, async () => {
  let sent = 0;
  const server = createTcpServer((socket) => {
    socket.on('error', () => socket.destroy());
    const more = () => {
      while (!socket.destroyed && socket.write(Buffer.alloc(65_536))) sent += 65_536;
      socket.once('drain', more);
    };
    more();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  const from = performance.now();
  const target: DrainTarget = { kind: 'syslog', host: 'logs.test', port, tls: false, ca: null };
  await drains().test(JSON.stringify({ target, allowPrivate: true }));
  expect(performance.now() - from).toBeLessThan(10_000);
  expect(sent).toBeLessThan(50e6); // What the sockets of both sides buffer.
});

test('syslog over TLS sends nothing to a receiver with another certificate, and everything once it is the right one', async () => {
  const [right, wrong] = await Promise.all([
    selfSignedCertificate('logs.test'),
    selfSignedCertificate('logs.test'),
  ]);
  const got: Buffer[] = [];
  const { certificate: cert, key } = right;
  const server = createTlsServer({ cert, key }, (socket) => socket.on('data', (data) => got.push(data)));
  server.on('tlsClientError', () => undefined);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  const syslog = (ca: string): DrainTarget => ({ kind: 'syslog', host: 'logs.test', port, tls: true, ca });
  host.run('a');
  await host.settle();
  const all = drains();
  await all.set(sealed(drainTo(syslog(wrong.certificate))));
  host.print('a', ['one', 'two']);
  await host.settle();
  await comes('the error', () => all.statusOf('drn_1')?.lastError);
  expect(got).toEqual([]);
  await all.set(sealed(drainTo(syslog(cert))));
  await comes('the lines', () => all.statusOf('drn_1')?.sentLines === 2);
  const ids = [
    ...Buffer.concat(got)
      .toString()
      .matchAll(/ id="(\d+)"\] (one|two)/g),
  ].map(([, , line]) => line);
  expect(ids).toEqual(['one', 'two']);
});

test('a full disk that costs lines which wait is told in the stream and in the status', async () => {
  host.run('a');
  await host.settle();
  const all = drains();
  receiver.status = 500;
  await all.set(sealed(drainTo(http(await receiver.listen()))));
  host.print('a', ['lost']);
  await host.settle();
  await comes('a refusal', () => receiver.refused > 0);
  // So that nothing is read when the lines go.
  await all.stop();
  const { path } = listSegments(host.logs.directoryOf(serviceId))[0] ?? { path: '' };
  rmSync(path);
  host.logs.of(serviceId).dropped(path);
  host.print('a', ['kept']);
  await host.settle();
  receiver.status = 200;
  const later = drains();
  later.start();
  await comes('the line', () => later.statusOf('drn_1')?.sentLines === 1);
  expect(receiver.lines().map(({ line }) => line)).toEqual([
    expect.stringMatching(/^Lines are missing before this/),
    'kept',
  ]);
  expect(later.statusOf('drn_1')).toMatchObject({ gaps: 1, droppedLines: 0, waitingSince: null });
});

test('lines that a service prints faster than the host keeps them, and no attempt has seen, are told as missing', async () => {
  host = new KeptHost(temporaryDirectory(), {
    limits: { serviceBytes: 8.5e6, totalBytes: 1e9, ageMs: 30 * 86_400_000 },
  });
  host.run('a');
  await host.settle();
  const before = drains();
  await before.set(sealed(drainTo(http(await receiver.listen()))));
  host.print('a', ['sent']);
  await host.settle();
  await comes('the first line', () => before.statusOf('drn_1')?.sentLines === 1);
  await before.stop();
  for (let part = 0; part < 4; part++) {
    const line = randomBytes(12_000).toString('base64');
    host.print(
      'a',
      Array.from({ length: 300 }, (_, n) => `${part * 300 + n} ${line.slice(n)}`),
    );
    await host.settle();
  }
  await host.logs.tidy();
  host.print('a', ['last']);
  await host.settle();
  const later = drains({ waitingBytesMax: 6e6 });
  later.start();
  await comes('the last line', () => receiver.lines().some(({ line }) => line === 'last'));
  await comes('an end', () => later.statusOf('drn_1')?.waitingSince === null);
  const status = later.statusOf('drn_1');
  const lost = 1_202 - (status?.sentLines ?? 0) - (status?.droppedLines ?? 0);
  expect(lost).toBeGreaterThan(0);
  expect(status?.gaps).toBe(1);
  expect(
    receiver.lines().filter(({ line }) => line.startsWith('Lines are missing before this')),
  ).toHaveLength(1);
});

test('a drain is tried with one line, and says why a receiver does not take it', async () => {
  const all = drains();
  const test = async (target: DrainTarget) => all.test(JSON.stringify({ target, allowPrivate: true }));
  const target = http(await receiver.listen());
  expect(await test(target)).toMatchObject({ ok: true, detail: 'The receiver took the line.' });
  expect(receiver.lines()).toMatchObject([{ line: 'This is a test of a log drain of Longshore.' }]);
  receiver.status = 401;
  expect(await test(target)).toMatchObject({ ok: false, detail: 'The receiver answered 401.' });
});

test('private addresses stay closed for a tenant to whom the control plane does not open them, whatever the host allows', async () => {
  const all = drains({ allowPrivate: true });
  const target = http(await receiver.listen());
  const { ok, detail } = await all.test(JSON.stringify({ target, allowPrivate: false }));
  expect([ok, detail]).toEqual([false, expect.stringMatching(/not https/)]);
});

test.each([
  ['a name of a private address', { kind: 'otlp', url: 'https://logs.test/x', headers: {} }],
  ['plain http', { kind: 'otlp', url: 'http://logs.test/x', headers: {} }],
  ['a private address', { kind: 'syslog', host: '10.0.0.1', port: 514, tls: false, ca: null }],
] as [string, DrainTarget][])('%s is not connected to, and the status says so', async (_, target) => {
  host.run('a');
  await host.settle();
  const all = drains({ allowPrivate: false });
  await all.set(sealed(drainTo(target)));
  host.print('a', ['one']);
  await host.settle();
  const error = await comes('the error', () => all.statusOf('drn_1')?.lastError);
  expect(error).toMatch(/private address|not https/);
});

test('a drain that is gone sends nothing more, and begins anew when it comes again', async () => {
  host.run('a');
  await host.settle();
  const all = drains();
  const drain = drainTo(http(await receiver.listen()));
  await all.set(sealed(drain));
  await all.set(null);
  expect(all.statusOf('drn_1')).toBeNull();
  host.print('a', ['unseen']);
  await host.settle();
  await all.set(sealed(drain));
  host.print('a', ['seen']);
  await host.settle();
  await comes('the line', () => receiver.lines().length > 0);
  expect(receiver.lines().map(({ line }) => line)).toEqual(['seen']);
});
