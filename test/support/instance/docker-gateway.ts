/**
 * A Unix socket in front of Docker's own, for instances that are started with its `DOCKER_HOST`. It simulates faults of the daemon (a call that
 * waits, an error, silence, a restart) without touching the machine's daemon, which others use.
 */
import { rmSync } from 'node:fs';
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Duplex } from 'node:stream';

const daemonSocket = '/var/run/docker.sock';

/** A call in the form for rules: `POST /containers/<id>/start`, without version and query. */
export type Call = string;

/** `before`: the daemon has not received the call; `after`: it has carried the call out, and the runner has no answer yet. */
export interface Hold {
  matches: RegExp;
  when: 'before' | 'after';
  reached: (call: Call) => void;
  released: Promise<void>;
}

export interface DockerGateway {
  /** Value of `DOCKER_HOST` for the instance. */
  host: string;
  /** Holds the next call that matches. Resolves, when the call has arrived, with a function that releases it. */
  hold(matches: RegExp, when: Hold['when']): Promise<{ call: Call; release: () => void }>;
  /** Answers matching calls with this error of the daemon, until it is changed or `mend` is called. */
  refuse(matches: RegExp, status: number, message: string): void;
  /** Accepts calls and never answers, until `mend` is called. */
  hang(): void;
  /** Simulates the daemon's death: all connections break and nothing listens, until `mend` is called. */
  die(): Promise<void>;
  mend(): Promise<void>;
  close(): Promise<void>;
}

export async function dockerGateway(): Promise<DockerGateway> {
  const path = join(
    tmpdir(),
    `longshore-docker-${process.pid}-${Math.random().toString(36).slice(2, 8)}.sock`,
  );
  const holds = new Set<Hold>();
  const open = new Set<Duplex>();
  let refusal: { matches: RegExp; status: number; message: string } | undefined;
  let silent = false;

  const server = createServer((incoming, outgoing) => {
    void serve(incoming, outgoing).catch(() => outgoing.destroy());
  });
  server.on('connection', (socket) => track(open, socket));
  server.on('upgrade', (incoming: IncomingMessage, socket: Socket, head: Buffer) => {
    if (!silent) tunnel(incoming, socket, head, open);
  });
  const listen = () => new Promise<void>((resolve) => server.listen(path, resolve));
  const die = async () => {
    const closed = new Promise<void>((resolve) => server.close(() => resolve()));
    for (const socket of open) socket.destroy();
    await closed;
    rmSync(path, { force: true });
  };

  async function serve(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    if (silent) return; // the connection stays, the answer never comes
    const call = nameOf(incoming);
    if (refusal?.matches.test(call)) {
      incoming.resume();
      outgoing.writeHead(refusal.status, { 'content-type': 'application/json' });
      outgoing.end(JSON.stringify({ message: refusal.message }));
      return;
    }
    const held = [...holds].find(({ matches }) => matches.test(call));
    if (held) holds.delete(held);
    if (held?.when === 'before') {
      held.reached(call);
      await held.released;
      if (silent || outgoing.destroyed) return; // the client is dead, so the daemon never gets the call
    }
    forward(incoming, outgoing, async () => {
      if (held?.when !== 'after') return;
      held.reached(call);
      await held.released;
    });
  }

  await listen();
  return {
    host: `unix://${path}`,
    hold(matches, when) {
      const { promise: released, resolve: release } = Promise.withResolvers<void>();
      return new Promise((resolve) => {
        holds.add({ matches, when, released, reached: (call) => resolve({ call, release }) });
      });
    },
    refuse(matches, status, message) {
      refusal = { matches, status, message };
    },
    hang() {
      silent = true;
    },
    die,
    async mend() {
      refusal = undefined;
      if (silent) for (const socket of open) socket.destroy();
      silent = false;
      if (!server.listening) await listen();
    },
    close: () => (server.listening ? die() : Promise.resolve()),
  };
}

function nameOf({ method, url = '' }: IncomingMessage): Call {
  return `${method} ${url.replace(/^\/v[\d.]+/, '').replace(/\?.*/, '')}`;
}

function forward(incoming: IncomingMessage, outgoing: ServerResponse, answered: () => Promise<void>): void {
  const { method, url, headers } = incoming;
  const passOn = async (answer: IncomingMessage) => {
    await answered();
    outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
    outgoing.flushHeaders();
    answer.pipe(outgoing);
    answer.on('error', () => outgoing.destroy());
  };
  const asked = request(
    { socketPath: daemonSocket, method: method ?? 'GET', path: url ?? '/', headers, agent: false },
    (answer) => void passOn(answer),
  );
  asked.on('error', () => outgoing.destroy());
  // As with the daemon itself: a client that disconnects ends its build.
  outgoing.on('close', () => asked.destroy());
  incoming.pipe(asked);
}

/** Sessions of a build: passes the bytes of both sides unchanged. */
function tunnel(incoming: IncomingMessage, socket: Socket, head: Buffer, open: Set<Duplex>): void {
  const daemon = connect(daemonSocket);
  track(open, daemon);
  const lines = [`${incoming.method} ${incoming.url} HTTP/1.1`];
  for (let index = 0; index < incoming.rawHeaders.length; index += 2) {
    lines.push(`${incoming.rawHeaders[index]}: ${incoming.rawHeaders[index + 1]}`);
  }
  daemon.write(`${lines.join('\r\n')}\r\n\r\n`);
  if (head.length > 0) daemon.write(head);
  socket.pipe(daemon).pipe(socket);
  for (const [one, other] of [
    [socket, daemon],
    [daemon, socket],
  ] as const) {
    one.on('error', () => other.destroy());
    one.on('close', () => other.destroy());
  }
}

function track(open: Set<Duplex>, socket: Duplex): void {
  open.add(socket);
  socket.on('close', () => open.delete(socket));
  socket.on('error', () => socket.destroy());
}
