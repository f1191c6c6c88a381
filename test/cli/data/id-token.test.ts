/** The identity token of a CI job, from a variable or from the Actions service of the job. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { idTokenOf } from '../../../cli/data/id-token.ts';

const asked: { url: string; authorization: string }[] = [];
let answer = { status: 200, body: '{"count":1,"value":"token-of-actions"}' };
const server = createServer((request, response) => {
  asked.push({ url: request.url ?? '', authorization: request.headers.authorization ?? '' });
  response.writeHead(answer.status).end(answer.body);
});
let env: Record<string, string>;
beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  env = {
    ACTIONS_ID_TOKEN_REQUEST_URL: `${origin}/idtoken?api-version=2.0`,
    ACTIONS_ID_TOKEN_REQUEST_TOKEN: 'secret',
  };
});
afterAll(() => server.close());

test('Actions are asked for a token of the audience, with the token of the job', async () => {
  expect(await idTokenOf(env, 'https://longshore.example/?a=b&c')).toBe('token-of-actions');
  const { url, authorization } = asked.at(-1) ?? {};
  expect(authorization).toBe('bearer secret');
  const query = new URL(url ?? '', 'http://x').searchParams;
  expect([query.get('api-version'), query.get('audience')]).toEqual([
    '2.0',
    'https://longshore.example/?a=b&c',
  ]);
});

test('a variable is used before Actions', async () => {
  const before = asked.length;
  expect(await idTokenOf({ ...env, LONGSHORE_ID_TOKEN: 'given\n' }, 'x')).toBe('given');
  expect(asked).toHaveLength(before);
});

test.each([
  [403, '{"message":"no permission"}', 'it answered 403'],
  [200, '{"value":5}', 'it answered 200'],
  [200, '<html>', 'JSON'],
])(
  'an answer %i with %s fails with its reason, without the token of the job',
  async (status, body, reason) => {
    answer = { status, body };
    const failed = await idTokenOf(env, 'x').catch((error: Error) => error.message);
    expect(failed).toContain('gave no identity token');
    expect(failed).toContain(reason);
    expect(failed).not.toContain('secret');
  },
);

test('a job without a token reads what its file lacks, for each CI service', async () => {
  for (const given of [{}, { ACTIONS_ID_TOKEN_REQUEST_URL: 'https://x' }]) {
    const failed = idTokenOf(given, 'x');
    await expect(failed).rejects.toMatchObject({ exitCode: 2 });
    for (const words of ['id-token: write', 'enable-openid-connect: true', 'id_tokens'])
      await expect(failed).rejects.toThrow(words);
  }
});
