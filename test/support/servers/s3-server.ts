/**
 * An S3 server: s3rver, which checks signatures and stores objects and parts as files, with the calls that it lacks (s3-uploads.ts), and
 * faults on request: an object whose name begins with a fault's name, such as `dies-in-part/`, triggers it.
 */
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import type { S3Address } from './s3-provided.ts';
import { addKey, addUploadCalls, type S3App } from './s3-uploads.ts';

const accessKeyId = 'key-of-the-tests';
const secretAccessKey = 'canary-of-the-bucket';
const bucket = 'longshore-test';
const logPath = '/-/log';

export interface S3Server {
  address: S3Address;
  /** Names of its stored objects, including parts of uploads. */
  kept(): Promise<string[]>;
  /** Whether uploads in parts are refused from now on, as by a full bucket; single objects are accepted. */
  refuseUploads(refused: boolean): void;
  /** Removes its stored objects. */
  stop(): Promise<void>;
}

export async function startS3Server(): Promise<S3Server> {
  const directory = await mkdtemp(join(tmpdir(), 'longshore-s3-'));
  const log: string[] = [];
  let listener: Promise<RequestListener> | undefined;
  let isFull = false;
  const server = createServer((request, response) => {
    if (request.url === logPath) return void response.end(JSON.stringify(log));
    response.on('close', () => log.push(`${request.method} ${response.statusCode} ${request.url}`));
    if (isFull && request.url?.includes('?uploads'))
      return void request.resume().on('end', () => response.writeHead(403).end(xml('QuotaExceeded')));
    listener ??= loadS3(directory);
    void listener.then((serve) => serveWithFaults(request, response, serve));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    address: { endpoint, bucket, accessKeyId, secretAccessKey, logUrl: endpoint + logPath },
    refuseUploads(refused) {
      isFull = refused;
    },
    kept: () => keptIn(join(directory, bucket)),
    async stop() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      await rm(directory, { recursive: true, force: true });
    },
  };
}

/** s3rver keeps an object as a file of its name with a suffix, and parts in a folder. */
async function keptIn(directory: string): Promise<string[]> {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true }).catch(() => []);
  const files = entries.filter((entry) => entry.isFile());
  return files.flatMap(({ parentPath, name }) => {
    const path = relative(directory, join(parentPath, name));
    return path.endsWith('._S3rver_object') || path.includes('_S3rver_uploads/')
      ? [path.replace(/\._S3rver_object$/, '')]
      : [];
  });
}

async function loadS3(directory: string): Promise<RequestListener> {
  const S3rver = createRequire(import.meta.url)('@20minutes/s3rver');
  const app: S3App = new S3rver({
    directory,
    silent: true,
    vhostBuckets: false,
    configureBuckets: [{ name: bucket }],
  });
  await app.configureBuckets();
  addKey(accessKeyId, secretAccessKey);
  addUploadCalls(app);
  return app.callback();
}

type Fault = (request: IncomingMessage, response: ServerResponse, serve: RequestListener) => void;

const partial = 1024 * 1024;
const isPart = ({ url }: IncomingMessage) => url?.includes('partNumber=') === true;
const isCompletion = ({ method, url }: IncomingMessage) =>
  method === 'POST' && url?.includes('uploadId=') === true;
const xml = (code: string) => `<?xml version="1.0"?><Error><Code>${code}</Code></Error>`;

const faults: Readonly<Record<string, Fault>> = {
  'dies-in-part': (request, response, serve) => {
    if (!isPart(request) || Number(request.headers['content-length']) < partial)
      return serve(request, response);
    let size = 0;
    request.on('data', ({ length }: Buffer) => {
      size += length;
      if (size >= partial) request.socket.destroy();
    });
  },
  'dies-after-completion': (request, response, serve) => {
    if (isCompletion(request)) response.end = () => request.socket.destroy() && response;
    serve(request, response);
  },
  'fails-in-200': (request, response, serve) => {
    if (!isCompletion(request)) return serve(request, response);
    request.resume().on('end', () => response.writeHead(200).end(`\n\n${xml('InternalError')}`));
  },
  'dies-in-read': (request, response, serve) => {
    if (request.method !== 'GET') return serve(request, response);
    const write = response.write.bind(response);
    response.write = (chunk: Buffer) => write(chunk, () => request.socket.destroy());
    serve(request, response);
  },
  silent: (request) => request.resume(),
  'not-s3': (request, response) => {
    request.resume().on('end', () => response.writeHead(502).end('<html>Bad gateway</html>'));
  },
  'leads-elsewhere': (request, response) => {
    const location = `http://${request.headers.host}${request.url?.replace('leads-elsewhere/', '')}`;
    request.resume().on('end', () => response.writeHead(307, { location }).end(xml('TemporaryRedirect')));
  },
  'read-only': (request, response, serve) => {
    if (request.method !== 'PUT') return serve(request, response);
    request.resume().on('end', () => response.writeHead(403).end(xml('AccessDenied')));
  },
};

function serveWithFaults(request: IncomingMessage, response: ServerResponse, serve: RequestListener): void {
  const [, , first = ''] = request.url?.split('/') ?? [];
  const fault = faults[first] ?? ((_, __, plain) => plain(request, response));
  fault(request, response, serve);
}
