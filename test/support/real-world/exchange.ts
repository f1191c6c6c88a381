/** One request over HTTP/1.1 or HTTP/2, with or without TLS, whose body may be slow in both directions. */
import { request as plainRequest } from 'node:http';
import { connect as connectHttp2 } from 'node:http2';
import { request as tlsRequest } from 'node:https';
import type { Readable, Writable } from 'node:stream';

/** The address at which visitors send requests. */
export interface Door {
  /** Absent: this machine. */
  host?: string;
  port: number;
  /** The host name in the request; for the host port, the address. */
  name: string;
  /** Absent: plain HTTP/1.1. */
  over?: 'tls' | 'http2';
}

export interface Exchange {
  /** The request's body. */
  sent: Writable;
  /** @throws Error if the connection ends before the answer */
  answer: Promise<{ status: number; body: Readable }>;
  close(): void;
}

/** Opens a new connection for each request. */
export function exchange(door: Door, method: string, path: string): Exchange {
  const { host = '127.0.0.1', port, name, over } = door;
  if (over === 'http2') return overHttp2(door, method, path);
  const ask = over === 'tls' ? tlsRequest : plainRequest;
  const tls = over === 'tls' ? { servername: name, rejectUnauthorized: false } : {};
  const options = { host, port, method, path, agent: false as const, headers: { host: name } };
  const sent = ask({ ...options, ...tls });
  const answer = new Promise<{ status: number; body: Readable }>((resolve, reject) => {
    sent.on('response', (body) => resolve({ status: body.statusCode ?? 0, body })).on('error', reject);
  });
  return { sent, answer, close: () => sent.destroy() };
}

function overHttp2({ port, name, host = '127.0.0.1' }: Door, method: string, path: string): Exchange {
  const session = connectHttp2(`https://${host}:${port}`, { servername: name, rejectUnauthorized: false });
  const sent = session.request(
    { ':method': method, ':path': path, ':authority': name },
    { endStream: method === 'GET' }, // otherwise it has a body, though an empty one
  );
  const answer = new Promise<{ status: number; body: Readable }>((resolve, reject) => {
    sent.on('response', (headers) => resolve({ status: Number(headers[':status']), body: sent }));
    sent.on('error', reject);
    // Node treats a stream that the server cancels as complete.
    sent.on('aborted', () => sent.destroy(new Error('aborted')));
    sent.on('close', () => reject(new Error('closed without an answer')));
    session.on('error', reject);
  });
  sent.on('close', () => session.close());
  return { sent, answer, close: () => session.destroy() };
}
