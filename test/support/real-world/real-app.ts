/** A realistic app: it answers slowly, streams, accepts uploads and holds connections. */

/**
 * `at once`: SIGTERM ends it with everything open, so the platform is responsible for a lost request. `with its answers`: it closes its
 * server and streams, and ends with its last answer, as well-made apps do.
 */
export type AppEnd = 'at once' | 'with its answers';

/** `/` answers with the version. @param version empty: the name of its container */
export const realApp = (version: string, end: AppEnd = 'at once'): Record<string, string> => ({
  Dockerfile: 'FROM node:24-slim\nWORKDIR /app\nCOPY server.js .\nUSER node\nCMD ["node", "server.js"]\n',
  'server.js': source(version, end),
});

/** Lets the app answer held requests and end its streams. `/open` returns what is open. */
export const releaseSignal = 'SIGUSR2';

/** In addition to its port, the app has one for programs without HTTP: it answers when its client has closed its side and the app was released. */
export const rawPort = 9_999;

/** The interval at which streams and WebSockets send data. */
export const tickMs = 100;

const source = (version: string, end: AppEnd) => `
  const http = require('node:http');
  const { createHash } = require('node:crypto');
  const version = ${JSON.stringify(version)} || require('node:os').hostname();
  const streams = new Set();
  const held = new Set();
  let uploads = 0;
  const server = http.createServer((request, response) => {
    const url = new URL(request.url, 'http://app');
    const ms = Number(url.searchParams.get('ms') ?? 0);
    if (url.pathname === '/slow' || url.pathname === '/poll') {
      setTimeout(() => response.end('done ' + version), ms);
    } else if (url.pathname === '/held') {
      held.add(response);
      response.on('close', () => held.delete(response));
    } else if (url.pathname === '/open') {
      response.end(String(held.size + streams.size + uploads));
    } else if (url.pathname === '/large') {
      response.writeHead(200, { connection: 'close' });
      response.end(Buffer.alloc(Number(url.searchParams.get('bytes')), 'x'));
    } else if (url.pathname === '/events') {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      const ticks = setInterval(() => response.write('data: ' + version + '\\n\\n'), ${tickMs});
      const end = ms > 0 ? setTimeout(() => response.end('data: end\\n\\n'), ms) : undefined;
      streams.add(response);
      response.on('close', () => { streams.delete(response); clearInterval(ticks); clearTimeout(end); });
    } else if (url.pathname === '/upload') {
      let bytes = 0;
      uploads += 1;
      response.on('close', () => { uploads -= 1; });
      request.on('data', (chunk) => { bytes += chunk.length; }).on('end', () => response.end(bytes + ' ' + version));
    } else request.resume().on('end', () => response.end(version));
  });
  server.on('upgrade', (request, socket) => {
    const key = request.headers['sec-websocket-key'] + '258EAFA5-E914-47DA-95CA-C5AB0DC85B11';
    const accept = createHash('sha1').update(key).digest('base64');
    socket.write('HTTP/1.1 101 Switching Protocols\\r\\nupgrade: websocket\\r\\nconnection: Upgrade\\r\\nsec-websocket-accept: ' + accept + '\\r\\n\\r\\n');
    const text = Buffer.from(version);
    const ticks = setInterval(() => socket.write(Buffer.concat([Buffer.from([0x81, text.length]), text])), ${tickMs});
    streams.add(socket);
    socket.on('close', () => { streams.delete(socket); clearInterval(ticks); }).on('error', () => {}).on('end', () => socket.end()).resume();
  });
  process.on('${releaseSignal}', () => {
    for (const answer of held) answer.end('done ' + version);
    for (const stream of streams) stream.end(stream.setHeader ? 'data: end\\n\\n' : undefined);
  });
  const raw = require('node:net').createServer({ allowHalfOpen: true }, (socket) => {
    held.add(socket);
    socket.on('close', () => held.delete(socket)).on('error', () => {}).resume();
  });
  raw.listen(${rawPort});
  server.requestTimeout = 0;
  server.keepAliveTimeout = 60_000;
  server.listen(process.env.PORT ?? 8080); // a worker has no port
  process.on('SIGTERM', () => {
    if (${JSON.stringify(end)} === 'at once') process.exit(0);
    server.close(() => process.exit(0));
    for (const stream of streams) stream.end();
  });
`;
