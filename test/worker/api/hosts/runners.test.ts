import { eq } from 'drizzle-orm';
import { expect, test } from 'vitest';
import { enrolmentTokens, runners } from '../../../../worker/store/schema/runners.ts';
import {
  createClient,
  deps,
  insertKey,
  insertProject,
  insertService,
  insertTenant,
  operatorToken,
  testFacts,
} from '../../../support/worker/api.ts';
import { enrolRequest, enrolRunner, FakeRunner, newRunnerKeys } from '../../../support/worker/fake-runner.ts';
import { deploy, newHost } from '../../../support/worker/host.ts';

const client = createClient();
const operator = (method: string, path: string, body?: unknown) =>
  client(method, path, { token: operatorToken, ...(body === undefined ? {} : { body }) });
const enrol = async (token: string, keys?: Awaited<ReturnType<typeof newRunnerKeys>>, name?: string) =>
  client('POST', '/api/runner/enrol', { body: enrolRequest(token, keys ?? (await newRunnerKeys()), name) });
const newToken = async (body: unknown = {}) => (await operator('POST', '/api/system/runners', body)).body;

test('a token enrols one runner, and only its hash is kept', async () => {
  const made = await newToken({ name: 'web-1' });
  expect(made.command).toBe(
    `curl -fsSL https://longshore.test/install.sh | LONGSHORE_TOKEN=${made.token} sh -s -- --url https://longshore.test`,
  );
  expect(Date.parse(made.expiresAt) - Date.now()).toBeGreaterThan(14 * 60_000);
  expect(JSON.stringify(await deps.db.select().from(enrolmentTokens))).not.toContain(made.token.slice(4));
  const keys = await newRunnerKeys();
  const { status, body } = await enrol(made.token, keys, 'by-the-host');
  expect(status).toBe(200);
  const [row] = await deps.db.select().from(runners).where(eq(runners.id, body.runnerId));
  expect(row).toMatchObject({
    name: 'web-1',
    tenantId: 'default',
    shared: false,
    identityKey: keys.identityKey,
    sealingKey: keys.sealingKey,
    facts: testFacts,
    drained: false,
    revokedAt: null,
    connectedAt: null,
  });
});

test('exactly one of many who redeem a token at once is enrolled', async () => {
  const { token } = await newToken();
  const replies = await Promise.all(Array.from({ length: 8 }, () => enrol(token)));
  expect(replies.map(({ status }) => status).sort()).toEqual([200, ...Array(7).fill(401)]);
});

test('a host whose answer was lost asks again and gets the same id', async () => {
  const { token } = await newToken();
  const keys = await newRunnerKeys();
  const first = await enrol(token, keys);
  const again = await enrol(token, keys);
  expect(again.body).toEqual(first.body);
  expect(await deps.db.select().from(runners).where(eq(runners.identityKey, keys.identityKey))).toHaveLength(
    1,
  );
});

test('unknown, expired and used tokens get 401 with a way out', async () => {
  expect((await enrol('lse_unknown')).body.error).toContain('POST /api/system/runners');
  const { token } = await newToken();
  await deps.db.update(enrolmentTokens).set({ expiresAt: Date.now() - 1 });
  expect((await enrol(token)).status).toBe(401);
  const used = await newToken();
  await enrol(used.token);
  expect((await enrol(used.token)).status).toBe(401);
});

test('a key that is not 32 bytes is refused, and the token stays good', async () => {
  const { token } = await newToken();
  const keys = await newRunnerKeys();
  const refused = await client('POST', '/api/runner/enrol', {
    body: { ...enrolRequest(token, keys), identityKey: 'short' },
  });
  expect(refused.status).toBe(400);
  expect((await enrol(token, keys)).status).toBe(200);
});

test.each(['server-1.example.com', '203.0.113', '203.0.113.7/24', '"><script>', ''])(
  'an invalid public address is refused and named: %j',
  async (publicIp) => {
    const { token } = await newToken();
    const request = enrolRequest(token, await newRunnerKeys());
    const enrolAs = (address: string) =>
      client('POST', '/api/runner/enrol', {
        body: { ...request, facts: { ...testFacts, publicIp: address } },
      });
    const { status, body } = await enrolAs(publicIp);
    expect([status, body.error]).toEqual([400, expect.stringContaining('"facts.publicIp" must be an IPv4')]);
    expect((await enrolAs('2001:db8::7')).status).toBe(200);
  },
);

test("a token may be for one tenant's hosts; an unknown tenant is 400", async () => {
  const tenantId = await insertTenant('acme');
  const { token } = await newToken({ tenantId });
  const { body } = await enrol(token);
  const listed = await operator('GET', '/api/system/runners');
  expect(listed.body.runners).toContainEqual(expect.objectContaining({ id: body.runnerId, tenantId }));
  expect((await operator('POST', '/api/system/runners', { tenantId: 'ten_none' })).status).toBe(400);
  expect((await operator('POST', '/api/system/runners', { nmae: 'typo' })).status).toBe(400);
  expect((await operator('POST', '/api/system/runners')).status).toBe(200);
});

test('the list says who is connected now, even when the row is out of date', async () => {
  const connected = await enrolRunner();
  await FakeRunner.connect(connected);
  const killed = await enrolRunner();
  await deps.db.update(runners).set({ connectedAt: 1 }).where(eq(runners.id, killed.runnerId));
  const never = await enrolRunner();
  const { body } = await operator('GET', '/api/system/runners');
  const states = new Map(
    body.runners.map((one: { id: string; connected: boolean }) => [one.id, one.connected]),
  );
  expect([connected, killed, never].map(({ runnerId }) => states.get(runnerId))).toEqual([
    true,
    false,
    false,
  ]);
});

test('a host is renamed and drained; undrained, it takes what has waited', async () => {
  const host = await newHost();
  const runner = await FakeRunner.connect(host.keys);
  const path = `/api/system/runners/${host.runnerId}`;
  const { body } = await operator('PATCH', path, { name: ' edge ', drained: true });
  expect(body.runner).toMatchObject({ id: host.runnerId, name: 'edge', drained: true, connected: true });
  const { jobId } = await deploy(await host.addService());
  expect(await runner.unread()).toEqual([]);
  await operator('PATCH', path, { drained: false });
  expect((await runner.next('start')).job).toBe(jobId);
  expect((await operator('PATCH', path, {})).status).toBe(400);
  expect((await operator('PATCH', path, { identityKey: 'x' })).status).toBe(400);
});

test('the operator upgrades a connected host; one that takes no upgrades is 409 with the way out', async () => {
  const host = await newHost();
  const path = `/api/system/runners/${host.runnerId}/upgrade`;
  const byHand = await operator('POST', path);
  expect([byHand.status, byHand.body.error]).toEqual([
    409,
    expect.stringContaining('longshore-host upgrade'),
  ]);
  const facts = { ...testFacts, takesUpgrades: true, lastUpgrade: null };
  await deps.db.update(runners).set({ facts }).where(eq(runners.id, host.runnerId));
  expect((await operator('POST', path)).body.code).toBe('runner_offline');
  const runner = await FakeRunner.connect(host.keys, { forged: { facts } });
  const asked = operator('POST', path);
  const { id, ask } = await runner.next('request');
  expect(ask).toEqual({ op: 'upgrade' });
  runner.send({ v: 1, type: 'response', id, outcome: { ok: true, value: { started: true } } });
  expect((await asked).body).toEqual({ started: true });
});

test('revoking a host with services is 409 with their names and a way out', async () => {
  const { runnerId } = await enrolRunner();
  const project = await insertProject({ slug: 'shop' });
  await insertService({ projectId: project.id, runnerId, slug: 'web' });
  const { status, body } = await operator('DELETE', `/api/system/runners/${runnerId}`);
  expect(status).toBe(409);
  expect(body.error).toMatch(/^One service runs on host \(shop\/web\): delete/);
  expect((await deps.db.select().from(runners).where(eq(runners.id, runnerId)))[0]?.revokedAt).toBeNull();
});

test('revoking a host that services are about to move to is 409, naming at most ten', async () => {
  const { runnerId } = await enrolRunner();
  const old = await enrolRunner();
  const project = await insertProject({ slug: 'many' });
  for (let n = 0; n < 12; n++) {
    await insertService({
      projectId: project.id,
      runnerId: old.runnerId,
      nextRunnerId: runnerId,
      slug: `s${n}`,
    });
  }
  const { status, body } = await operator('DELETE', `/api/system/runners/${runnerId}`);
  expect([status, body.error]).toEqual([
    409,
    expect.stringMatching(/^12 services run .*many\/s0, .* and 2 more\)/),
  ]);
});

test('a revoked host leaves the list, and revoking it again changes nothing', async () => {
  const { runnerId } = await enrolRunner();
  const path = `/api/system/runners/${runnerId}`;
  await operator('DELETE', path);
  const [row] = await deps.db.select().from(runners).where(eq(runners.id, runnerId));
  expect((await operator('DELETE', path)).status).toBe(200);
  expect(await deps.db.select().from(runners).where(eq(runners.id, runnerId))).toEqual([row]);
  const { body } = await operator('GET', '/api/system/runners');
  expect(body.runners.map((one: { id: string }) => one.id)).not.toContain(runnerId);
  expect((await operator('PATCH', path, { name: 'x' })).status).toBe(409);
});

test('hosts are the operator’s alone', async () => {
  const { token } = await insertKey();
  const { runnerId } = await enrolRunner();
  for (const [method, path] of [
    ['GET', '/api/system/runners'],
    ['POST', '/api/system/runners'],
    ['PATCH', `/api/system/runners/${runnerId}`],
    ['DELETE', `/api/system/runners/${runnerId}`],
  ] as const) {
    expect((await client(method, path, { token, ...(method === 'GET' ? {} : { body: {} }) })).status).toBe(
      403,
    );
    expect((await client(method, path)).status).toBe(401);
  }
});

test.each([
  ['control character', { name: '\0' }, `The field "name" can't hold control characters.`],
  ['half a character', { name: '\udc00' }, 'The field "name" must be valid Unicode'],
  ['empty', { name: ' ' }, 'The field "name" must not be empty.'],
])("a host's name is refused: %s", async (_, body, sentence) => {
  const { runnerId } = await enrolRunner();
  for (const reply of [
    await operator('POST', '/api/system/runners', body),
    await operator('PATCH', `/api/system/runners/${runnerId}`, body),
  ]) {
    expect(reply.status).toBe(400);
    expect(reply.body.error).toContain(sentence);
  }
});

test('an empty change is refused in one plain sentence', async () => {
  const { runnerId } = await enrolRunner();
  const { body } = await operator('PATCH', `/api/system/runners/${runnerId}`, {});
  expect(body.error).toBe('The body is empty: name at least one field to change.');
});
