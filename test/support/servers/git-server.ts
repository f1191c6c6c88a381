/** Real git over http: git-http-backend behind a small server on loopback, with Basic auth if a test wants it. */
import { execFileSync, spawn } from 'node:child_process';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';

export interface GitServer {
  /** `http://127.0.0.1:<port>`; a repository `<root>/<name>` is `<url>/<name>`. */
  url: string;
  /** Passwords of the requests that sent one, in order. */
  passwords: string[];
  /** The user names of the same requests. */
  usernames: string[];
  close(): Promise<void>;
}

export interface GitServerOptions {
  /** Requests without this password are answered 401. */
  password?: string;
  /** The status for requests with the password, instead of git's answer: 403, 404. */
  status?: number;
  /** Key and certificate: https. */
  tls?: { key: string; cert: string };
  /** Called before each answer; a promise holds it (slow servers, aborts). */
  gate?: (path: string) => Promise<void> | void;
}

/** Serves every repository below `root`. */
export async function serveGit(root: string, options: GitServerOptions = {}): Promise<GitServer> {
  const backend = join(execFileSync('git', ['--exec-path'], { encoding: 'utf8' }).trim(), 'git-http-backend');
  const passwords: string[] = [];
  const usernames: string[] = [];
  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    const [username, password] = basicLogin(request);
    if (password !== undefined) passwords.push(password);
    if (username !== undefined) usernames.push(username);
    if (options.password !== undefined && password !== options.password) {
      response.writeHead(401, { 'www-authenticate': 'Basic realm="git"' }).end();
      return;
    }
    if (options.status !== undefined) return void response.writeHead(options.status).end();
    await options.gate?.(request.url ?? '');
    runBackend(backend, root, request, response);
  };
  const listener = (request: IncomingMessage, response: ServerResponse) => void answer(request, response);
  const server = options.tls ? createTlsServer(options.tls, listener) : createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const close = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
  return { url: `http${options.tls ? 's' : ''}://127.0.0.1:${port}`, passwords, usernames, close };
}

function basicLogin(request: IncomingMessage): [username?: string | undefined, password?: string] {
  const [scheme, value] = (request.headers.authorization ?? '').split(' ');
  if (scheme !== 'Basic' || !value) return [];
  const [username, ...password] = Buffer.from(value, 'base64').toString('utf8').split(':');
  return [username, password.join(':')];
}

/** The CGI of git's own manual: reads the environment, writes headers and body. */
function runBackend(backend: string, root: string, request: IncomingMessage, response: ServerResponse): void {
  const { pathname, search } = new URL(request.url ?? '/', 'http://localhost');
  const child = spawn(backend, {
    env: {
      PATH: process.env.PATH,
      GIT_PROJECT_ROOT: root,
      GIT_HTTP_EXPORT_ALL: '1',
      PATH_INFO: decodeURIComponent(pathname),
      QUERY_STRING: search.slice(1),
      REQUEST_METHOD: request.method,
      CONTENT_TYPE: request.headers['content-type'] ?? '',
      HTTP_CONTENT_ENCODING: request.headers['content-encoding'] ?? '',
      GIT_PROTOCOL: String(request.headers['git-protocol'] ?? ''),
      REMOTE_ADDR: '127.0.0.1',
    },
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  child.stdin.on('error', () => undefined); // the backend may end before it has read all
  request.pipe(child.stdin);
  response.once('close', () => child.kill());
  let head = Buffer.alloc(0);
  child.stdout.on('data', (chunk: Buffer) => {
    if (response.headersSent) return void response.write(chunk);
    head = Buffer.concat([head, chunk]);
    const end = head.indexOf('\r\n\r\n');
    if (end < 0) return;
    writeHead(response, head.subarray(0, end).toString('latin1'));
    response.write(head.subarray(end + 4));
  });
  child.stdout.once('end', () => {
    if (!response.headersSent) response.writeHead(500);
    response.end();
  });
}

function writeHead(response: ServerResponse, text: string): void {
  const headers = text.split('\r\n').map((line) => line.split(/:\s*/, 2) as [string, string]);
  const status = headers.find(([name]) => name.toLowerCase() === 'status')?.[1] ?? '200';
  response.writeHead(
    Number.parseInt(status, 10),
    Object.fromEntries(headers.filter(([name]) => name.toLowerCase() !== 'status')),
  );
}
