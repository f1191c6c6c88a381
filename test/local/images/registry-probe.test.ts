import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { answersHttp } from '../../../local/images/registry-probe.ts';

async function registry(status: number): Promise<string> {
  const server = createServer((request, response) =>
    response.writeHead(request.url === '/v2/' ? status : 500).end(),
  );
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1/`;
}

test.each([
  [200, true],
  [401, true],
  [404, false],
  [502, false],
])('a host that answers %i to the base path is a registry: %s', async (status, expected) => {
  expect(await answersHttp(await registry(status))).toBe(expected);
});

test('neither a name that does not resolve nor a closed port is a registry', async () => {
  expect(await answersHttp('http://registry.invalid')).toBe(false);
  expect(await answersHttp('http://127.0.0.1:1')).toBe(false);
});
