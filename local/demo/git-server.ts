/** A read-only git server over http on loopback: git's own `http-backend` runs as a CGI program behind a small server. */
import { spawn } from 'node:child_process';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { join } from 'node:path';
import { createServer } from '../instance/builtin-http.ts';
import { runCommand } from '../setup/command.ts';

export interface GitServer {
  /** `http://127.0.0.1:<port>`. The repository `<root>/<name>` has the URL `<url>/<name>`. */
  url: string;
  port: number;
  close(): Promise<void>;
}

export interface ExampleGiven {
  /** The directory of all served repositories, and the example's repository in it. */
  root: string;
  repository: string;
  /** The directory with the files of the example's commits. */
  workTree: string;
  port: number;
}

export type ServedExample = Pick<GitServer, 'url' | 'port'>;

export interface GitServerOptions {
  port?: number;
  /** Called before a client reads the branches. */
  beforeRead?: () => Promise<void>;
}

const headerBytesMax = 16_384;

/** Serves every repository under `root`. @throws Error when git has no http-backend or the port is taken. */
export async function serveGit(root: string, options: GitServerOptions = {}): Promise<GitServer> {
  const execPath = (await runCommand('git', ['--exec-path'], { timeoutMs: 5_000 })).trim();
  const backend = join(execPath, 'git-http-backend');
  const server = createServer((request, response) => {
    answer(request, response).catch(() => response.destroy());
  });
  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    const url = new URL(request.url ?? '/', 'http://localhost');
    if (url.pathname.endsWith('/info/refs')) await options.beforeRead?.();
    runBackend(backend, root, url, request, response);
  };
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(options.port ?? 0, '127.0.0.1', resolve);
  });
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the git server has no port');
  return {
    url: `http://127.0.0.1:${address.port}`,
    port: address.port,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function runBackend(
  backend: string,
  root: string,
  url: URL,
  request: IncomingMessage,
  response: ServerResponse,
): void {
  const child = spawn(backend, [], {
    stdio: ['pipe', 'pipe', 'ignore'],
    env: cgiEnvironment(root, url, request),
  });
  child.once('error', () => response.writeHead(500).end());
  response.once('close', () => child.kill());
  child.stdin.once('error', () => {});
  request.pipe(child.stdin);
  let head = Buffer.alloc(0);
  const readHead = (chunk: Buffer) => {
    head = Buffer.concat([head, chunk]);
    const end = head.indexOf('\r\n\r\n');
    if (end === -1) {
      if (head.length > headerBytesMax) child.kill();
      return;
    }
    child.stdout.off('data', readHead);
    const { status, headers } = parseHead(head.subarray(0, end).toString('latin1'));
    response.writeHead(status, headers);
    response.write(head.subarray(end + 4));
    child.stdout.pipe(response);
  };
  child.stdout.on('error', () => response.destroy());
  child.stdout.on('data', readHead);
  child.stdout.once('end', () => {
    if (!response.headersSent) response.writeHead(500).end();
  });
}

/** RFC 3875 meta-variables that git-http-backend(1) reads. Pushing stays off: `http.receivepack` is not set. */
function cgiEnvironment(root: string, url: URL, request: IncomingMessage): NodeJS.ProcessEnv {
  const { headers } = request;
  return {
    PATH: process.env.PATH,
    GIT_PROJECT_ROOT: root,
    GIT_HTTP_EXPORT_ALL: '1',
    GIT_PROTOCOL: String(headers['git-protocol'] ?? ''),
    REQUEST_METHOD: request.method,
    PATH_INFO: decodeURIComponent(url.pathname),
    QUERY_STRING: url.search.slice(1),
    CONTENT_TYPE: headers['content-type'] ?? '',
    CONTENT_LENGTH: headers['content-length'] ?? '',
    HTTP_CONTENT_ENCODING: String(headers['content-encoding'] ?? ''),
    REMOTE_ADDR: '127.0.0.1',
  };
}

function parseHead(text: string): { status: number; headers: Record<string, string> } {
  const fields = text
    .split('\r\n')
    .map((line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 1).trim()]);
  const status = fields.find(([name]) => name?.toLowerCase() === 'status')?.[1];
  const headers = fields.filter(([name]) => name !== undefined && name.toLowerCase() !== 'status');
  return {
    status: status === undefined ? 200 : Number.parseInt(status, 10),
    headers: Object.fromEntries(headers),
  };
}
