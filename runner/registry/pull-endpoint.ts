/**
 * A registry on the loopback interface for one pull. Docker asks here, and every request is sent on through the runner's address guard: so
 * Docker itself neither looks up a name nor follows a registry's address (docs/decisions/0026). Every request needs the unguessable name of
 * the repository. Docker verifies the digests.
 */
import { randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Answer } from './guarded-get.ts';
import type { Manifest } from './manifest.ts';
import { openPulls, pullsPath } from './open-pulls.ts';
import { RegistryError } from './registry-error.ts';
import type { RemoteRepository } from './remote-repository.ts';

export interface PullEndpoint {
  /** The name that Docker pulls by digest. */
  repository: string;
  /** Aborted, with the error, after a permanent failure; Docker itself would retry for a minute. */
  failed: AbortSignal;
  close(): Promise<void>;
}

/** @param first the manifest that Docker is to pull */
export async function openPullEndpoint(
  remote: RemoteRepository,
  first: Manifest,
  instance: string,
): Promise<PullEndpoint> {
  const name = `${pullsPath(instance)}/${randomBytes(16).toString('hex')}`;
  const failure = new AbortController();
  const pull = new Pull(remote, first);
  const server = createServer((request, response) => {
    pull.answer(name, request, response).catch((error: unknown) => {
      if (error instanceof Gone) return void response.destroy();
      failure.abort(error);
      refuse(response, 502);
    });
  });
  server.listen(0, '127.0.0.1');
  await new Promise<void>((resolve, reject) => {
    server.once('listening', resolve);
    server.once('error', reject);
  });
  const { port } = server.address() as AddressInfo;
  const repository = `127.0.0.1:${port}/${name}`;
  openPulls.add(repository);
  return {
    repository,
    failed: failure.signal,
    close: () =>
      new Promise((resolve) => {
        openPulls.delete(repository);
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** The connection of one blob broke on either side: Docker resumes it by a range. */
class Gone extends Error {}

class Pull {
  readonly #remote: RemoteRepository;
  readonly #manifests: Map<string, Manifest>;
  /** Bytes by digest of all objects in the manifests so far. */
  readonly #sizes: Map<string, number>;

  constructor(remote: RemoteRepository, first: Manifest) {
    this.#remote = remote;
    this.#manifests = new Map([[first.digest, first]]);
    this.#sizes = new Map(first.sizes);
  }

  async answer(name: string, request: IncomingMessage, response: ServerResponse): Promise<void> {
    request.resume();
    const { method = '', url = '' } = request;
    if (!['GET', 'HEAD'].includes(method)) return refuse(response, 405);
    if (url === '/v2/') return void response.end('{}');
    const prefix = `/v2/${name}/`;
    const asked = url.startsWith(prefix)
      ? /^(manifests|blobs)\/(sha256:[0-9a-f]{64})$/.exec(url.slice(prefix.length))
      : null;
    const [, kind, digest = ''] = asked ?? [];
    const size = this.#manifests.get(digest)?.bytes.length ?? this.#sizes.get(digest);
    if (size === undefined) return refuse(response, 404);
    if (kind === 'manifests') return await this.#sendManifest(digest, method, response);
    response.setHeader('content-type', 'application/octet-stream');
    response.setHeader('accept-ranges', 'bytes');
    if (method === 'HEAD') return void response.setHeader('content-length', size).end();
    await this.#sendBlob(digest, size, request.headers.range, response);
  }

  async #sendManifest(digest: string, method: string, response: ServerResponse): Promise<void> {
    const manifest = this.#manifests.get(digest) ?? (await this.#remote.manifest(digest));
    this.#manifests.set(digest, manifest);
    for (const [named, size] of manifest.sizes) this.#sizes.set(named, size);
    response.writeHead(200, {
      'content-type': manifest.type,
      'content-length': manifest.bytes.length,
      'docker-content-digest': digest,
    });
    response.end(method === 'HEAD' ? undefined : manifest.bytes);
  }

  async #sendBlob(
    digest: string,
    size: number,
    range: string | undefined,
    response: ServerResponse,
  ): Promise<void> {
    const answer = await this.#remote.blob(digest, range);
    const { status, headers, body } = answer;
    const expected = expectedBytes(answer, size);
    if (headers['content-length'] !== undefined && Number(headers['content-length']) !== expected) {
      body.destroy();
      throw new RegistryError('broken', `a layer has another length than its manifest says (${digest})`);
    }
    response.writeHead(status, {
      'content-length': expected,
      ...(headers['content-range'] ? { 'content-range': headers['content-range'] } : {}),
    });
    const bound = new ByteBound(expected);
    try {
      await pipeline(body, bound, response);
    } catch (cause) {
      if (bound.exceeded)
        throw new RegistryError('broken', `a layer is longer than its manifest says (${digest})`);
      throw new Gone('the connection of a layer broke', { cause });
    }
  }
}

/** @throws RegistryError for a range that was not requested */
function expectedBytes({ status, headers, body }: Answer, size: number): number {
  if (status === 200) return size;
  const [, from, to, of] = /^bytes (\d+)-(\d+)\/(\d+|\*)$/.exec(headers['content-range'] ?? '') ?? [];
  const bytes = Number(to) - Number(from) + 1;
  if (bytes > 0 && Number(to) < size && (of === '*' || Number(of) === size)) return bytes;
  body.destroy();
  throw new RegistryError('broken', 'the registry answered with a range that is not in the layer');
}

/** Ends a body that is longer than allowed. */
class ByteBound extends Transform {
  #left: number;
  exceeded = false;

  constructor(bytesMax: number) {
    super();
    this.#left = bytesMax;
  }

  override _transform(chunk: Buffer, _: BufferEncoding, done: (error: Error | null, data?: Buffer) => void) {
    this.#left -= chunk.length;
    this.exceeded = this.#left < 0;
    if (this.exceeded) done(new Error('too long'));
    else done(null, chunk);
  }
}

function refuse(response: ServerResponse, status: number): void {
  if (response.headersSent) return void response.destroy();
  const code = status === 404 ? 'NOT_FOUND' : 'UNAVAILABLE';
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(JSON.stringify({ errors: [{ code, message: 'the runner has nothing here' }] }));
}
