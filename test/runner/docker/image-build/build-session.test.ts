/** The session of a build, as the daemon sees it: an HTTP/2 client on the upgraded socket. */
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { type ClientHttp2Session, connect } from 'node:http2';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { Docker } from '../../../../runner/docker/dockerode.ts';
import { openBuildSession } from '../../../../runner/docker/image-build/build-session.ts';

const { cache } = createRequire(import.meta.url);
let daemon: Server;
let engine: InstanceType<typeof Docker>;
let sockets: Duplex[];
let headers: Record<string, unknown>;

beforeEach(async () => {
  sockets = [];
  daemon = createServer();
  daemon.on('upgrade', (request, socket: Duplex) => {
    headers = request.headers;
    sockets.push(socket);
    socket.write('HTTP/1.1 101 UPGRADED\r\nConnection: Upgrade\r\nUpgrade: h2c\r\n\r\n');
  });
  daemon.listen(0, '127.0.0.1');
  await once(daemon, 'listening');
  engine = new Docker({ host: '127.0.0.1', port: (daemon.address() as AddressInfo).port });
});
afterEach(() => {
  for (const socket of sockets) socket.destroy();
  daemon.close();
});

/** Calls a method as gRPC does. @returns the message, and the status wherever it comes */
async function call(client: ClientHttp2Session, path: string, message: Uint8Array = Buffer.alloc(0)) {
  const request = client.request({
    ':method': 'POST',
    ':path': path,
    'content-type': 'application/grpc',
    te: 'trailers',
  });
  request.end(Buffer.concat([Buffer.from([0, 0, 0, 0, message.length]), message]));
  let status: unknown;
  request.on('response', (head) => (status ??= head['grpc-status']));
  request.on('trailers', (trailers) => (status = trailers['grpc-status']));
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  return { status, message: [...Buffer.concat(chunks)] };
}

test('the daemon gets no credentials, hears that the session lives, and loads no gRPC library here', async () => {
  const session = await openBuildSession(engine, new AbortController().signal);
  expect(headers).toMatchObject({ upgrade: 'h2c', 'x-docker-expose-session-uuid': session.id });
  const [socket] = sockets;
  const client = connect('http://session', { createConnection: () => socket as Duplex });
  expect(await call(client, '/moby.filesync.v1.Auth/Credentials')).toEqual({
    status: '0',
    message: [0, 0, 0, 0, 0],
  });
  expect(await call(client, '/grpc.health.v1.Health/Check')).toEqual({
    status: '0',
    message: [0, 0, 0, 0, 2, 8, 1],
  });
  expect(await call(client, '/moby.filesync.v1.Auth/FetchToken')).toEqual({ status: '12', message: [] });
  session.close();
  await once(client, 'close');
  expect(Object.keys(cache).filter((file) => file.includes('@grpc'))).toEqual([]);
});

test('the daemon gets the secrets of this build, and no others', async () => {
  const value = `${'ü'.repeat(40_000)}\n`;
  const secrets = new Map([
    ['TOKEN', value],
    ['EMPTY', ''],
  ]);
  const session = await openBuildSession(engine, new AbortController().signal, secrets);
  const client = connect('http://session', { createConnection: () => sockets[0] as Duplex });
  const ask = async (id: string) => {
    // A second field, as newer versions send it: annotations.
    const asked = Buffer.from([0x0a, id.length, ...Buffer.from(id), 0x12, 2, 0x0a, 0]);
    const { status, message } = await call(client, '/moby.buildkit.secrets.v1.Secrets/GetSecret', asked);
    return { status, length: message.length, end: Buffer.from(message.slice(-3)).toString() };
  };
  expect(await ask('TOKEN')).toEqual({ status: '0', length: 5 + 4 + 80_001, end: 'ü\n' });
  expect(await ask('EMPTY')).toMatchObject({ status: '0', length: 7 });
  expect(await ask('OTHER')).toMatchObject({ status: '5', length: 0 });
  session.close();
});

test('a daemon that breaks the session off, or speaks no HTTP/2, ends nothing but the session', async () => {
  const session = await openBuildSession(engine, new AbortController().signal);
  sockets[0]?.resume().end('this is no HTTP/2\r\n\r\n');
  await once(sockets[0] as Duplex, 'close');
  session.close();
});

test('a daemon without sessions is told by its answer, and an abort ends the attempt', async () => {
  daemon.removeAllListeners('upgrade');
  daemon.on('request', (_, response) => response.writeHead(404).end('{"message":"page not found"}'));
  const open = () => openBuildSession(engine, new AbortController().signal);
  await expect(open()).rejects.toMatchObject({ statusCode: 404 });
  daemon.removeAllListeners('request');
  const stopped = new AbortController();
  const opened = openBuildSession(engine, stopped.signal);
  stopped.abort();
  await expect(opened).rejects.toThrow(/abort/i);
});
