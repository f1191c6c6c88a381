/** A Git LFS server in front of a git server: the batch API and the objects, for one password. */
import { createHash } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface LfsServer {
  url: string;
  /** Authorization of each batch request; empty if there was none. */
  asked: string[];
  /** Headers of each download. */
  downloads: IncomingMessage['headers'][];
  /** Number of clients that disconnected before they had their answer. */
  lost(): number;
  close(): Promise<void>;
}

export interface LfsServerOptions {
  objects: readonly string[];
  /** Where git itself is. */
  gitUrl: string;
  password?: string;
  /** Changes the returned address of an object. */
  href?: (own: string) => string;
  /** Delays answers of LFS, not of git, until its promise resolves. */
  gate?: (path: string) => Promise<void> | void;
  /** Changes the sent content. */
  content?: (content: string) => string;
}

const oidOf = (content: string) => createHash('sha256').update(content).digest('hex');

export const pointerOf = (content: string) =>
  `version https://git-lfs.github.com/spec/v1\noid sha256:${oidOf(content)}\nsize ${Buffer.byteLength(content)}\n`;

/** Requests that are not for LFS are forwarded to `gitUrl`. */
export async function serveLfs(options: LfsServerOptions): Promise<LfsServer> {
  const asked: string[] = [];
  const downloads: IncomingMessage['headers'][] = [];
  const objects = new Map(options.objects.map((content) => [oidOf(content), content]));
  let lost = 0;
  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    const path = request.url ?? '';
    const { port } = server.address() as AddressInfo;
    response.once('close', () => {
      if (!response.writableEnded) lost++;
    });
    await options.gate?.(path);
    if (path.endsWith('/info/lfs/objects/batch')) {
      const authorization = request.headers.authorization ?? '';
      asked.push(authorization);
      const password = Buffer.from(authorization.split(' ')[1] ?? '', 'base64')
        .toString()
        .split(':')[1];
      if (options.password !== undefined && password !== options.password)
        return void response.writeHead(401).end('{}');
      const question = JSON.parse(await text(request)) as { objects: { oid: string; size: number }[] };
      const answers = question.objects.map(({ oid, size }) => {
        if (!objects.has(oid)) return { oid, size, error: { code: 404, message: 'Object does not exist' } };
        const own = `http://127.0.0.1:${port}/objects/${oid}`;
        const download = { href: options.href?.(own) ?? own, header: { 'x-pass': 'for-this-one' } };
        return { oid, size, actions: { download } };
      });
      return void response.end(JSON.stringify({ transfer: 'basic', objects: answers }));
    }
    const oid = /^\/objects\/(\w+)$/.exec(path)?.[1];
    if (oid !== undefined) {
      downloads.push(request.headers);
      const content = objects.get(oid) ?? '';
      return void response.end(options.content?.(content) ?? content);
    }
    const forwarded = await fetch(options.gitUrl + path, {
      method: request.method ?? 'GET',
      headers: headersOf(request),
      ...(request.method === 'POST' ? { body: await bytes(request) } : {}),
    });
    response.writeHead(forwarded.status, Object.fromEntries(forwarded.headers));
    response.end(Buffer.from(await forwarded.arrayBuffer()));
  };
  const server = createServer((request, response) => void answer(request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const close = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
  return { url: `http://127.0.0.1:${port}`, asked, downloads, lost: () => lost, close };
}

function headersOf(request: IncomingMessage): Record<string, string> {
  const kept = ['authorization', 'content-type', 'content-encoding', 'git-protocol', 'accept'];
  return Object.fromEntries(
    kept.flatMap((name) =>
      request.headers[name] === undefined ? [] : [[name, String(request.headers[name])]],
    ),
  );
}

async function bytes(request: IncomingMessage): Promise<Uint8Array<ArrayBuffer>> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return new Uint8Array(Buffer.concat(chunks));
}

const text = async (request: IncomingMessage) => Buffer.from(await bytes(request)).toString('utf8');
