/**
 * The header with which Cloudflare Access signs each request: who it signs in, and which headers are refused.
 * @module-tag slow
 */
import { describe, expect, test } from 'vitest';
import {
  aPerson,
  aTenant,
  inviteMember as invited,
  startProviders,
  team,
} from '../../../support/worker/sign-in.ts';

const { clock, server, access, call, operate, connect, start, keyOf } = await startProviders();

const second = () => Math.floor(clock.now / 1000);

describe('Cloudflare Access', () => {
  const own = { aud: ['aud-tag'], sub: 'access-user' };
  const prepared = async (fields: object = {}) => {
    const tenantId = await aTenant();
    const { email, sub } = aPerson();
    const { id } = await invited(tenantId, email);
    const providerId = await connect({ tenantId, kind: 'cloudflare-access', issuer: `${team}/`, ...fields });
    const claims = { ...own, sub, email };
    const by = async (wrong: object, made = access) => {
      const headers = { 'cf-access-jwt-assertion': await made.assertion({ ...claims, ...wrong }) };
      return call('POST', '/api/sign-in/access', { body: { providerId }, headers });
    };
    return { id, providerId, by };
  };

  test('signs in who it has signed in, by one request, also after its keys were rotated', async () => {
    const { id, by } = await prepared();
    expect((await keyOf(await by({}))).member.id).toBe(id);
    await access.rotate('RS256');
    expect((await keyOf(await by({ email: 'renamed@example.com' }))).member.id).toBe(id);
  });

  test.each<[string, () => object, number]>([
    ['for another application', () => ({ aud: ['another'] }), 401],
    ['of another team', () => ({ iss: 'https://evil.cloudflareaccess.com' }), 401],
    ['that has expired', () => ({ exp: second() - 60 }), 401],
    ['of a service token', () => ({ sub: '', email: undefined, common_name: 'x.access' }), 403],
    ['of an empty subject', () => ({ sub: '' }), 403],
    ['of a blank subject', () => ({ sub: ' ' }), 403],
    ['of a subject of 256 characters', () => ({ sub: 'x'.repeat(256) }), 403],
    ['without an address', () => ({ email: undefined }), 403],
    ['of a stranger', () => ({ sub: 'stranger', email: 'eve@evil.example' }), 403],
  ])('refuses an assertion %s', async (_, wrong, status) => {
    const { by } = await prepared();
    expect((await by(wrong())).status).toBe(status);
  });

  test('refuses a request that it has not signed, a key that is not its own, and other sites', async () => {
    const { providerId, by } = await prepared();
    const body = { providerId };
    expect((await call('POST', '/api/sign-in/access', { body })).status).toBe(401);
    expect((await by({ iss: team }, server)).status).toBe(401);
    const headers = {
      'cf-access-jwt-assertion': await access.assertion(own),
      'sec-fetch-site': 'cross-site',
    };
    expect((await call('POST', '/api/sign-in/access', { body, headers })).status).toBe(403);
    expect((await start(providerId)).reply.status).toBe(404);
  });

  test('is offered only where it has signed the request, and only the names of providers are public', async () => {
    const { providerId } = await prepared({ name: 'Our team' });
    const shown = async (headers: Record<string, string>) =>
      (await call('GET', '/api/sign-in', { headers })).body.providers.find(
        (one: { id: string }) => one.id === providerId,
      );
    const offered = { id: providerId, kind: 'cloudflare-access', name: 'Our team', available: false };
    expect(await shown({})).toEqual(offered);
    expect(await shown({ 'cf-access-jwt-assertion': 'x' })).toEqual({ ...offered, available: true });
    await operate('PATCH', `/${providerId}`, { enabled: false });
    expect(await shown({})).toBe(undefined);
  });
});
