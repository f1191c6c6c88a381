/** The control plane's routes for a backup's copy, as in protocol/backup-copy: one object, and failures when a test wants them. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';
import type { CopyCompletion } from '../../../protocol/backup-copy.ts';
import { runnerPaths } from '../../../protocol/enrolment.ts';

export interface CopyServer {
  url: string;
  /** Steps in order, such as `begin`, `part 1`, `complete`, `read`, `discard`. */
  steps: string[];
  object: Buffer | null;
  /** Uploads that were started and neither completed nor deleted. */
  open: Set<string>;
}

type Failure = number | 'break' | undefined;

/** @param failAt called at each step: returns a status of refusal, or `break` to end the connection in the middle of the bytes */
export async function copyServer(failAt: (step: string, times: number) => Failure = () => undefined) {
  const parts = new Map<number, Buffer>();
  const copies: CopyServer = { url: '', steps: [], object: null, open: new Set() };
  const serve = async (request: IncomingMessage, response: ServerResponse) => {
    const url = new URL(request.url ?? '', 'http://x');
    const step = stepOf(request, url);
    copies.steps.push(step);
    const failure = failAt(step, copies.steps.filter((one) => one === step).length);
    if (failure === 'break' && step !== 'read') return void request.once('data', () => request.destroy());
    const body = Buffer.concat(await Array.fromAsync(request));
    const completion: CopyCompletion | null = step === 'complete' ? JSON.parse(body.toString()) : null;
    const reply = (status: number, value: unknown) => response.writeHead(status).end(JSON.stringify(value));
    if (
      request.headers.authorization !== 'Bearer token' ||
      (completion?.job ?? url.searchParams.get('job')) !== 'job_1'
    ) {
      return void reply(401, { error: 'No token.' });
    }
    if (typeof failure === 'number') return void reply(failure, { error: `Refused at ${step}.` });
    const upload = url.searchParams.get('upload') ?? '';
    if (step === 'begin') {
      copies.open.add('upload 1');
      reply(200, { upload: 'upload 1' });
    } else if (step.startsWith('part')) {
      parts.set(Number(url.searchParams.get('part')), body);
      reply(200, { etag: `tag ${url.searchParams.get('part')}` });
    } else if (completion) {
      copies.object = Buffer.concat(
        completion.etags.map((etag) => parts.get(Number(etag.slice(4))) ?? Buffer.alloc(0)),
      );
      copies.open.delete(completion.upload);
      reply(200, { ok: true });
    } else if (step === 'discard') {
      copies.open.delete(upload);
      copies.object = null;
      reply(200, { ok: true });
    } else send(request, response, copies.object, failure === 'break');
  };
  const server = createServer(
    (request, response) => void serve(request, response).catch(() => request.destroy()),
  );
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  copies.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return copies;
}

function stepOf({ method }: IncomingMessage, { pathname, searchParams }: URL): string {
  if (pathname === runnerPaths.copyPart) return `part ${searchParams.get('part')}`;
  if (pathname === runnerPaths.copyCompletion) return 'complete';
  return { POST: 'begin', GET: 'read', DELETE: 'discard' }[method ?? ''] ?? 'unknown';
}

function send(request: IncomingMessage, response: ServerResponse, object: Buffer | null, breaks: boolean) {
  if (!object) return response.writeHead(409).end(JSON.stringify({ error: 'There is no copy.' }));
  const [, first = '', last = ''] = /^bytes=(\d+)-(\d+)$/.exec(request.headers.range ?? '') ?? [];
  const bytes = object.subarray(Number(first), Number(last) + 1);
  response.writeHead(206, {
    'content-range': `bytes ${first}-${Number(first) + bytes.length - 1}/${object.length}`,
    'content-length': bytes.length,
  });
  if (!breaks) return response.end(bytes);
  return response.write(bytes.subarray(0, Math.ceil(bytes.length / 2)), () => response.destroy());
}
