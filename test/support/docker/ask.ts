/** Plain requests with any Host header, sent exactly as written. */
import { type IncomingHttpHeaders, request } from 'node:http';
import { connect, type Socket } from 'node:net';

export interface Reply {
  status: number;
  headers: IncomingHttpHeaders;
  body: string;
  ms: number;
}

export function ask(
  port: number,
  host: string,
  {
    path = '/',
    method = 'GET',
    headers = {} as Record<string, string>,
    address = '127.0.0.1',
    body: sent = '',
  } = {},
): Promise<Reply> {
  const from = performance.now();
  return new Promise((resolve, reject) => {
    request({ host: address, port, path, method, agent: false, headers: { ...headers, host } }, (answer) => {
      let body = '';
      answer
        .setEncoding('utf8')
        .on('data', (chunk) => {
          body += chunk;
        })
        .on('end', () =>
          resolve({
            status: answer.statusCode ?? 0,
            headers: answer.headers,
            body,
            ms: performance.now() - from,
          }),
        );
    })
      .on('error', reject)
      .end(sent || undefined);
  });
}

/** A GET with `Connection: close`, for Host headers that a client library would correct. */
export const rawGet = (host: string, path = '/') =>
  `GET ${path} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`;

/** Sends these bytes and returns everything that arrives until the other side closes. */
export function sendRaw(to: Socket, bytes: string): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = '';
    to.setEncoding('utf8')
      .on('data', (chunk) => {
        text += chunk;
      })
      .on('close', () => resolve(text))
      .on('error', reject)
      // Not ended: Caddy treats a half-closed connection as a client that has left.
      .write(bytes);
  });
}

export const tcp = (port: number) => connect(port, '127.0.0.1');
