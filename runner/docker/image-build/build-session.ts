/**
 * The session beside a BuildKit build: a socket on which the daemon calls us by gRPC, which is HTTP/2
 * (https://github.com/grpc/grpc/blob/master/doc/PROTOCOL-HTTP2.md). dockerode has one that loads a gRPC library for good, for one
 * method whose answer is empty: BuildKit has no logins, because the runner pulls for it (docs/decisions/0026).
 */
import { randomUUID } from 'node:crypto';
import { createRequire } from 'node:module';
import type { Duplex } from 'node:stream';
import type { Docker } from '../dockerode.ts';

/** `node:http2` is loaded by the first build, so that an idle runner has no memory for it. */
const load = createRequire(import.meta.url);

/**
 * Whole gRPC messages: a byte "not compressed", four bytes of length, the message. Credentials without fields are none. The daemon checks
 * the session's health every few seconds while the build runs: `status: SERVING` (https://github.com/grpc/grpc/blob/master/doc/health-checking.md).
 */
const answers: Record<string, Buffer> = {
  '/moby.filesync.v1.Auth/Credentials': Buffer.from([0, 0, 0, 0, 0]),
  '/grpc.health.v1.Health/Check': Buffer.from([0, 0, 0, 0, 2, 0x08, 0x01]),
};
const ok = '0';
const unimplemented = '12';

export interface BuildSession {
  /** By which the build names it. */
  id: string;
  close(): void;
}

/** @throws what the Docker API answers: 404 from a daemon without BuildKit */
export function openBuildSession({ modem }: Docker, abortSignal: AbortSignal): Promise<BuildSession> {
  const id = randomUUID();
  const options = {
    method: 'POST',
    path: '/session',
    hijack: true,
    headers: {
      Upgrade: 'h2c',
      'X-Docker-Expose-Session-Uuid': id,
      'X-Docker-Expose-Session-Name': 'longshore',
    },
    statusCodes: { 200: true, 500: 'server error' },
    abortSignal,
  };
  return new Promise((resolve, reject) => {
    modem.dial(options, (error: unknown, socket: unknown) => {
      if (error) reject(error);
      else resolve({ id, close: serve(socket as Duplex) });
    });
  });
}

/** @returns what ends it */
function serve(socket: Duplex): () => void {
  const { performServerHandshake } = load('node:http2') as typeof import('node:http2');
  socket.on('error', () => {}); // the session closes, which the build reports
  const session = performServerHandshake(socket);
  // The end of a build breaks the connection off, which is no news for anybody.
  session.on('error', () => socket.destroy());
  session.on('stream', (stream, { ':path': path = '' }) => {
    stream.on('error', () => undefined);
    stream.resume();
    const message = answers[path];
    const head = { ':status': 200, 'content-type': 'application/grpc' };
    if (message === undefined)
      return stream.respond({ ...head, 'grpc-status': unimplemented }, { endStream: true });
    stream.respond(head, { waitForTrailers: true });
    stream.on('wantTrailers', () => stream.sendTrailers({ 'grpc-status': ok }));
    stream.end(message);
  });
  return () => {
    session.destroy();
    socket.destroy();
  };
}
