/** One WebSocket and one SSE stream to an app that has nothing to do with the deployments: both must live through them. */
import { get } from 'node:http';
import { WebSocket } from 'ws';

/** Says something every 100 ms on `/events` (SSE) and on any WebSocket (RFC 6455: accept key, unmasked text frames). */
export const talkingApp = {
  Dockerfile: 'FROM node:24-slim\nWORKDIR /app\nCOPY server.js .\nUSER node\nCMD ["node", "server.js"]',
  'server.js': `
    const { createHash } = require('node:crypto');
    const server = require('node:http').createServer((request, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      let count = 0;
      const timer = setInterval(() => response.write('data: ' + ++count + '\\n\\n'), 100);
      response.on('close', () => clearInterval(timer));
    });
    server.on('upgrade', (request, socket) => {
      const key = request.headers['sec-websocket-key'] + '258EAFA5-E914-47DA-95CA-C5AB0DC85B11';
      const accept = createHash('sha1').update(key).digest('base64');
      socket.write('HTTP/1.1 101 Switching Protocols\\r\\nUpgrade: websocket\\r\\nConnection: Upgrade\\r\\nSec-WebSocket-Accept: ' + accept + '\\r\\n\\r\\n');
      let count = 0;
      const timer = setInterval(() => {
        const text = Buffer.from(String(++count));
        socket.write(Buffer.concat([Buffer.from([0x81, text.length]), text]));
      }, 100);
      socket.on('error', () => {});
      socket.on('close', () => clearInterval(timer));
    });
    server.listen(process.env.PORT);
    process.on('SIGTERM', () => process.exit(0));
  `,
};

export interface LiveConnection {
  messages: number;
  /** The counter that the app sends went up by one each time. */
  inOrder: boolean;
  closed: boolean;
}

export function openLiveConnections(port: number, host: string) {
  const socket: LiveConnection = { messages: 0, inOrder: true, closed: false };
  const stream: LiveConnection = { messages: 0, inOrder: true, closed: false };
  const take = (connection: LiveConnection, text: string) => {
    connection.messages += 1;
    connection.inOrder &&= Number(text) === connection.messages;
  };
  const client = new WebSocket(`ws://127.0.0.1:${port}/`, { headers: { host } });
  client.on('message', (data) => take(socket, String(data)));
  client.on('close', () => {
    socket.closed = true;
  });
  client.on('error', () => {
    socket.closed = true;
  });
  const asked = get(
    { host: '127.0.0.1', port, path: '/events', agent: false, headers: { host } },
    (answer) => {
      answer.setEncoding('utf8');
      answer.on('data', (text: string) => {
        for (const [, count = ''] of text.matchAll(/data: (\d+)\n\n/g)) take(stream, count);
      });
      answer.on('close', () => {
        stream.closed = true;
      });
    },
  );
  asked.on('error', () => {
    stream.closed = true;
  });
  return {
    /** How both stand now; ends them. */
    end() {
      const seen = { socket: { ...socket }, stream: { ...stream } };
      client.terminate();
      asked.destroy();
      return seen;
    },
  };
}
