/**
 * A registry with limits, in front of a real one: its tokens expire, it sometimes answers 429 and 5xx, and it closes connections in the
 * middle of layers.
 */
import { request as ask, createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { listening } from '../servers/private-listener.ts';

/**
 * `half`: the connection ends in the middle of the body. `reset`: it ends before an answer. `expired`: the token is no longer valid. A
 * number: this status, with the value of `Retry-After`.
 */
export type Trouble = 'half' | 'reset' | 'expired' | readonly [status: number, retryAfter?: string];
type Part = 'token' | 'manifest' | 'blob';

export interface LimitedRegistry {
  /** `127.0.0.1:<port>`, as in image names. */
  host: string;
  /** The next requests for a part get these troubles, one each. */
  trouble(part: Part, ...troubles: Trouble[]): void;
  /** How often each part was requested. */
  asked: Record<Part, number>;
  close(): void;
}

/** @param upstream URL of the real registry */
export async function openLimitedRegistry(upstream: string): Promise<LimitedRegistry> {
  const troubles: Record<Part, Trouble[]> = { token: [], manifest: [], blob: [] };
  const asked = { token: 0, manifest: 0, blob: 0 };
  let tokens = 0;
  let host = '';

  const challenge = (response: ServerResponse) => {
    const realm = `Bearer realm="http://${host}/token",service="limited"`;
    response.writeHead(401, { 'www-authenticate': realm }).end();
  };
  const server = createServer((request, response) => {
    const { url = '' } = request;
    const part = url.startsWith('/token') ? 'token' : url.includes('/manifests/') ? 'manifest' : 'blob';
    if (url !== '/v2/') asked[part] += 1;
    if (part !== 'token' && request.headers.authorization !== `Bearer token-${tokens}`)
      return challenge(response);
    const trouble = troubles[part].shift();
    if (trouble === 'reset') return void request.socket.resetAndDestroy();
    if (trouble === 'expired') {
      tokens += 1;
      return challenge(response);
    }
    if (typeof trouble === 'object') return refuse(response, trouble);
    if (part === 'token') return void response.end(JSON.stringify({ token: `token-${tokens}` }));
    passOn(upstream, request, response, trouble === 'half');
  });
  host = `127.0.0.1:${await listening(server)}`;
  return {
    host,
    asked,
    trouble: (part, ...more) => void troubles[part].push(...more),
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

function refuse(response: ServerResponse, [status, retryAfter]: readonly [number, string?]): void {
  const errors = [{ code: 'TOOMANYREQUESTS', message: 'You have reached your pull rate limit.' }];
  const headers = retryAfter === undefined ? {} : { 'retry-after': retryAfter };
  response.writeHead(status, headers).end(status === 429 ? JSON.stringify({ errors }) : 'bad gateway');
}

function passOn(upstream: string, request: IncomingMessage, response: ServerResponse, isHalf: boolean): void {
  const { authorization: _, ...headers } = request.headers;
  const passed = ask(`${upstream}${request.url}`, { method: request.method ?? 'GET', headers }, (answer) => {
    response.writeHead(answer.statusCode ?? 502, answer.headers);
    const half = isHalf ? Number(answer.headers['content-length'] ?? 0) / 2 : Number.POSITIVE_INFINITY;
    let sent = 0;
    answer
      .on('error', () => response.destroy())
      .on('data', (bytes: Buffer) => {
        sent += bytes.length;
        const isCut = sent > half;
        // Wait until the headers and this part were sent: otherwise nothing of a small body would arrive, which is the trouble `reset`.
        response.write(bytes, () => {
          if (isCut) response.destroy();
        });
      });
    answer.on('end', () => response.end());
  });
  passed.on('error', () => response.destroy());
  response.on('error', () => passed.destroy()).on('close', () => passed.destroy());
  passed.end();
}
