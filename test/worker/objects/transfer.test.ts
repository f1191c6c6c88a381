import { env } from 'cloudflare:workers';
import { expect, test } from 'vitest';
import { TransferPipe } from '../../../worker/objects/transfer-pipe.ts';

let transfers = 0;
/** A transfer of its own for each test. */
function newTransfer() {
  transfers += 1;
  const stub = env.TRANSFER.get(env.TRANSFER.idFromName(`transfer-${transfers}`));
  return {
    receive: (size: number) => stub.fetch(`https://transfer/?size=${size}`),
    send: (offset: number, body: ReadableStream, length: number) =>
      stub.fetch(`https://transfer/?offset=${offset}`, {
        method: 'PUT',
        body,
        headers: { 'content-length': String(length) },
      }),
  };
}

/** Bytes that say where they stand, so that a hole or a repeat shows. */
function pattern(first: number, length: number): Uint8Array {
  const bytes = new Uint8Array(length);
  for (let index = 0; index < length; index++)
    bytes[index] = ((first + index) * 31 + ((first + index) >> 8)) & 255;
  return bytes;
}

function whole(bytes: Uint8Array): ReadableStream {
  const { readable, writable } = new FixedLengthStream(bytes.byteLength);
  const writer = writable.getWriter();
  void writer
    .write(bytes)
    .then(() => writer.close())
    .catch(() => undefined);
  return readable;
}

/** A part whose connection dies after `alive` of its bytes. */
function dying(bytes: Uint8Array, alive: number): ReadableStream {
  const { readable, writable } = new FixedLengthStream(bytes.byteLength);
  const writer = writable.getWriter();
  void writer
    .write(bytes.subarray(0, alive))
    .then(() => writer.abort(new Error('connection lost')))
    .catch(() => undefined);
  return readable;
}

const mib = 1024 * 1024;

test('two parts become one body with a Content-Length', { tags: 'slow' }, async () => {
  const { receive, send } = newTransfer();
  const answer = receive(3 * mib);
  const parts = (async () => {
    const first = await send(0, whole(pattern(0, 2 * mib)), 2 * mib);
    expect([first.status, await first.json()]).toEqual([200, { offset: 2 * mib }]);
    const second = await send(2 * mib, whole(pattern(2 * mib, mib)), mib);
    expect([second.status, await second.json()]).toEqual([200, { offset: 3 * mib }]);
  })();
  const response = await answer;
  expect(response.status).toBe(200);
  expect(response.headers.get('content-length')).toBe(String(3 * mib));
  expect(await response.bytes()).toEqual(pattern(0, 3 * mib));
  await parts;
});

test('a part that comes before the client waits for it', async () => {
  const { receive, send } = newTransfer();
  const part = send(0, whole(pattern(0, 1000)), 1000);
  const response = await receive(1000);
  expect(await response.bytes()).toEqual(pattern(0, 1000));
  expect((await part).status).toBe(200);
});

test('a part that died is followed from the byte that the object names', { tags: 'slow' }, async () => {
  const { receive, send } = newTransfer();
  const answer = receive(mib);
  const parts = (async () => {
    const died = await send(0, dying(pattern(0, mib), 300_000), mib).catch(() => null);
    expect(died?.ok ?? false).toBe(false);
    const again = await send(0, whole(pattern(0, mib)), mib);
    expect(again.status).toBe(409);
    const { offset } = await again.json<{ offset: number }>();
    expect(offset).toBeLessThanOrEqual(300_000);
    const rest = await send(offset, whole(pattern(offset, mib - offset)), mib - offset);
    expect([rest.status, await rest.json()]).toEqual([200, { offset: mib }]);
  })();
  expect(await (await answer).bytes()).toEqual(pattern(0, mib));
  await parts;
});

test('the last part sent again after its answer was lost is answered as passed', async () => {
  const { receive, send } = newTransfer();
  const answer = receive(100);
  const first = send(0, whole(pattern(0, 100)), 100);
  expect(await (await answer).bytes()).toEqual(pattern(0, 100));
  expect((await first).status).toBe(200);
  const repeat = await send(0, whole(pattern(0, 100)), 100);
  expect([repeat.status, await repeat.json()]).toEqual([200, { offset: 100 }]);
});

test('the sender gets 499 when the client leaves', async () => {
  const { receive, send } = newTransfer();
  const answer = receive(8 * mib);
  const part = send(0, whole(pattern(0, 8 * mib)), 8 * mib);
  const reader = (await answer).body?.getReader();
  await reader?.read();
  await reader?.cancel();
  expect((await part).status).toBe(499);
  expect((await send(mib, whole(pattern(mib, mib)), mib)).status).toBe(499);
});

test('a newer part replaces one that hangs', async () => {
  const { receive, send } = newTransfer();
  const answer = receive(1000);
  const hanging = new FixedLengthStream(1000);
  const writer = hanging.writable.getWriter();
  const stuck = send(0, hanging.readable, 1000).catch(() => null);
  await writer.write(pattern(0, 400));
  const body = (await answer).bytes();
  const again = await send(0, whole(pattern(0, 1000)), 1000);
  const { offset } = await again.json<{ offset: number }>();
  expect([again.status, offset]).toEqual([409, 400]);
  expect((await send(400, whole(pattern(400, 600)), 600)).status).toBe(200);
  expect(await body).toEqual(pattern(0, 1000));
  await writer.abort().catch(() => undefined);
  await stuck;
});

test('bytes beyond the size, or that are not a part, are refused', async () => {
  const { receive, send } = newTransfer();
  const answer = receive(100);
  expect((await send(0, whole(pattern(0, 101)), 101)).status).toBe(400);
  expect((await receive(100)).status).toBe(409);
  const part = send(0, whole(pattern(0, 100)), 100);
  expect(await (await answer).bytes()).toEqual(pattern(0, 100));
  await part;
});

test('a transfer of nothing needs no sender', async () => {
  const response = await newTransfer().receive(0);
  expect([response.status, (await response.bytes()).byteLength]).toEqual([200, 0]);
});

test('a client whose sender never comes, or falls silent, is not left waiting', async () => {
  const idleMs = 20;
  expect(await new TransferPipe(idleMs).receive(10)).toBe('no-sender');

  const silent = new TransferPipe(idleMs);
  const answer = silent.receive(1000);
  const part = silent.pass(0, 1000, new FixedLengthStream(1000).readable);
  const body = await answer;
  if (!(body instanceof ReadableStream)) throw new Error('no body');
  await expect(new Response(body).bytes()).rejects.toThrow();
  expect(await part).toEqual({ result: 'over' });
});
