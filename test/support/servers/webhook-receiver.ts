/**
 * A receiver of webhooks on loopback. The path decides its answer: `/status/<n>...` with that status, `/redirect...` with a redirect to
 * `/elsewhere`, `/silent...` never; any other path with 204. `GET /received?path=` returns the received requests, for tests in workerd.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface ReceivedWebhook {
  path: string;
  headers: Record<string, string>;
  body: string;
}

export interface WebhookReceiver {
  /** `http://127.0.0.1:<port>` */
  url: string;
  /** In the order of arrival. */
  received: ReceivedWebhook[];
  close(): Promise<void>;
}

export async function startWebhookReceiver(): Promise<WebhookReceiver> {
  const received: ReceivedWebhook[] = [];
  const take = async (request: IncomingMessage, response: ServerResponse) => {
    // If this side has just closed a kept-alive connection, the next delivery would fail.
    response.setHeader('connection', 'close');
    const url = new URL(request.url ?? '/', 'http://localhost');
    if (request.method === 'GET') {
      const path = url.searchParams.get('path');
      response.end(JSON.stringify(received.filter((one) => one.path === path)));
      return;
    }
    const headers = Object.entries(request.headers).map(([name, value]) => [name, String(value)]);
    received.push({ path: url.pathname, headers: Object.fromEntries(headers), body: await textOf(request) });
    answer(url.pathname, response);
  };
  const server = createServer((request, response) => void take(request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    received,
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function answer(path: string, response: ServerResponse): void {
  if (path.startsWith('/silent')) return;
  const status = /^\/status\/(\d+)/.exec(path)?.[1];
  if (path.startsWith('/redirect')) response.writeHead(302, { location: '/elsewhere' }).end();
  else response.writeHead(Number(status ?? 204)).end();
}

async function textOf(request: IncomingMessage): Promise<string> {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part);
  return Buffer.concat(parts).toString('utf8');
}
