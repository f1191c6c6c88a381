/** Log drains: what hosts get of them, what is shown, what hosts say of them, and which receivers are refused. */
import { eq, sql } from 'drizzle-orm';
import { beforeEach, expect, test } from 'vitest';
import { protocolVersion } from '../../../../protocol/frames.ts';
import { drainsPlace } from '../../../../protocol/logs/drains.ts';
import { requestPlace } from '../../../../protocol/sealed-box.ts';
import { rulesOfHost } from '../../../../worker/store/alerts/alert-rule-store.ts';
import { readDrainsOfHost } from '../../../../worker/store/logs/log-drain-store.ts';
import { services } from '../../../../worker/store/schema/services.ts';
import { pruneRecords } from '../../../../worker/usecases/instance/prune-records.ts';
import { createClient, deps, insertKey, insertProject } from '../../../support/worker/api.ts';
import { FakeRunner } from '../../../support/worker/fake-runner.ts';
import { deploy, newHost, type TestHost } from '../../../support/worker/host.ts';

const call = createClient();
let host: TestHost;
let serviceId: string;
let token: string;

beforeEach(async () => {
  host = await newHost();
  serviceId = (await host.addService({ name: 'web' })).id;
  token = (await insertKey()).token;
});

const path = (projectId = host.project.id) => `/api/projects/${projectId}/log-drains`;
const http = { url: 'https://logs.example.com/secret-path?token=x', headers: { authorization: 'Bearer x' } };
async function make(body: object = { name: 'Loki', http }) {
  const { status, body: reply } = await call('POST', path(), { token, body });
  expect([status, reply.error]).toEqual([200, undefined]);
  return reply;
}
async function connect() {
  const runner = await FakeRunner.open(host.keys);
  await runner.sayHello();
  return { runner, welcome: await runner.next('welcome') };
}
const opened = async (runner: FakeRunner, sealed: string | null | undefined) =>
  sealed ? JSON.parse(await runner.openText(sealed, requestPlace(host.runnerId, drainsPlace))) : sealed;
/** Answers the next request to the host. */
async function answer(runner: FakeRunner, op: string, value: unknown) {
  const { id, ask } = await runner.next('request');
  expect(ask.op).toBe(op);
  runner.send({ v: protocolVersion, type: 'response', id, outcome: { ok: true, value } });
}

test('a host gets its drains sealed, when it connects, when they change, and with a deployment of the project', async () => {
  const { logDrain, signingSecret } = await make();
  const { runner, welcome } = await connect();
  const project = (await call('GET', `/api/projects/${host.project.id}`, { token })).body.project.slug;
  const service = { id: serviceId, slug: serviceId.replace('_', '-') };
  const drain = {
    ...{ id: logDrain.id, level: null, allowPrivate: false, project },
    target: { kind: 'http', ...http, secret: signingSecret },
  };
  expect(await opened(runner, welcome.logDrains)).toEqual([{ ...drain, services: [service] }]);
  expect(welcome.logDrains).not.toContain('Bearer');
  const next = async () => opened(runner, (await runner.next('log-drains')).sealed);
  const patch = (body: object) => call('PATCH', `/api/log-drains/${logDrain.id}`, { token, body });
  await patch({ level: 'error' });
  expect(await next()).toMatchObject([{ level: 'error' }]);
  await patch({ enabled: false });
  expect(await next()).toBeNull();
  const moved = await patch({ enabled: true, http: { ...http, headers: {} } });
  expect(moved.body.signingSecret).toBeNull();
  expect(await next()).toMatchObject([{ target: { headers: {}, secret: signingSecret } }]);
  const other = await host.addService({ name: 'worker' });
  await deploy(other);
  expect((await next())[0].services).toHaveLength(2);
  await call('DELETE', `/api/log-drains/${logDrain.id}`, { token });
  expect(await next()).toBeNull();
});

test('a host gets the drains and alert rules of a service that is moving to it', async () => {
  const second = await newHost();
  await make();
  const rule = { name: 'Busy', metric: 'cpuPercent', threshold: 80 };
  const made = await call('POST', `/api/projects/${host.project.id}/alert-rules`, { token, body: rule });
  expect(made.status, made.text).toBe(200);
  await deps.db.update(services).set({ nextRunnerId: second.runnerId }).where(eq(services.id, serviceId));
  const { drains } = await readDrainsOfHost(deps.db, second.runnerId, Date.now());
  expect(drains.map(({ services: of }) => JSON.parse(of))).toEqual([
    [expect.objectContaining({ id: serviceId })],
  ]);
  expect(await rulesOfHost(deps.db, second.runnerId)).toMatchObject([
    { name: 'Busy', services: [serviceId] },
  ]);
});

test('a host that a service has left keeps its drains for the lines that wait there, and is told when one is deleted', async () => {
  const { logDrain } = await make();
  const { runner } = await connect();
  const second = await newHost();
  const task = { kind: 'remove-service', serviceId, projectId: host.project.id, hostnames: [], hostPort: 0 };
  const leftAt = Date.now();
  await deps.db.batch([
    deps.db.update(services).set({ runnerId: second.runnerId }).where(eq(services.id, serviceId)),
    deps.db.run(sql`insert into host_tasks (id, runner_id, task, state, due_at, created_at)
      values (${`${serviceId}_left`}, ${host.runnerId}, ${JSON.stringify(task)}, 'done', ${leftAt}, ${leftAt})`),
  ]);
  const servicesAt = async (now: number) =>
    (await readDrainsOfHost(deps.db, host.runnerId, now)).drains.map(({ services: of }) => JSON.parse(of));
  expect(await servicesAt(leftAt)).toEqual([[expect.objectContaining({ id: serviceId })]]);
  expect(await servicesAt(leftAt + 49 * 3_600_000)).toEqual([]);
  await call('PATCH', `/api/log-drains/${logDrain.id}`, { token, body: { level: 'error' } });
  expect(await opened(runner, (await runner.next('log-drains')).sealed)).toMatchObject([
    { level: 'error', services: [{ id: serviceId }] },
  ]);
  await call('DELETE', `/api/log-drains/${logDrain.id}`, { token });
  expect(await opened(runner, (await runner.next('log-drains')).sealed)).toBeNull();
});

test('a new signing secret signs from then on, the one before as well for a day, and only an http receiver has one', async () => {
  const { logDrain, signingSecret } = await make();
  const { runner } = await connect();
  const change = (id: string, body: object) => call('PATCH', `/api/log-drains/${id}`, { token, body });
  const told = async () => (await opened(runner, (await runner.next('log-drains')).sealed))[0].target;
  const changed = (await change(logDrain.id, { newSigningSecret: true })).body;
  expect(changed.signingSecret).toMatch(/^whsec_/);
  expect(changed.signingSecret).not.toBe(signingSecret);
  const until = expect.closeTo(Date.now() + 24 * 3_600_000, -5);
  const signing = { secret: changed.signingSecret, former: { secret: signingSecret, until } };
  expect(await told()).toEqual({ kind: 'http', ...http, ...signing });
  const other = await change(logDrain.id, { http: { url: 'https://logs.example.com/other' } });
  expect(other.body.signingSecret).toBeNull();
  expect(await told()).toMatchObject({ url: 'https://logs.example.com/other', ...signing });
  const syslog = await make({ name: 'old', syslog: { host: '9.9.9.9', port: 514, tls: false } });
  const refused = await change(syslog.logDrain.id, { newSigningSecret: true });
  expect([refused.status, refused.body.error]).toEqual([400, expect.stringContaining('"newSigningSecret"')]);
});

test('each signing secret that was replaced signs for its own day, and one too many is refused with the time', async () => {
  const { logDrain, signingSecret } = await make();
  const { runner } = await connect();
  const renew = () =>
    call('PATCH', `/api/log-drains/${logDrain.id}`, { token, body: { newSigningSecret: true } });
  const secrets = [signingSecret];
  for (let renewed = 0; renewed < 4; renewed++) {
    secrets.unshift((await renew()).body.signingSecret);
    const [{ target }] = await opened(runner, (await runner.next('log-drains')).sealed);
    const signing = [target.former, ...(target.earlier ?? [])].map(
      ({ secret }: { secret: string }) => secret,
    );
    expect([target.secret, ...signing]).toEqual(secrets);
  }
  const refused = await renew();
  expect([refused.status, refused.body.error]).toEqual([
    409,
    expect.stringMatching(/^The 4 signing secrets .* still sign: try again after 20\d\d-/),
  ]);
  const moved = { http: { url: 'https://logs.example.com/other' } };
  await call('PATCH', `/api/log-drains/${logDrain.id}`, { token, body: moved });
  const [{ target }] = await opened(runner, (await runner.next('log-drains')).sealed);
  expect(target.earlier).toHaveLength(3);
});

test('paths, headers and secrets of receivers are never shown', async () => {
  await make();
  await make({ name: 'old', syslog: { host: '9.9.9.9', port: 514, tls: false } });
  const { body, text } = await call('GET', path(), { token });
  expect(body.logDrains.map(({ kind, target }: Record<string, string>) => `${kind} ${target}`)).toEqual([
    'http https://logs.example.com',
    'syslog syslog://9.9.9.9:514',
  ]);
  expect(text).not.toMatch(/secret-path|Bearer|whsec/);
  const [row] = await deps.db.all<{ sealed: string }>(
    sql`select group_concat(sealed_target) as sealed from log_drains where project_id = ${host.project.id}`,
  );
  expect(row?.sealed).not.toMatch(/example|Bearer/);
});

test('the status is what the hosts answer, and one that is away is named', async () => {
  const { logDrain } = await make();
  const { runner } = await connect();
  const status = { sentLines: 7, droppedLines: 2, gaps: 1, lastSentAt: 1, lastError: 'no', lastErrorAt: 2 };
  const ask = () => call('GET', `/api/log-drains/${logDrain.id}/status`, { token });
  const asked = ask();
  await answer(runner, 'drain-status', { ...status, waitingSince: deps.now() - 90_000 });
  const { body } = await asked;
  expect(body.hosts).toMatchObject([
    { runnerId: host.runnerId, sentLines: 7, droppedLines: 2, gaps: 1, lastError: 'no', trouble: null },
  ]);
  expect(body.hosts[0].lagSeconds).toBeGreaterThanOrEqual(90);
  const tested = call('POST', `/api/log-drains/${logDrain.id}/test`, { token });
  await answer(runner, 'test-drain', { ok: false, detail: 'The receiver answered 401.', durationMs: 5 });
  expect((await tested).body.result).toEqual({
    ...{ ok: false, detail: 'The receiver answered 401.', durationMs: 5, runnerId: host.runnerId },
  });
  await runner.disconnect();
  expect((await ask()).body.hosts).toMatchObject([
    { sentLines: 0, trouble: expect.stringMatching(/not connected/) },
  ]);
});

test.each([
  [{ http: { url: 'http://logs.example.com/' } }, '"http.url"'],
  [{ http: { url: 'https://127.0.0.1/' } }, '"http.url"'],
  [{ otlp: { url: 'https://metadata.internal/v1/logs' } }, '"otlp.url"'],
  [{ otlp: { url: 'https://user:pw@logs.example.com/' } }, '"otlp.url'],
  [{ syslog: { host: '169.254.169.254', port: 514 } }, '"syslog.host"'],
  [{ syslog: { host: 'logs.example.com', port: 70_000 } }, '"syslog.port'],
  [{ syslog: { host: 'logs.example.com', port: 514, ca: 'x' } }, '"syslog.ca'],
  [{ http: { url: 'https://logs.example.com/', headers: { 'webhook-id': 'x' } } }, 'header'],
  [{ http: { url: 'https://logs.example.com/', headers: { 'x-a': 'a\r\nb: c' } } }, 'header'],
  [{ http, otlp: http }, 'exactly one'],
  [{}, 'exactly one'],
])('%j is refused and names the field', async (fields, field) => {
  const { status, body } = await call('POST', path(), { token, body: { name: 'x', ...fields } });
  expect([status, body.error]).toEqual([400, expect.stringContaining(field)]);
});

test('a project has at most five drains, and they are removed once it can’t be restored', async () => {
  for (let made = 0; made < 5; made++) await make();
  const { status, body } = await call('POST', path(), { token, body: { name: 'x', http } });
  expect([status, body.code]).toEqual([409, 'quota_exceeded']);
  expect(
    (await call('POST', path((await insertProject()).id), { token, body: { name: 'x', http } })).status,
  ).toBe(200);
  await call('DELETE', `/api/projects/${host.project.id}`, { token });
  const count = () =>
    deps.db
      .all<{ n: number }>(sql`select count(*) as n from log_drains where project_id = ${host.project.id}`)
      .then(([row]) => row?.n);
  await pruneRecords(deps);
  expect(await count()).toBe(5);
  await deps.db.run(sql`delete from deletions where resource_id = ${host.project.id}`);
  await pruneRecords(deps);
  expect(await count()).toBe(0);
});
