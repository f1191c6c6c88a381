/** A job of a CI service exchanges its identity token: which jobs get a key, which do not and why, and what the key may do. */
import { describe, expect, test } from 'vitest';
import { deleteProject } from '../../../../worker/usecases/projects/delete-project.ts';
import { deps, insertTenant, operatorToken } from '../../../support/worker/api.ts';
import { gitHubClaims } from '../../../support/worker/servers/ci-issuer.ts';
import { gitHubIssuer, minuteMs, useTrust } from '../../../support/worker/trust.ts';

const { clock, server, call, aProject, exchange } = await useTrust();
const sign = (claims: object = {}) => server.sign(gitHubClaims({ ...claims }));
const auditOf = async (actor: string) =>
  (await call('GET', `/api/system/audit?actor=${actor}`, { token: operatorToken })).body.entries;

test('a job on a trusted branch gets a key of minutes for the project, with the name of its repository, branch and run', async () => {
  const { project, policy } = await aProject({ expiresInMinutes: 20 });
  const { status, body } = await exchange(await sign(), project.id);
  expect(status).toBe(200);
  expect(body.key).toMatchObject({
    ...{ name: 'octo-org/shop main, run 77', access: 'deploy', projects: [project.id], madeBy: policy.id },
    expiresAt: new Date(clock.now + 20 * minuteMs).toISOString(),
  });
  const own = await call('GET', '/api/key', { token: body.token });
  expect(own.body.key.may).toEqual(['read', 'deploy']);
  expect((await call('GET', '/api/projects', { token: body.token })).body.projects).toMatchObject([
    { id: project.id },
  ]);
});

test('a key of a job expires with its minutes, makes no keys and no trust policies', async () => {
  const { project } = await aProject({ access: 'write', expiresInMinutes: 5 });
  const { token } = (await exchange(await sign(), project.id)).body;
  const make = { name: 'more', expiresInMinutes: 5 };
  expect((await call('POST', '/api/keys', { token, body: make })).status).toBe(403);
  const more = { provider: 'github', repository: 'evil/shop', branches: ['main'] };
  const path = `/api/projects/${project.id}/trust-policies`;
  expect((await call('POST', path, { token, body: more })).status).toBe(403);
  clock.now += 5 * minuteMs;
  expect((await call('GET', '/api/key', { token })).status).toBe(401);
});

test('an exchange is in the audit log with the policy, the key, and the name of the job', async () => {
  const { project, policy, token } = await aProject();
  const { key } = (await exchange(await sign(), project.id)).body;
  expect(await auditOf(policy.id)).toMatchObject([
    {
      ...{
        actor: policy.id,
        route: 'POST /api/keys/exchange',
        status: 200,
        resourceId: key.id,
        detail: null,
      },
      ...{ tenantId: 'default', actedBy: { type: 'key', id: policy.id, name: 'octo-org/shop main, run 77' } },
    },
  ]);
  const listed = await call('GET', `/api/projects/${project.id}/trust-policies`, { token });
  expect(Date.parse(listed.body.trustPolicies[0].lastUsedAt)).toBe(clock.now);
});

test.each([
  [
    'the audience of another service',
    {},
    { aud: 'https://other.example' },
    'audience',
    'https://other.example',
  ],
  ['another branch', {}, { ref: 'refs/heads/dev' }, 'branches', 'refs/heads/dev'],
  ['no environment', { environment: 'production' }, {}, 'environment', 'none'],
])(
  'a job with %s is refused (403), and the answer and the audit log say why',
  async (_, rules, claims, field, had) => {
    const { project, policy } = await aProject(rules);
    const { status, body } = await exchange(await sign(claims), project.id);
    expect([status, body.code]).toEqual([403, 'forbidden']);
    expect(body.error).toContain(`field "${field}"`);
    expect(body.error).toContain(had);
    expect(await auditOf(policy.id)).toMatchObject([
      { status: 403, resourceId: null, detail: { brokenRule: field } },
    ]);
  },
);

test('of several policies, the oldest that allows the job gives the key, and a refusal names each', async () => {
  const { project, trust, policy } = await aProject();
  const tags = await trust({ branches: [], tags: ['v*'], access: 'read' });
  const { key } = (await exchange(await sign({ ref: 'refs/tags/v1' }), project.id)).body;
  expect([key.madeBy, key.access]).toEqual([tags.id, 'read']);
  const { body } = await exchange(await sign({ ref: 'refs/heads/dev' }), project.id);
  expect(body.error).toContain(policy.id);
  expect(body.error).toContain(tags.id);
});

describe('the ids of the repository', () => {
  test('are those of the first accepted job, and a repository that is created again gets no key', async () => {
    const { project, token } = await aProject();
    expect((await exchange(await sign(), project.id)).status).toBe(200);
    const path = `/api/projects/${project.id}/trust-policies`;
    const [{ repositoryId, ownerId }] = (await call('GET', path, { token })).body.trustPolicies;
    expect([repositoryId, ownerId]).toEqual(['456789', '123456']);
    const again = await exchange(await sign({ repository_id: '999' }), project.id);
    expect([again.status, again.body.error]).toEqual([403, expect.stringContaining('"999"')]);
    expect((await exchange(await sign({ repository_owner_id: '9' }), project.id)).status).toBe(403);
    expect((await exchange(await sign(), project.id)).status).toBe(200);
  });

  test('of a refused job are not kept', async () => {
    const { project } = await aProject();
    await exchange(await sign({ repository_id: '999', ref: 'refs/heads/dev' }), project.id);
    expect((await exchange(await sign(), project.id)).status).toBe(200);
  });

  test('can be forgotten by the owner, after the repository was created again on purpose', async () => {
    const { project, policy, token } = await aProject();
    await exchange(await sign(), project.id);
    const body = { repositoryId: null, ownerId: null };
    await call('PATCH', `/api/trust-policies/${policy.id}`, { token, body });
    expect((await exchange(await sign({ repository_id: '999' }), project.id)).status).toBe(200);
  });

  test('of a job whose policy changes while its issuer is asked are not kept', async () => {
    const slow = await useTrust({ timeLimitMs: 60_000 });
    const { project, policy, token } = await slow.aProject();
    const changed = Promise.withResolvers<void>();
    const metadata = '/.well-known/openid-configuration';
    slow.server.answers.set(metadata, async () => {
      await changed.promise;
      slow.server.answers.delete(metadata);
      return slow.server.fetch(`${gitHubIssuer}${metadata}`);
    });
    const exchanged = slow.exchange(await slow.server.sign(gitHubClaims()), project.id);
    await expect.poll(() => slow.server.requests).toContain(metadata);
    const body = { branches: ['release'] };
    const path = `/api/trust-policies/${policy.id}`;
    expect((await slow.call('PATCH', path, { token, body })).status).toBe(200);
    changed.resolve();
    expect((await exchanged).status).toBe(409);
    const list = await slow.call('GET', `/api/projects/${project.id}/trust-policies`, { token });
    expect(list.body.trustPolicies).toMatchObject([{ repositoryId: null, ownerId: null }]);
  });

  test('are those of one job, if two repositories come first at the same time', async () => {
    const { project } = await aProject();
    const tokens = [await sign({ repository_id: '1' }), await sign({ repository_id: '2' })];
    const replies = await Promise.all(tokens.map((one) => exchange(one, project.id)));
    expect(replies.filter(({ status }) => status === 200)).toHaveLength(1);
  });
});

test('a token gives one key: the second exchange is refused, also of two at the same moment', async () => {
  const { project } = await aProject();
  const token = await sign();
  const replies = await Promise.all([exchange(token, project.id), exchange(token, project.id)]);
  expect(replies.map(({ status }) => status).sort()).toEqual([200, 401]);
  const again = await exchange(token, project.id);
  expect([again.status, again.body.error]).toEqual([401, expect.stringContaining('exchanged before')]);
});

describe('a key of a job ends at once', () => {
  const issued = async () => {
    const made = await aProject();
    const { token } = (await exchange(await sign(), made.project.id)).body;
    return {
      ...made,
      isLive: async () => (await call('GET', '/api/projects', { token })).body?.projects?.length === 1,
    };
  };
  test('with its policy', async () => {
    const { policy, token, isLive, project } = await issued();
    expect(await isLive()).toBe(true);
    expect((await call('DELETE', `/api/trust-policies/${policy.id}`, { token })).status).toBe(200);
    expect(await isLive()).toBe(false);
    expect((await exchange(await sign(), project.id)).status).toBe(401);
  });
  test('with a change of its policy', async () => {
    const { policy, token, isLive } = await issued();
    const body = { branches: ['release'] };
    expect((await call('PATCH', `/api/trust-policies/${policy.id}`, { token, body })).status).toBe(200);
    expect(await isLive()).toBe(false);
  });
  test('with its project', async () => {
    const { project, isLive } = await issued();
    await deleteProject(deps, project.id);
    expect(await isLive()).toBe(false);
    expect((await exchange(await sign(), project.id)).status).toBe(401);
  });
});

describe('a stranger', () => {
  test('gets the same answer for a project that does not exist and one that trusts another repository, and no issuer is asked', async () => {
    const { project } = await aProject();
    const other = await sign({ repository: 'evil/shop', sub: 'x' });
    const before = server.requests.length;
    const [absent, present] = [await exchange(other, 'prj_absent'), await exchange(other, project.id)];
    expect([absent.status, present.status]).toEqual([401, 401]);
    const words = (text: string) => text.replaceAll('prj_absent', project.id);
    expect(words(absent.body.error)).toBe(present.body.error);
    expect(server.requests).toHaveLength(before);
  });

  test('who exchanges without success is limited like one who guesses keys', async () => {
    const { project } = await aProject();
    const token = await sign({ repository: 'evil/shop' });
    const statuses = [];
    for (let n = 0; n < 31; n++) statuses.push((await exchange(token, project.id, '198.51.100.9')).status);
    expect(statuses.slice(0, 30).every((status) => status === 401)).toBe(true);
    expect(statuses.at(-1)).toBe(429);
  });
});

test('exchanges that wait for the slow issuer of one project are limited to 20, and those of another project do not wait for them', async () => {
  const slow = await useTrust({ timeLimitMs: 60_000 });
  const held = await slow.aProject();
  const other = await slow.aProject();
  const { promise, resolve } = Promise.withResolvers<void>();
  const metadata = '/.well-known/openid-configuration';
  slow.server.answers.set(metadata, () => promise.then(() => new Response(null, { status: 503 })));
  const idToken = await slow.server.sign(gitHubClaims());
  const replies: number[] = [];
  const all = Array.from({ length: 25 }, async () => {
    replies.push((await slow.exchange(idToken, held.project.id)).status);
  });
  await expect.poll(() => replies).toEqual([429, 429, 429, 429, 429]);
  const waiting = slow.exchange(idToken, other.project.id);
  await expect.poll(() => slow.server.requests.length).toBeGreaterThan(0);
  resolve();
  await Promise.all(all);
  expect((await waiting).status).toBe(409);
});

describe('of two tenants', () => {
  test("a slug means the project of the default tenant, so another tenant's policy for the same repository gets no job", async () => {
    const own = await aProject();
    const tenantId = await insertTenant(`evil ${crypto.randomUUID()}`);
    const evil = await aProject({ access: 'write' }, { tenantId });
    const { key } = (await exchange(await sign(), own.project.slug)).body;
    expect(key.projects).toEqual([own.project.id]);
    expect((await exchange(await sign(), evil.project.slug)).status).toBe(401);
    const named = await exchange(await sign(), evil.project.id);
    expect([named.status, named.body.key.projects]).toEqual([200, [evil.project.id]]);
    const seen = await call('GET', `/api/projects/${own.project.id}`, { token: named.body.token });
    expect(seen.status).toBe(404);
  });
  test("another tenant's policy is neither changed nor deleted nor listed", async () => {
    const { policy, project } = await aProject();
    const tenantId = await insertTenant(`other ${crypto.randomUUID()}`);
    const { token } = await aProject({}, { tenantId });
    const path = `/api/trust-policies/${policy.id}`;
    expect((await call('DELETE', path, { token })).status).toBe(404);
    expect((await call('PATCH', path, { token, body: { access: 'write' } })).status).toBe(404);
    expect((await call('GET', `/api/projects/${project.id}/trust-policies`, { token })).status).toBe(404);
  });
});

test('the issuer of GitHub is the default', async () => {
  expect((await aProject()).policy.issuer).toBe(gitHubIssuer);
});
