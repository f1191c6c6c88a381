/**
 * Drains end to end: what replicas, requests and a service print reaches receivers of HTTP, OTLP and syslog in its order while they are away,
 * the runner is killed and the control plane restarts. What arrived is compared with what the host has kept.
 */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ask as askByHost } from '../support/docker/ask.ts';
import { buildImage, removeImages } from '../support/instance/image.ts';
import { killNine } from '../support/instance/instance-processes.ts';
import type { Json } from '../support/instance/longshore.ts';
import { useInstance } from '../support/instance/use-instance.ts';
import { until } from '../support/runner/until.ts';
import { selfSignedCertificate } from '../support/self-signed-certificate.ts';
import {
  type LogReceiver,
  type LogReceiverKind,
  type ReceivedLine,
  startLogReceiver,
} from '../support/servers/log-receivers.ts';

const image = 'longshore-e2e-printer:1';
/** Prints `count` lines of `chars` characters which can't be compressed much, for `/?count=&chars=`. */
const printer = `
  const { randomBytes } = require('node:crypto');
  let printed = 0;
  require('node:http').createServer((request, response) => {
    const query = new URL(request.url, 'http://app').searchParams;
    for (let n = 0; n < Number(query.get('count')); n++)
      console.log(++printed + ' ' + randomBytes(Number(query.get('chars') ?? 0) / 2).toString('base64'));
    response.end('printed');
  }).listen(process.env.PORT, () => console.log('listening'));
  process.on('SIGTERM', () => process.exit(0));`;
const kinds = ['http', 'otlp', 'syslog', 'syslog+tls'] as const;

interface Received {
  drainId: string;
  receiver: LogReceiver;
}

afterAll(() => removeImages(image));
const longshore = useInstance();
const { ask } = longshore;
const all = {} as Record<LogReceiverKind, Received>;
let project: Json;
/** One container. */
let quiet: Json;
/** Two containers, and a line for each request. */
let web: Json;
let printedLines = 0;

beforeAll(async () => {
  await buildImage(image, {
    Dockerfile: 'FROM node:24-slim\nCOPY app.js .\nCMD ["node", "app.js"]',
    'app.js': printer,
  });
  await longshore.operate('PATCH', '/api/system/settings', { allowPrivateEventWebhook: true });
  project = await longshore.newProject('Drained');
  const tls = await selfSignedCertificate('127.0.0.1', { addresses: ['127.0.0.1'] });
  for (const kind of kinds) {
    const receiver = await startLogReceiver(kind, tls);
    const { logDrain } = await ask('POST', `/api/projects/${project.id}/log-drains`, {
      name: kind,
      ...targetOf(kind, receiver.port, tls.certificate),
    });
    all[kind] = { drainId: logDrain.id, receiver };
  }
  const fields = { repoUrl: 'container-image', imageRef: image, internalPort: 3000 };
  quiet = await longshore.newService(project, { name: 'quiet', ...fields });
  web = await longshore.newService(project, { name: 'web', ...fields, replicas: 2 });
  await ask('PUT', `/api/services/${web.id}/traffic-rules`, { accessLog: {} });
  await longshore.deploy(quiet.id);
  await longshore.deploy(web.id);
});

afterAll(() => Promise.all(Object.values(all).map(({ receiver }) => receiver.refuse())));

function targetOf(kind: LogReceiverKind, port: number, ca: string): Json {
  const url = `http://127.0.0.1:${port}/v1/logs`;
  if (kind === 'http' || kind === 'otlp') return { [kind]: { url } };
  const tls = kind === 'syslog+tls';
  return { syslog: { host: '127.0.0.1', port, tls, ...(tls && { ca }) } };
}

/** Lines of the one container, numbered. */
async function print(count: number, chars = 20): Promise<void> {
  const { localUrl } = (await longshore.overview(quiet.id)).service;
  await fetch(`${localUrl}?count=${count}&chars=${chars}`);
  printedLines += count;
}

/** Each request prints a line in one of two containers, and is a line itself. */
const visit = async (times: number) => {
  for (let n = 0; n < times; n++) await askByHost(longshore.httpPort, 'web.localhost', { path: '/?count=1' });
};

const statusOf = async ({ drainId }: Received): Promise<Json> =>
  (await ask('GET', `/api/log-drains/${drainId}/status`)).hosts[0];

/** What the host has kept of the project. */
async function keptLines(): Promise<ReceivedLine[]> {
  const found: ReceivedLine[] = [];
  for (let cursor = ''; ; ) {
    const { logs, nextCursor } = await ask(
      'GET',
      `/api/projects/${project.id}/runtime-logs?order=oldest&limit=1000${cursor}`,
    );
    found.push(...logs);
    if (!nextCursor) return found;
    cursor = `&cursor=${encodeURIComponent(nextCursor)}`;
  }
}

const keyOf = ({ serviceId, stream, id }: ReceivedLine) => `${serviceId} ${stream} ${id}`;
const told = ({ serviceId, stream, id, line, replica }: ReceivedLine) => ({
  ...{ serviceId, stream, id, line, replica },
});

/** Waits until each receiver has each kept line, in the order of each log, and those of answered requests once. */
async function expectAllArrived(): Promise<void> {
  await expect
    .poll(async () => (await keptLines()).filter(({ line }) => /^\d+ /.test(line)).length)
    .toBeGreaterThanOrEqual(printedLines);
  const kept = await keptLines();
  for (const [kind, { receiver }] of Object.entries(all)) {
    const seen = () => new Set(receiver.batches.flatMap(({ lines }) => lines.map(keyOf)));
    await until(
      `all lines at ${kind}`,
      () => {
        const keys = seen();
        return kept.every((line) => keys.has(keyOf(line)));
      },
      90_000,
    );
    const answered = receiver.batches.filter(({ isAnswered }) => isAnswered).flatMap(({ lines }) => lines);
    const byKey = new Map(answered.map((line) => [keyOf(line), line]));
    expect(answered.length, `${kind} has lines twice`).toBe(byKey.size);
    expect(
      kept.map((line) => byKey.get(keyOf(line))),
      kind,
    ).toEqual(kept.map(told));
    for (const log of Object.values(Object.groupBy(answered, logOf)))
      expect(log?.map(({ id }) => id)).toEqual(
        log?.map(({ id }) => id).toSorted((one, other) => one - other),
      );
  }
}

const logOf = ({ serviceId, stream }: ReceivedLine) => `${serviceId} ${stream === 'access'}`;

test('lines of replicas, requests and the platform arrive at every receiver, from the first line of each service on', async () => {
  await print(300);
  await visit(20);
  await expectAllArrived();
  const lines = all.syslog.receiver.batches.flatMap((batch) => batch.lines);
  const ofWeb = lines.filter(({ serviceId }) => serviceId === web.id);
  expect(new Set(ofWeb.filter(({ stream }) => stream === 'stdout').map(({ replica }) => replica))).toEqual(
    new Set([1, 2]),
  );
  await until('each request', async () => {
    await expectAllArrived();
    return (await keptLines()).filter(({ stream }) => stream === 'access').length === 20;
  });
  expect(lines.filter(({ line }) => line === 'listening')).toHaveLength(3);
});

test('receivers that refuse, fail, or break off get the lines afterwards, in their order; the status says what is wrong until then', async () => {
  await all.http.receiver.refuse();
  all.otlp.receiver.mode = 'failing';
  all['syslog+tls'].receiver.mode = 'failing';
  all.syslog.receiver.mode = 'broken';
  await print(700);
  await visit(5);
  await until('failures', () => all.otlp.receiver.failed > 1 && all['syslog+tls'].receiver.failed > 1);
  await expect
    .poll(() => Promise.all([all.http, all.otlp].map(statusOf)))
    .toMatchObject([
      { lastError: 'The host 127.0.0.1 cannot be reached.', lagSeconds: expect.any(Number), droppedLines: 0 },
      { lastError: 'The receiver answered 500.', droppedLines: 0 },
    ]);
  expect((await statusOf(all.http)).lagSeconds).toBeGreaterThan(0);
  await all.http.receiver.listen();
  for (const { receiver } of Object.values(all)) receiver.mode = 'taking';
  await expectAllArrived();
  expect(await statusOf(all.otlp)).toMatchObject({
    lastError: null,
    lagSeconds: 0,
    droppedLines: 0,
    gaps: 0,
  });
});

test('a runner that is killed while receivers have taken lines and not answered sends these lines again, with their ids, and no other', async () => {
  const receivers = Object.values(all).map(({ receiver }) => receiver);
  for (const receiver of receivers) receiver.mode = 'holding';
  await print(50);
  await until('all have taken lines', () => receivers.every((one) => one.held() > 0));
  await killNine(longshore.dataDirectory, ['runner']);
  await print(50);
  for (const receiver of receivers) receiver.mode = 'taking';
  await expectAllArrived();
  for (const receiver of receivers) expect(receiver.batches.some((batch) => !batch.isAnswered)).toBe(true);
});

test('drains go on while the control plane is killed, and over its restart', async () => {
  await killNine(longshore.dataDirectory, ['start', 'workerd']);
  const { batches } = all.http.receiver;
  const before = batches.length;
  // Asked of the proxy, because the control plane is away.
  await visit(3);
  await until('lines without a control plane', () => batches.length > before);
  await longshore.start();
  await print(50);
  await expectAllArrived();
});

test('lines above the space that may wait are dropped, oldest first: their number is in the stream and in the status', async () => {
  await longshore.stop();
  const settings = join(longshore.dataDirectory, 'runner', 'runner.json');
  const before = JSON.parse(await readFile(settings, 'utf8'));
  await writeFile(settings, JSON.stringify({ ...before, keptLogMb: 1 }));
  await longshore.start();
  const { receiver } = all.http;
  receiver.mode = 'failing';
  const others = [all.otlp, all.syslog, all['syslog+tls']];
  for (const { drainId } of others) await ask('DELETE', `/api/log-drains/${drainId}`);
  const [taken, first] = [receiver.batches.length, printedLines + 1];
  for (let n = 0; n < 8; n++) await print(500, 4_000);
  await expect
    .poll(async () => (await statusOf(all.http)).droppedLines, { timeout: 90_000 })
    .toBeGreaterThan(0);
  receiver.mode = 'taking';
  await print(1);
  const lines = () => receiver.batches.slice(taken).flatMap((batch) => batch.lines);
  await until('the last line', () => lines().some(({ line }) => line.startsWith(`${printedLines} `)), 90_000);
  const { droppedLines, gaps } = await statusOf(all.http);
  // It drops again if it is slower than the service prints.
  const told = lines().map(({ line }) => Number(/^(\d+) lines? w\w+ dropped/.exec(line)?.[1] ?? 0));
  const numbers = lines().map(({ line, stream }) =>
    Number((stream === 'stdout' && /^(\d+) \S/.exec(line)?.[1]) || 0),
  );
  const arrived = numbers.filter((number) => number > 0);
  expect(arrived).toEqual([...new Set(arrived)].toSorted((one, other) => one - other));
  const lost = printedLines - first + 1 - arrived.length;
  expect(told.reduce((sum, count) => sum + count, 0)).toBe(droppedLines);
  // What the host itself removed before, for the limit of the service, is told without a number.
  const missing = lines().filter(({ line }) => line.startsWith('Lines are missing before this')).length;
  expect(missing).toBe(gaps);
  if (gaps === 0) expect(lost).toBe(droppedLines);
  else expect(lost).toBeGreaterThan(droppedLines);
});
