/** Plans of sources by the API. The host is a stand-in on a real socket. */
import { eq } from 'drizzle-orm';
import { beforeEach, expect, test } from 'vitest';
import type { HubFrameOf } from '../../../../protocol/frames.ts';
import { requestPlace } from '../../../../protocol/sealed-box.ts';
import type { PlanSecrets, SourcePlan, SourcePlanAnswer } from '../../../../protocol/sources/source-plan.ts';
import { runners } from '../../../../worker/store/schema/runners.ts';
import { createClient, deps, insertKey, testFacts } from '../../../support/worker/api.ts';
import { FakeRunner } from '../../../support/worker/fake-runner.ts';
import { newHost, type TestHost } from '../../../support/worker/host.ts';

const call = createClient();
const { token } = await insertKey();

let host: TestHost;
let runner: FakeRunner;

beforeEach(async () => {
  host = await newHost();
  runner = await FakeRunner.connect(host.keys);
});

const nothing: SourcePlan = {
  ...{ builtBy: 'analyzer', dockerfilePath: null, language: 'node', framework: null, installCommand: null },
  ...{ buildCommand: null, startCommand: 'npm start', releaseCommand: null, staticOutput: null, kind: 'web' },
  ...{ kindReason: null, port: null, portReason: null, notes: [], variables: [], databases: [], volumes: [] },
  ...{ warnings: [], obstacle: null, folders: [], branch: 'main', rootDir: null, branches: ['main'] },
  ...{ commitSha: 'a'.repeat(40), commitMessage: 'change', digest: null, user: null },
};
const found = (plan: Partial<SourcePlan> = {}): SourcePlanAnswer => ({
  found: 'plan',
  plan: { ...nothing, ...plan },
});
type Request = Extract<HubFrameOf<'request'>['ask'], { op: 'read-source' }>;

const post = (body: object) =>
  call('POST', `/api/projects/${host.project.id}/source-plans`, {
    token,
    body: { runnerId: host.runnerId, ...body },
  });

/** Asks for a plan; the host gives this answer. */
async function plan(body: object, answer: unknown = found()) {
  const asked = runner.next('request').then(({ id, ask }) => {
    runner.send({ v: 1, type: 'response', id, outcome: { ok: true, value: answer } });
    return ask as Request;
  });
  const [request, reply] = await Promise.all([asked, post(body)]);
  return { request, reply };
}

test('a pasted address is read at its branch and folder, and names the service', async () => {
  const { request, reply } = await plan(
    { source: 'github.com/acme/shop/tree/next/apps/web' },
    found({ branch: 'next', rootDir: 'apps/web' }),
  );
  expect(request.source).toEqual({
    ...{ type: 'git', url: 'https://github.com/acme/shop', branch: null, rootDir: null },
    treePath: 'next/apps/web',
  });
  expect(reply.status).toBe(200);
  expect(reply.body).toMatchObject({
    problem: null,
    plan: {
      ...{ name: 'web', repoUrl: 'https://github.com/acme/shop', imageRef: null, branch: 'next' },
      ...{ port: 8080, portReason: expect.stringContaining('variable PORT') },
    },
  });
});

test('the token of a request reaches the host only sealed, and another one is not sent beside it', async () => {
  await call('POST', '/api/git-credentials', { token, body: { host: 'git.test', token: 'stored-token' } });
  const source = 'https://git.test/acme/shop';
  const own = await plan({ source, gitToken: 'canary-token' });
  expect(JSON.stringify(own.request)).not.toContain('canary');
  expect(await opened(own.request)).toEqual({ gitToken: 'canary-token', registries: [] });
  const stored = await plan({ source });
  expect(await opened(stored.request)).toMatchObject({
    gitToken: null,
    gitCredential: { host: 'git.test', token: 'stored-token' },
  });
});

test('an image is read with the login of its registry alone', async () => {
  for (const name of ['registry.test', 'other.test'])
    await call('POST', '/api/registries', {
      token,
      body: { host: name, username: 'ada', password: `of-${name}` },
    });
  const { request, reply } = await plan(
    { source: 'registry.test/acme/shop:2' },
    found({ builtBy: 'image', port: 3000, portReason: 'The image exposes port 3000.' }),
  );
  expect(request.source).toEqual({ type: 'image', imageRef: 'registry.test/acme/shop:2' });
  expect(await opened(request)).toMatchObject({ registries: [{ password: 'of-registry.test' }] });
  expect(reply.body.plan).toMatchObject({ name: 'shop', imageRef: 'registry.test/acme/shop:2', port: 3000 });
});

test('a folder is read from its list of files', async () => {
  const files = { paths: ['package.json', 'public/a.png'], texts: [{ path: 'package.json', text: '{}' }] };
  const { request, reply } = await plan(
    { files, rootDir: 'public' },
    found({ rootDir: 'public', kind: 'static' }),
  );
  expect(request.source).toEqual({
    ...{ type: 'folder', paths: files.paths, texts: { 'package.json': '{}' }, rootDir: 'public' },
  });
  expect(reply.body.plan).toMatchObject({ name: 'public', repoUrl: null, port: null });
});

test('a wanted database offers those of the project and a new one, each with its reference', async () => {
  const body = {
    name: 'db',
    repoUrl: 'database',
    repoFullName: 'database:timescale',
    runnerId: host.runnerId,
  };
  await call('POST', `/api/projects/${host.project.id}/services`, { token, body });
  const databases: SourcePlan['databases'] = [
    { engine: 'postgres', why: 'pg in package.json', key: null },
    { engine: 'redis', why: 'ioredis in package.json', key: 'CACHE_URL' },
  ];
  const { reply } = await plan({ source: 'https://git.test/acme/shop' }, found({ databases }));
  expect(reply.body.plan.databases).toEqual([
    {
      ...{ engine: 'postgres', title: 'PostgreSQL', why: 'pg in package.json', key: 'DATABASE_URL' },
      existing: [{ serviceId: expect.any(String), name: 'db', value: `\${db.DATABASE_URL}` }],
      create: { name: 'postgres', repoFullName: 'database:postgres', value: `\${postgres.DATABASE_URL}` },
    },
    {
      ...{ engine: 'redis', title: 'Redis', why: 'ioredis in package.json', key: 'CACHE_URL', existing: [] },
      create: { name: 'redis', repoFullName: 'database:redis', value: `\${redis.REDIS_URL}` },
    },
  ]);
});

test('a private repository names the ways to a login, and a refused login keeps the words of the host', async () => {
  const refused = { found: 'failure', reason: 'login', message: 'The host was refused.' };
  const { reply } = await plan({ source: 'acme/shop' }, refused);
  expect([reply.status, reply.body.plan]).toEqual([200, null]);
  expect(reply.body.problem.message).toMatch(
    /private or does not exist.*GitHub App.*git-credentials.*gitToken/,
  );
  const ssh = await plan({ source: 'git@github.com:acme/shop.git' }, refused);
  expect(ssh.reply.body.problem.message).toContain('deploy-key');
  const own = await plan({ source: 'acme/shop', gitToken: 'wrong' }, refused);
  expect(own.reply.body.problem).toEqual({ reason: 'login', message: 'The host was refused.' });
});

test('a busy host, one that is away, one that is too old and an answer that is not understood are told apart', async () => {
  const source = 'acme/shop';
  const busy = await plan({ source }, { found: 'failure', reason: 'busy', message: 'Try again.' });
  expect([busy.reply.status, busy.reply.headers.get('Retry-After')]).toEqual([503, '3']);
  const odd = await plan({ source }, { found: 'plan', plan: { ...nothing, port: 'x' } });
  expect([odd.reply.status, odd.reply.body.error]).toEqual([503, expect.stringContaining('not understood')]);
  const { sourcePlans: _, ...facts } = testFacts;
  await deps.db
    .update(runners)
    .set({ facts: facts as never })
    .where(eq(runners.id, host.runnerId));
  const old = await post({ source });
  expect([old.status, old.body.error]).toEqual([503, expect.stringContaining('upgrade the host')]);
  await runner.disconnect();
  await deps.db
    .update(runners)
    .set({ facts: testFacts, connectedAt: null })
    .where(eq(runners.id, host.runnerId));
  expect((await post({ source })).body.code).toBe('no_runner');
});

test.each([
  [{}, 'either "source" or "files"'],
  [{ source: 'two words' }, 'The field "source" must be the address'],
  [{ source: 'https://user:secret@github.com/acme/shop' }, 'belongs in "gitToken"'],
  [{ files: { paths: ['../x'], texts: [] } }, 'inside the folder'],
  [{ files: { paths: [], texts: [{ path: '/etc/passwd', text: '' }] } }, 'inside the folder'],
])('%j is refused with its field and the way out', async (body, words) => {
  const reply = await post(body);
  expect([reply.status, reply.text]).toEqual([400, expect.stringContaining(words.replaceAll('"', '\\"'))]);
});

/** The secrets of a request, which only the host can open. */
async function opened({ sealed }: Request): Promise<PlanSecrets> {
  return JSON.parse(await runner.openText(sealed, requestPlace(host.runnerId, 'read-source')));
}
