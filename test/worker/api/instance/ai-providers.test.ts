/** AI providers of the instance, as the operator connects, changes, tries and removes them. */
import { env } from 'cloudflare:workers';
import { beforeEach, expect, test } from 'vitest';
import { createDependencies } from '../../../../worker/context.ts';
import { createLanguageModels } from '../../../../worker/gateways/ai/language-models.ts';
import { type Client, createClient, type Json, operatorToken } from '../../../support/worker/api.ts';
import { openAi as provider } from '../../../support/worker/failed-deployments.ts';
import { AiServer } from '../../../support/worker/servers/ai-servers.ts';
import { timestamp } from '../../../support/worker/services.ts';

const path = '/api/system/ai-providers';
const openAi = { ...provider, baseUrl: `${provider.baseUrl}/` };

let server: AiServer;
let client: Client;
const call = (method: string, at = '', body?: unknown) =>
  client(method, path + at, { token: operatorToken, body });

beforeEach(async () => {
  server = new AiServer();
  client = createClient({
    dependenciesOf: () => ({
      ...createDependencies(env),
      ai: createLanguageModels(server.fetch),
    }),
  });
  await env.DB.batch([env.DB.prepare('delete from ai_providers'), env.DB.prepare('delete from settings')]);
});

test('a provider is connected, listed, changed and removed; its key is stored sealed and never shown', async () => {
  const { apiKey, ...shown } = openAi;
  const view = {
    ...shown,
    baseUrl: provider.baseUrl,
    enabled: true,
    createdAt: timestamp,
    updatedAt: timestamp,
  };
  const created = await call('POST', '', openAi);
  expect([created.status, created.body]).toEqual([200, { provider: view }]);
  expect((await call('GET')).body).toEqual({ providers: [view] });
  const changed = await call('PATCH', '/openai', { defaultModel: 'large-1', enabled: false });
  expect(changed.body.provider).toMatchObject({ defaultModel: 'large-1', enabled: false });
  const rows = await env.DB.prepare('select * from ai_providers').all();
  expect(JSON.stringify(rows.results) + created.text + changed.text).not.toContain(apiKey);
  expect((await call('DELETE', '/openai')).body).toEqual({ ok: true });
  expect((await call('GET')).body).toEqual({ providers: [] });
  expect((await call('PATCH', '/openai', { enabled: true })).status).toBe(404);
});

test('an id can be used once, and "builtin" never', async () => {
  await call('POST', '', openAi);
  for (const id of ['openai', 'builtin']) {
    const reply = await call('POST', '', { ...openAi, id });
    expect([reply.status, reply.body.code]).toEqual([409, 'conflict']);
  }
});

test.each<[string, Json, string]>([
  ['no kind', { id: 'x', defaultModel: 'm' }, '"kind"'],
  ['an unknown field', { ...openAi, key: 'x' }, '"key"'],
  ['an id with capitals', { ...openAi, id: 'OpenAI' }, '"id" must be 1 to 40'],
  ['a key with a line break', { ...openAi, apiKey: 'a\nb' }, '"apiKey"'],
  ['Anthropic without a key', { id: 'x', kind: 'anthropic', defaultModel: 'm' }, '"apiKey"'],
  ['an account id that is none', { ...openAi, kind: 'workers-ai', accountId: '../x' }, '"accountId"'],
  ['plain http', { ...openAi, baseUrl: 'http://llm.example/v1' }, '"baseUrl" must start with https://'],
  ['another scheme', { ...openAi, baseUrl: 'file:///etc/passwd' }, '"baseUrl" must be an https URL'],
  ['a key in the URL', { ...openAi, baseUrl: 'https://a:b@llm.example/' }, '"baseUrl" must be a URL without'],
  ...[
    '127.0.0.1',
    '[::1]',
    '[::ffff:10.0.0.1]',
    '2130706433',
    '0x7f.1',
    '10.1.2.3',
    '169.254.169.254',
    'localhost',
    'a.localhost.',
    'metadata.google.internal',
    'nas',
  ].map((host): [string, Json, string] => [
    `the private address ${host}`,
    { ...openAi, baseUrl: `https://${host}/v1` },
    '"baseUrl" must not point to a private address',
  ]),
])('%s is 400 with a clear reason', async (_, body, words) => {
  const reply = await call('POST', '', body);
  expect([reply.status, reply.body.code]).toEqual([400, 'invalid_request']);
  expect(reply.body.error).toContain(words);
  expect((await call('GET')).body.providers).toEqual([]);
});

test('a stored key is not sent to another server', async () => {
  await call('POST', '', openAi);
  const moved = await call('PATCH', '/openai', { baseUrl: 'https://other.example/v1' });
  expect([moved.status, moved.body.error]).toEqual([
    400,
    expect.stringContaining('the stored key is not sent there'),
  ]);
  expect((await call('PATCH', '/openai', { baseUrl: 'https://llm.example/v2' })).status).toBe(200);
  const withKey = await call('PATCH', '/openai', { baseUrl: 'https://other.example/v1', apiKey: 'new-key' });
  expect(withKey.status).toBe(200);
  await call('POST', '/openai/test');
  expect([server.last.url, server.last.headers.authorization]).toEqual([
    'https://other.example/v1/chat/completions',
    'Bearer new-key',
  ]);
});

test('a test asks one tiny question and reports why there was no answer, without the key', async () => {
  await call('POST', '', openAi);
  expect((await call('POST', '/openai/test')).body).toEqual({
    result: {
      ok: true,
      model: 'small-1',
      detail: 'The AI provider answered.',
      durationMs: expect.any(Number),
    },
  });
  expect(server.last.text.length).toBeLessThan(600);
  server.broken = () =>
    Response.json({ error: { message: `Incorrect API key provided: ${openAi.apiKey}` } }, { status: 401 });
  const { result } = (await call('POST', '/openai/test')).body;
  expect(result).toMatchObject({ ok: false, detail: expect.stringContaining('refused its key (HTTP 401)') });
  expect(result.detail).toContain('Incorrect API key provided');
  expect(result.detail).not.toContain(openAi.apiKey);
});
