import { readFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { createClient, LongshoreError } from '../../client/client.ts';
import { generateSettings, generateTypes } from '../../client/generate-types.ts';
import { routesPage } from '../../client/routes-page.ts';

/** It compiles the Worker: seconds on a quiet machine, more than 30 beside other files on a busy one. */
const generateTimeoutMs = 180_000;

async function serverOf(answer: (request: IncomingMessage, response: ServerResponse) => unknown) {
  const server = createServer((request, response) => void answer(request, response));
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  onTestFinished(() => void server.close());
  return createClient({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, token: 'secret' });
}

test("types and settings are those of the API's schemas: `npm run client` writes them again", {
  timeout: generateTimeoutMs,
}, async () => {
  const written = (file: string) => readFile(new URL(`../../client/${file}`, import.meta.url), 'utf8');
  expect(await written('api-types.ts')).toBe(await generateTypes());
  expect(await written('service-settings.ts')).toBe(await generateSettings());
});

test('the page of routes is the one that the routes generate', async () => {
  const page = await readFile(new URL('../../docs/design/interface-routes.md', import.meta.url), 'utf8');
  expect(page, 'run npm run client').toBe(await routesPage());
});

test('a call fills the path in, escaped, and sends token, query, body and idempotency key', async () => {
  const seen: unknown[] = [];
  const client = await serverOf(async (request, response) => {
    const chunks = await Array.fromAsync(request);
    const { authorization, 'idempotency-key': key } = request.headers;
    seen.push([request.method, request.url, authorization, key, Buffer.concat(chunks).toString()]);
    response.end(JSON.stringify({ project: { id: 'p' } }));
  });
  const { project } = await client.call('GET /api/projects/:projectSlug', {
    params: { projectSlug: '../a b' },
  });
  await client.call('POST /api/projects', { body: { name: 'Shop' }, idempotencyKey: 'once' });
  expect(project.id).toBe('p');
  expect(seen).toEqual([
    ['GET', '/api/projects/..%2Fa%20b', 'Bearer secret', undefined, ''],
    ['POST', '/api/projects', 'Bearer secret', 'once', '{"name":"Shop"}'],
  ]);
});

test('a refusal is thrown with its sentence, code, request id and the time to wait', async () => {
  const client = await serverOf((_, response) => {
    response.writeHead(429, { 'retry-after': '7' });
    response.end(JSON.stringify({ error: 'Too many.', code: 'rate_limited', requestId: 'r1' }));
  });
  const refusal = await client.call('GET /api/projects').catch((error: unknown) => error);
  expect(refusal).toBeInstanceOf(LongshoreError);
  expect(refusal).toMatchObject({
    message: 'Too many.',
    status: 429,
    code: 'rate_limited',
    requestId: 'r1',
    retryAfterSeconds: 7,
  });
});

test("an answer that is not the API's (a proxy in between) is an error that says so", async () => {
  const client = await serverOf((_, response) => response.writeHead(502).end('<html>bad gateway'));
  await expect(client.call('GET /api/projects')).rejects.toThrow('The server answered 502.');
});

test('events are read one by one with their ids, however the bytes are cut, until the server ends', async () => {
  const client = await serverOf((request, response) => {
    expect(request.headers['last-event-id']).toBe('4');
    const text = 'id: 5\nevent: snapshot\ndata: [{"line":"é"}]\n\nevent: ping\ndata: {"t":1}\n\n';
    for (const byte of Buffer.from(text)) response.write(Buffer.of(byte));
    response.end();
  });
  const stream = client.events('GET /api/deployments/:deploymentId/stream', {
    params: { deploymentId: 'd' },
    lastEventId: '4',
  });
  expect(await Array.fromAsync(stream)).toEqual([
    { event: 'snapshot', data: [{ line: 'é' }], id: '5' },
    { event: 'ping', data: { t: 1 }, id: undefined },
  ]);
});
