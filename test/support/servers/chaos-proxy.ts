/**
 * A TCP connection between a runner and its control plane that a test can break: cut, refuse, delay, hold back data per direction like a black hole
 * (nothing arrives and nothing ends; sent data arrives once it heals, if the connection still exists), and duplicate WebSocket frames.
 */
import { createServer, connect as dial, type Socket } from 'node:net';
import { WholeFrames } from './whole-frames.ts';

/** `up`: from the runner to the control plane. */
export type Direction = 'up' | 'down';

export interface ChaosProxy {
  url: string;
  /** Connections accepted so far. */
  connections: number;
  /** Resets every connection. */
  cut(): void;
  /** New connections are reset, too. */
  refuse(refused: boolean): void;
  /** Holds back everything in these directions, including ends, until it is healed. */
  blackHole(...directions: Direction[]): void;
  heal(): void;
  /** Every chunk arrives this much later. */
  delay(ms: number): void;
  /** Whether the next WebSocket frame is duplicated. */
  doubles: () => boolean;
  close(): Promise<void>;
}

interface Line {
  client: Socket;
  server: Socket;
}

/** @param target origin of the control plane, read at each connection */
export async function startChaosProxy(target: () => string): Promise<ChaosProxy> {
  const lines = new Set<Line>();
  const held = new Set<Direction>();
  let released = Promise.withResolvers<void>();
  let refused = false;
  let delayMs = 0;
  const server = createServer({ allowHalfOpen: true }, (client) => {
    if (refused) return client.resetAndDestroy();
    proxy.connections += 1;
    const { hostname, port } = new URL(target());
    const line = { client, server: dial({ host: hostname, port: Number(port), allowHalfOpen: true }) };
    lines.add(line);
    carry(line, 'up');
    carry(line, 'down');
  });

  function carry(line: Line, direction: Direction): void {
    const [from, to] = direction === 'up' ? [line.client, line.server] : [line.server, line.client];
    const frames = new WholeFrames(() => proxy.doubles());
    let tail = Promise.resolve();
    const later = (work: () => void) => {
      tail = tail.then(async () => {
        if (delayMs > 0) await new Promise((resolve) => setTimeout(resolve, delayMs));
        while (held.has(direction)) await released.promise;
        if (lines.has(line)) work();
      });
    };
    from.on('data', (chunk: Buffer) => later(() => to.write(frames.pass(chunk))));
    from.on('end', () => later(() => to.end()));
    from.on('error', () => later(() => destroy(line)));
    from.on('close', () => later(() => destroy(line)));
  }

  function destroy(line: Line): void {
    lines.delete(line);
    line.client.resetAndDestroy();
    line.server.resetAndDestroy();
  }

  const proxy: ChaosProxy = {
    url: '',
    connections: 0,
    cut: () => {
      for (const line of [...lines]) destroy(line);
    },
    refuse: (now) => {
      refused = now;
    },
    blackHole: (...directions) => {
      for (const direction of directions) held.add(direction);
    },
    heal: () => {
      held.clear();
      released.resolve();
      released = Promise.withResolvers();
    },
    delay: (ms) => {
      delayMs = ms;
    },
    doubles: () => false,
    async close() {
      proxy.heal();
      for (const line of [...lines]) destroy(line);
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  proxy.url = `http://127.0.0.1:${address.port}`;
  return proxy;
}
