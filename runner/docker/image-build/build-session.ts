/**
 * The session beside a BuildKit build: a socket on which the daemon calls us by gRPC, which is HTTP/2
 * (https://github.com/grpc/grpc/blob/master/doc/PROTOCOL-HTTP2.md). dockerode's own session permanently loads a gRPC library for one method
 * with an empty answer: BuildKit has no logins, because the runner pulls for it (docs/decisions/0026).
 */
import { randomUUID } from 'node:crypto';
import { createRequire } from 'node:module';
import type { Duplex } from 'node:stream';
import protobuf from 'protobufjs';
import type { Docker } from '../dockerode.ts';

/** The first build loads `node:http2`, so that an idle runner needs no memory for it. */
const load = createRequire(import.meta.url);

/**
 * Whole gRPC messages: a byte "not compressed", four bytes of length, the message. Credentials without fields are empty. The daemon checks the
 * session's health every few seconds while the build runs: `status: SERVING` (https://github.com/grpc/grpc/blob/master/doc/health-checking.md).
 */
const answers: Record<string, Buffer> = {
  '/moby.filesync.v1.Auth/Credentials': Buffer.from([0, 0, 0, 0, 0]),
  '/grpc.health.v1.Health/Check': Buffer.from([0, 0, 0, 0, 2, 0x08, 0x01]),
};
const secretPath = '/moby.buildkit.secrets.v1.Secrets/GetSecret';
const ok = '0';
/** BuildKit then mounts nothing, or fails if the mount is `required`. */
const notFound = '5';
const unimplemented = '12';

export interface BuildSession {
  /** The session's id in the build request. */
  id: string;
  close(): void;
}

/**
 * @param secrets by their id: what steps may mount
 * @throws the Docker API's error: 404 from a daemon without BuildKit
 */
export function openBuildSession(
  { modem }: Docker,
  abortSignal: AbortSignal,
  secrets: ReadonlyMap<string, string> = new Map(),
): Promise<BuildSession> {
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
      else resolve({ id, close: serve(socket as Duplex, secrets) });
    });
  });
}

/** @returns a function that ends the session */
function serve(socket: Duplex, secrets: ReadonlyMap<string, string>): () => void {
  const { performServerHandshake } = load('node:http2') as typeof import('node:http2');
  socket.on('error', () => {}); // the session closes, which the build reports
  const session = performServerHandshake(socket);
  // The end of a build breaks the connection, so this error is expected.
  session.on('error', () => socket.destroy());
  session.on('stream', (stream, { ':path': path = '' }) => {
    stream.on('error', () => undefined);
    const answer = (message: Buffer | undefined, failure: string) => {
      const head = { ':status': 200, 'content-type': 'application/grpc' };
      if (message === undefined)
        return stream.respond({ ...head, 'grpc-status': failure }, { endStream: true });
      stream.respond(head, { waitForTrailers: true });
      stream.on('wantTrailers', () => stream.sendTrailers({ 'grpc-status': ok }));
      stream.end(message);
    };
    if (path !== secretPath) {
      stream.resume();
      return answer(answers[path], unimplemented);
    }
    const chunks: Buffer[] = [];
    stream.on('data', (chunk: Buffer) => chunks.push(chunk));
    stream.on('end', () => answer(secretAnswer(Buffer.concat(chunks), secrets), notFound));
  });
  return () => {
    session.destroy();
    socket.destroy();
  };
}

/**
 * Answers a request for a secret: both messages have one field with the number 1, the id and the value
 * (https://github.com/moby/buildkit/blob/master/session/secrets/secrets.proto).
 * @returns undefined for a secret that this build does not have
 */
function secretAnswer(request: Buffer, secrets: ReadonlyMap<string, string>): Buffer | undefined {
  const { Reader, Writer } = protobuf;
  const reader = Reader.create(request.subarray(5));
  let id = '';
  while (reader.pos < reader.len) {
    const tag = reader.uint32();
    if (tag === lengthDelimitedOne) id = reader.string();
    else reader.skipType(tag & 7);
  }
  const value = secrets.get(id);
  if (value === undefined) return undefined;
  const message = Writer.create().uint32(lengthDelimitedOne).bytes(Buffer.from(value)).finish();
  const head = Buffer.alloc(5);
  head.writeUInt32BE(message.length, 1);
  return Buffer.concat([head, message]);
}

/** The tag of a text or of bytes in field 1. */
const lengthDelimitedOne = (1 << 3) | 2;
