/** A part of a file as the body of a request, to a real server. */
import { randomBytes } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { expect, onTestFinished, test } from 'vitest';
import { putFile } from '../../../runner/storage/put-file.ts';
import { temporaryDirectory } from '../../support/runner/temporary-directory.ts';

async function serve(answer: (request: IncomingMessage, response: ServerResponse) => unknown): Promise<URL> {
  const server = createServer((request, response) => void answer(request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
}

async function fileOf(bytes: Buffer): Promise<string> {
  const path = join(temporaryDirectory(), 'file');
  await writeFile(path, bytes);
  return path;
}

test('the requested bytes from the start offset arrive as they are in the file', async () => {
  const bytes = randomBytes(3_000_001);
  const path = await fileOf(bytes);
  let came: Buffer | undefined;
  const url = await serve(async (request, response) => {
    came = await buffer(request);
    response.end(JSON.stringify({ length: request.headers['content-length'], proof: request.headers.proof }));
  });
  const answer = await putFile(url, { path, start: 17, length: 2_500_000 }, { headers: { proof: 'p' } });
  expect(answer).toEqual({ status: 200, body: { length: '2500000', proof: 'p' } });
  expect(came?.equals(bytes.subarray(17, 2_500_017))).toBe(true);
});

test('an answer that comes before the bytes are taken ends the sending', async () => {
  const path = await fileOf(Buffer.alloc(50_000_000));
  const url = await serve((_request, response) => void response.writeHead(499).end('{"error":"left"}'));
  const answer = await putFile(url, { path, start: 0, length: 50_000_000 }, { headers: {} });
  expect(answer).toEqual({ status: 499, body: { error: 'left' } });
});

test('a file that has become shorter, and a connection that breaks, are errors', async () => {
  const path = await fileOf(Buffer.alloc(1_000_000));
  const url = await serve((request) => void request.once('data', () => request.destroy()));
  const tooLong = { path, start: 0, length: 1_000_001 };
  await expect(putFile(url, { ...tooLong, length: 1_000_000 }, { headers: {} })).rejects.toThrow();
  const patient = await serve((request) => void request.resume());
  await expect(putFile(patient, tooLong, { headers: {} })).rejects.toThrow('shorter');
});

test('a connection that breaks right after an early answer does not end the runner', async () => {
  const path = await fileOf(Buffer.alloc(50_000_000));
  const uncaught: unknown[] = [];
  const note = (error: unknown) => void uncaught.push(error);
  process.prependListener('uncaughtException', note);
  onTestFinished(() => void process.off('uncaughtException', note));
  const url = await serve((request, response) => {
    response.writeHead(499, { 'content-length': '100' }).write('{"error":', () => {
      setTimeout(() => request.socket.resetAndDestroy(), 5);
    });
  });
  for (let times = 0; times < 5; times += 1) {
    const answer = await putFile(url, { path, start: 0, length: 50_000_000 }, { headers: {} });
    expect(answer).toEqual({ status: 499, body: null });
  }
  expect(uncaught).toEqual([]);
});
