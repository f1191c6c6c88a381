/**
 * A Unix socket in front of Docker's own, for instances started with its `DOCKER_HOST`: what a test wants of the daemon (a call that
 * waits, an error, silence, a restart) happens here, and the machine's daemon, which others use, is never touched.
 */
import { rmSync } from 'node:fs';
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Duplex } from 'node:stream';

const daemonSocket = '/var/run/docker.sock';

/** A call as the test's rules see it: `POST /containers/<id>/start`, without version and query. */
export type Call = string;

/** `before`: the daemon has not seen the call; `after`: it has done it, and the runner has no answer yet. */
export interface Hold {
  matches: RegExp;
  when: 'before' | 'after';
  reached: (call: Call) => void;
  released: Promise<void>;
}

export interface DockerGateway {
  /** For the environment of the instance. */
  host: string;
  /** Holds the next call that matches. Resolves, when it is there, with its release. */
  hold(matches: RegExp, when: Hold['when']): Promise<{ call: Call; release: () => void }>;
  /** Answers matching calls with this error of the daemon, until called again or mended. */
  refuse(matches: RegExp, status: number, message: string): void;
  /** Takes calls and never answers, until mended. */
  hang(): void;
  /** The daemon dies: all connections break, nobody listens, until mended. */
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
      if (silent || outgoing.destroyed) return; // whoever asked is dead: the daemon never hears of it
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
  // As with the daemon itself: a client that goes away ends its build.
  outgoing.on('close', () => asked.destroy());
  incoming.pipe(asked);
}

/** Sessions of a build: both sides' bytes as they are. */
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
