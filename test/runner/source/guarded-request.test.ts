import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { expect, onTestFinished, test } from 'vitest';
import { request } from '../../../runner/source/guarded-request.ts';

test('a request goes to the address that was checked, and the name is not resolved again', async () => {
  const server = createServer((asked, answer) => answer.end(asked.headers.host));
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  const answers = [['127.0.0.1'], ['127.0.0.2']];
  const guard = {
    allowPrivate: true,
    // The system's resolver knows no name below .invalid (RFC 6761).
    resolve: async () => answers.shift() ?? [],
    signal: AbortSignal.timeout(10_000),
  };
  const { status, body } = await request(guard, `http://rebinding.invalid:${port}/`, {
    method: 'GET',
    headers: {},
  });
  expect([status, await text(body)]).toEqual([200, `rebinding.invalid:${port}`]);
  expect(answers).toEqual([['127.0.0.2']]);
});
