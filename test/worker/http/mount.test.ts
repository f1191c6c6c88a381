/** Mounting: order of refusals, scope, error bodies, limits; on routes of the test's own. */

import { expect, test } from 'vitest';
import { z } from 'zod';
import { createApp } from '../../../worker/app.ts';
import { bodyLimitBytes } from '../../../worker/http/limits/body-limit.ts';
import { runnerResource } from '../../../worker/http/loaders/operator-loaders.ts';
import {
  deploymentResource,
  projectResource,
  serviceResource,
  signedServiceResource,
} from '../../../worker/http/loaders/service-loaders.ts';
import { type AnyRoute, defineRoute } from '../../../worker/http/route.ts';
import {
  createClient,
  insertKey,
  insertProject,
  insertRunner,
  insertService,
  operatorToken,
} from '../../support/worker/api.ts';

const echo = z.strictObject({ seen: z.unknown() });
const routes: AnyRoute[] = [
  defineRoute({
    method: 'GET',
    path: '/api/services/:serviceId/probe',
    access: 'read',
    summary: '',
    resource: serviceResource,
    reply: echo,
    handle: async ({ resource }) => ({ seen: resource }),
  }),
  defineRoute({
    method: 'POST',
    path: '/api/projects/:projectId/probe',
    access: 'write',
    summary: '',
    resource: projectResource,
    body: z.strictObject({ name: z.string() }),
    reply: echo,
    handle: async ({ body }) => ({ seen: body }),
  }),
  defineRoute({
    method: 'GET',
    path: '/api/fails',
    access: 'public',
    summary: '',
    reply: echo,
    handle: async () => {
      throw new Error('secret detail');
    },
  }),
  defineRoute({
    method: 'GET',
    path: '/api/system/runners/:runnerId/probe',
    access: 'operator',
    summary: '',
    resource: runnerResource,
    reply: echo,
    handle: async ({ resource }) => ({ seen: resource }),
  }),
];

const call = createClient({}, routes);
const write = (await insertKey()).token;
const project = await insertProject();
const runner = await insertRunner();
const service = await insertService({ projectId: project.id, runnerId: runner.id });

test('a loader yields the rows of the joined tables, unmixed', async () => {
  const { body } = await call('GET', `/api/services/${service.id}/probe`, { token: write });
  expect(body.seen).toEqual({ service, project });
});

test('an operator loader needs the operator token; a valid key gets 403, anything else 401', async () => {
  const path = `/api/system/runners/${runner.id}/probe`;
  expect((await call('GET', path, { token: operatorToken })).body.seen).toEqual({ runner });
  expect((await call('GET', path, { token: write })).status).toBe(403);
  expect((await call('GET', path, { token: 'wrong' })).status).toBe(401);
  expect((await call('GET', path)).status).toBe(401);
  expect((await call('GET', '/api/system/runners/run_none/probe', { token: operatorToken })).status).toBe(
    404,
  );
});

test('a level that is too low is refused before the body and the resource are read', async () => {
  const { token } = await insertKey({ access: 'read' });
  const reply = await call('POST', '/api/projects/prj_none/probe', { token, raw: '{' });
  expect([reply.status, reply.body.code]).toEqual([403, 'forbidden']);
});

test('an invisible resource and an absent one give the same bytes', async () => {
  const { token } = await insertKey({ projects: [(await insertProject()).id] });
  const headers = { 'x-request-id': 'same' };
  const invisible = await call('GET', `/api/services/${service.id}/probe`, { token, headers });
  const absent = await call('GET', '/api/services/svc_absent/probe', { token, headers });
  expect(invisible.status).toBe(404);
  expect(invisible.text).toBe(absent.text);
});

test('a wrong method is 405 with Allow, an unknown route is 404', async () => {
  const wrong = await call('PUT', `/api/services/${service.id}/probe`);
  expect([wrong.status, wrong.headers.get('allow'), wrong.body.code]).toEqual([
    405,
    'GET, HEAD',
    'method_not_allowed',
  ]);
  expect((await call('GET', '/api/nothing')).body).toEqual({
    error: 'This route does not exist.',
    code: 'not_found',
    requestId: expect.any(String),
  });
});

test('an unexpected error is answered without detail and with the request id of the header', async () => {
  const reply = await call('GET', '/api/fails');
  expect([reply.status, reply.body.code]).toEqual([500, 'internal']);
  expect(reply.text).not.toContain('secret detail');
  expect(reply.headers.get('x-request-id')).toBe(reply.body.requestId);
});

const post = (raw: BodyInit, headers: Record<string, string> = {}) =>
  call('POST', `/api/projects/${project.id}/probe`, { token: write, raw, headers });

test('malformed JSON, no body, a wrong type and an unknown field are 400 with a sentence', async () => {
  expect((await post('{"name":')).body).toMatchObject({
    code: 'malformed_json',
    error: expect.stringContaining('JSON'),
  });
  expect((await post('')).body).toMatchObject({ code: 'invalid_request', error: 'The body is missing.' });
  expect((await post('{}')).body.error).toBe('The field "name" is missing.');
  expect((await post('{"name":null}')).body.error).toBe(`The field "name" can't be null.`);
  expect((await post('{"name":7}')).body.error).toBe('The field "name" must be a string.');
  expect((await post('[]')).body.error).toBe('The body must be a JSON object.');
  expect((await post('{"name":"a","nmae":"b"}')).body.error).toContain('"nmae" does not exist');
  expect((await post('{"name":"a","hostPort":1}')).body.error).toContain('"hostPort" is read-only');
  expect((await post(new Uint8Array([0xff, 0x22]))).body.code).toBe('malformed_json');
});

test('a body over the limit is 413, counted while streaming', async () => {
  const endless = new ReadableStream<Uint8Array>({
    pull: (controller) => controller.enqueue(new Uint8Array(64 * 1024).fill(32)),
  });
  expect((await post(endless)).status).toBe(413);
  expect((await post(`{"name":"${'x'.repeat(bodyLimitBytes)}"}`)).status).toBe(413);
  expect((await post(`{"name":"${'x'.repeat(bodyLimitBytes - 20)}"}`)).status).toBe(200);
});

const route = { method: 'GET', summary: '', reply: echo, handle: async () => ({ seen: 1 }) } as const;
const attempt = (fields: object) => () => createApp({}, [{ ...route, ...fields } as unknown as AnyRoute]);

test('a route without a level does not mount', () => {
  expect(attempt({ path: '/api/open' })).toThrow('access level');
});
test('a route with a parameter but no loader does not mount', () => {
  expect(attempt({ path: '/api/services/:serviceId', access: 'read' })).toThrow('no loader');
});
test('a route with a loader that ignores the scope of keys does not mount', () => {
  const open = { path: '/api/runners/:runnerId', access: 'read', resource: runnerResource };
  expect(attempt(open)).toThrow('scope');
});
test('a route below /api/system without the operator level does not mount', () => {
  expect(attempt({ path: '/api/system/keys', access: 'write' })).toThrow('operator routes');
});
test('a signed route without "signature" or a loader, or with "signature" at another level, does not mount', () => {
  const signature = {
    ...{ actor: 'webhook', bodyLimitBytes: 1, refusal: '', isSigned: () => true },
    ...{ wasVerified: () => true, noteVerified: async () => {}, verify: async () => null },
  };
  const path = '/api/hooks/:serviceId';
  const of = { path, method: 'POST', access: 'signed', resource: signedServiceResource, signature };
  expect(attempt(of)).not.toThrow();
  expect(attempt({ ...of, signature: undefined })).toThrow('must have "signature"');
  expect(attempt({ ...of, path: '/api/hooks', resource: undefined })).toThrow('must have "signature"');
  expect(attempt({ ...of, access: 'write', resource: serviceResource })).toThrow('must have "signature"');
  expect(attempt({ ...of, access: 'write' })).toThrow('scope');
  expect(attempt({ ...of, resource: serviceResource })).toThrow('scope');
  expect(attempt({ ...of, reads: () => ({}) })).toThrow('needs an identified caller');
  expect(attempt({ ...of, creates: {} })).toThrow('identified caller');
});
test('a public route with a loader does not mount', () => {
  expect(attempt({ path: '/api/d/:deploymentId', access: 'public', resource: deploymentResource })).toThrow(
    'scope',
  );
});
