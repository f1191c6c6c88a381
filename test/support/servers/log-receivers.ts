/**
 * Receivers of log drains (NDJSON, OTLP/HTTP in JSON, syslog over TCP and TLS) that a test switches on and off. Each records for every request
 * whether its sender can know that it was accepted; if such lines arrive again, the sender is wrong.
 */
import { createServer as createHttpServer, type ServerResponse } from 'node:http';
import { createServer as createTcpServer, type Server, type Socket } from 'node:net';
import { buffer, text } from 'node:stream/consumers';
import { createServer as createTlsServer } from 'node:tls';
import { freePorts } from '../free-ports.ts';
import type { Json } from '../instance/longshore.ts';
import type { SelfSignedCertificate } from '../self-signed-certificate.ts';

/**
 * `taking`: lines are accepted. `failing`: 500; syslog over TLS ends the connection before the handshake. `broken`: accepts the next lines, and the
 * connection breaks before the answer; then `taking`. `holding`: accepts lines, and answers nothing while it holds.
 */
export type ReceiverMode = 'taking' | 'failing' | 'broken' | 'holding';

export interface ReceivedLine {
  serviceId: string;
  id: number;
  line: string;
  stream: string;
  replica: number | undefined;
}

export interface ReceivedBatch {
  lines: ReceivedLine[];
  /** Whether the sender has got the answer; for syslog, whether the connection ended well. */
  isAnswered: boolean;
}

export interface LogReceiver {
  port: number;
  mode: ReceiverMode;
  /** The accepted batches, in order. */
  batches: ReceivedBatch[];
  /** Requests and connections that arrived while it was failing. */
  failed: number;
  /** Number of requests that are currently held. */
  held(): number;
  /** Connections are refused until it listens again. */
  refuse(): Promise<void>;
  listen(): Promise<void>;
}

export type LogReceiverKind = 'http' | 'otlp' | 'syslog' | 'syslog+tls';

/** @param tls for `syslog+tls` */
export async function startLogReceiver(
  kind: LogReceiverKind,
  tls?: SelfSignedCertificate,
): Promise<LogReceiver> {
  const holding = new Set<unknown>();
  let server: Server | undefined;
  const open = new Set<Socket>();

  /** @returns the mode for the request that was read */
  function receive(lines: ReceivedLine[]): { mode: ReceiverMode; batch: ReceivedBatch } {
    // A connection whose handshake was before that still delivers its lines.
    const mode = receiver.mode === 'failing' && kind === 'syslog+tls' ? 'taking' : receiver.mode;
    const batch = { lines, isAnswered: false };
    if (mode === 'failing') receiver.failed += 1;
    else receiver.batches.push(batch);
    if (mode === 'broken') receiver.mode = 'taking';
    return { mode, batch };
  }

  function answer(body: string, response: ServerResponse): void {
    const { mode, batch } = receive(kind === 'otlp' ? otlpLines(body) : ndjsonLines(body));
    if (mode === 'failing') response.writeHead(500).end();
    else if (mode === 'broken') response.destroy();
    else if (mode === 'holding') hold(response);
    else {
      batch.isAnswered = true;
      response.writeHead(204).end();
    }
  }

  /** Keeps it open until the sender gives up. */
  function hold(what: ServerResponse | Socket): void {
    holding.add(what);
    what.once('close', () => holding.delete(what));
  }

  async function take(socket: Socket): Promise<void> {
    const { mode, batch } = receive(syslogLines(await buffer(socket)));
    if (mode === 'broken') socket.resetAndDestroy();
    else if (mode === 'holding') hold(socket);
    else {
      batch.isAnswered = true;
      socket.end();
    }
  }

  const accept = (socket: Socket) => {
    socket.on('error', () => undefined);
    take(socket).catch(() => socket.destroy());
  };
  const create = (): Server => {
    if (kind === 'syslog') return createTcpServer({ allowHalfOpen: true }, accept);
    if (kind === 'syslog+tls')
      return createTlsServer({ allowHalfOpen: true, cert: tls?.certificate, key: tls?.key }, accept).on(
        'tlsClientError',
        () => undefined,
      );
    return createHttpServer((request, response) => {
      text(request).then(
        (body) => answer(body, response),
        () => response.destroy(),
      );
    });
  };

  const receiver: LogReceiver = {
    // No other program gets the port while this server refuses connections.
    ...{
      port: (await freePorts(1))[0] ?? 0,
      mode: 'taking',
      batches: [],
      failed: 0,
      held: () => holding.size,
    },
    async refuse() {
      const closing = server;
      server = undefined;
      for (const socket of open) socket.destroy();
      await new Promise((closed) => (closing ? closing.close(closed) : closed(undefined)));
    },
    async listen() {
      const opened = create();
      opened.on('connection', (socket: Socket) => {
        // After the handshake, a sender of syslog may consider the lines sent.
        if (kind === 'syslog+tls' && receiver.mode === 'failing') {
          receiver.failed += 1;
          socket.destroy();
          return;
        }
        open.add(socket);
        socket.once('close', () => open.delete(socket));
      });
      await new Promise<void>((listening) => opened.listen(receiver.port, '127.0.0.1', listening));
      server = opened;
    },
  };
  await receiver.listen();
  return receiver;
}

const ndjsonLines = (body: string): ReceivedLine[] =>
  body
    .trimEnd()
    .split('\n')
    .map((one) => {
      const { serviceId, id, line, stream, replica } = JSON.parse(one);
      return { serviceId, id, line, stream, replica };
    });

const valuesOf = (attributes: Json[]) =>
  Object.fromEntries(attributes.map(({ key, value }) => [key, value.stringValue]));

/** Sorted by time, because records are grouped by service. */
const otlpLines = (body: string): ReceivedLine[] =>
  JSON.parse(body).resourceLogs.flatMap(({ resource, scopeLogs }: Json) =>
    scopeLogs.flatMap(({ logRecords }: Json) =>
      logRecords.map(({ attributes, body: { stringValue } }: Json) => {
        const own = valuesOf(attributes);
        return {
          serviceId: valuesOf(resource.attributes)['longshore.service.id'],
          id: Number(own['log.record.uid']?.split('-').at(-1)),
          line: stringValue,
          stream: own['log.iostream'],
          replica: own['longshore.replica'] && Number(own['longshore.replica']),
        };
      }),
    ),
  );

const message =
  /^<\d+>1 \S+ \S+ \S+ \S+ (\S+) \[longshore@32473 project="[^"]*" service="([^"]*)" stream="[^"]*" id="(\d+)"(?: replica="(\d+)")?\] (.*)$/s;

/** @throws Error for messages that a drain never writes */
function syslogLines(bytes: Buffer): ReceivedLine[] {
  const lines: ReceivedLine[] = [];
  for (let at = 0; at < bytes.length; ) {
    const space = bytes.indexOf(' ', at);
    const end = space + 1 + Number(bytes.toString('latin1', at, space));
    const parts = message.exec(bytes.toString('utf8', space + 1, end));
    if (!parts || end > bytes.length)
      throw new Error(`not a message: ${bytes.toString('utf8', at, at + 200)}`);
    const [, stream = '', serviceId = '', id, replica, line = ''] = parts;
    lines.push({ serviceId, id: Number(id), line, stream, replica: replica ? Number(replica) : undefined });
    at = end;
  }
  return lines;
}
