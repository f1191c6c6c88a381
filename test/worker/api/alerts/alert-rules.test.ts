/** Alert rules that people make: what hosts get of them, which alerts they may raise, and default rules that are switched off. */
import { sql } from 'drizzle-orm';
import { beforeEach, expect, test } from 'vitest';
import type { FiringAlert } from '../../../../protocol/metrics/alerts.ts';
import { applyHostAlerts } from '../../../../worker/usecases/alerts/sync-alerts.ts';
import { pruneRecords } from '../../../../worker/usecases/instance/prune-records.ts';
import { createClient, deps, insertKey, insertProject, operatorToken } from '../../../support/worker/api.ts';
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

const path = (projectId = host.project.id) => `/api/projects/${projectId}/alert-rules`;
const busy = { name: 'Busy', metric: 'cpuPercent', threshold: 80, forSeconds: 60 };
async function make(body: object = busy) {
  const { status, body: reply } = await call('POST', path(), { token, body });
  expect([status, reply.error]).toEqual([200, undefined]);
  return reply.rule;
}
async function connect() {
  const runner = await FakeRunner.open(host.keys);
  await runner.sayHello();
  return { runner, welcome: await runner.next('welcome') };
}
const report = (...firing: FiringAlert[]) => applyHostAlerts(deps, host.runnerId, firing);
const firing = (rule: FiringAlert['rule'], of: string | null = serviceId): FiringAlert => ({
  ...{ rule, serviceId: of, detail: 'Busy: it is.' },
});
const open = async () =>
  (await call('GET', `/api/alerts?state=open&serviceId=${serviceId}`, { token })).body.alerts;

test('a host gets its rules when it connects, when they change, and with the first deployment of a project', async () => {
  const rule = await make();
  const { runner, welcome } = await connect();
  const rules = () => runner.next('alert-rules').then((frame) => frame.rules);
  expect(welcome.alertRules).toEqual([{ id: rule.id, ...busy, comparison: 'above', services: [serviceId] }]);
  await call('PATCH', `/api/alert-rules/${rule.id}`, { token, body: { threshold: 70 } });
  expect(await rules()).toMatchObject([{ id: rule.id, threshold: 70 }]);
  await call('PATCH', `/api/alert-rules/${rule.id}`, { token, body: { enabled: false } });
  expect(await rules()).toEqual([]);
  await call('PATCH', `/api/alert-rules/${rule.id}`, { token, body: { enabled: true } });
  await rules();
  const other = await host.addService({ name: 'worker' });
  await deploy(other);
  expect((await rules())[0]?.services?.toSorted()).toEqual([serviceId, other.id].sort());
  await call('DELETE', `/api/alert-rules/${rule.id}`, { token });
  expect(await rules()).toEqual([]);
});

test('an alert of a rule is shown with it; deleting or disabling the rule ends it, and a host can report no other rule', async () => {
  const rule = await make();
  await report(firing(rule.id));
  expect(await open()).toMatchObject([{ rule: 'own', ruleId: rule.id, detail: 'Busy: it is.' }]);
  await call('PATCH', `/api/alert-rules/${rule.id}`, { token, body: { enabled: false } });
  await report(firing(rule.id));
  expect(await open()).toEqual([]);
  const elsewhere = await insertProject();
  const foreign = await call('POST', path(elsewhere.id), { token, body: busy });
  await report(firing(foreign.body.rule.id), firing('alr_0000000000000000'));
  expect(await open()).toEqual([]);
});

test('a default rule that is switched off, for a project or for the instance, raises nothing and ends what is open', async () => {
  await report(firing('memory'), firing('restarts'));
  expect(await open()).toHaveLength(2);
  const { body } = await call('PATCH', `/api/projects/${host.project.id}/default-alerts`, {
    token,
    body: { memory: false },
  });
  expect(body.defaults.find(({ rule }: { rule: string }) => rule === 'memory')).toMatchObject({
    ...{ enabled: false, offBy: 'project' },
  });
  await report(firing('memory'), firing('restarts'));
  expect((await open()).map(({ rule }: { rule: string }) => rule)).toEqual(['restarts']);
  await call('PATCH', '/api/system/default-alerts', { token: operatorToken, body: { restarts: false } });
  await report(firing('memory'), firing('restarts'));
  expect(await open()).toEqual([]);
  await call('PATCH', '/api/system/default-alerts', { token: operatorToken, body: { restarts: true } });
  await report();
  await report(firing('restarts'));
  expect(await open()).toHaveLength(1);
});

test('rules about hosts are the operator’s, and raise alerts about hosts', async () => {
  const body = { name: 'Full', metric: 'diskPercent', threshold: 70, runnerId: host.runnerId };
  const { body: made } = await call('POST', '/api/system/alert-rules', { token: operatorToken, body });
  await report(firing(made.rule.id, null));
  const { body: seen } = await call('GET', '/api/system/alerts?state=open', { token: operatorToken });
  expect(seen.alerts).toContainEqual(
    expect.objectContaining({ ruleId: made.rule.id, runnerId: host.runnerId, serviceId: null }),
  );
  await call('DELETE', `/api/system/alert-rules/${made.rule.id}`, { token: operatorToken });
});

test.each([
  [{ metric: 'restarts', threshold: 3, comparison: 'below' }, '"comparison"'],
  [{ metric: 'restarts', threshold: 1.5 }, '"threshold"'],
  [{ metric: 'errorPercent', threshold: 101 }, '"threshold"'],
  [{ metric: 'diskPercent', threshold: 80 }, '"metric"'],
  [{ metric: 'cpu', threshold: -1 }, '"threshold"'],
  [{ metric: 'cpu', threshold: 1, forSeconds: 5 }, '"forSeconds"'],
  [{ metric: 'cpu', threshold: 1, serviceId: 'svc_0000000000000000' }, '"serviceId"'],
])('%j is refused and names the field', async (fields, field) => {
  const { status, body } = await call('POST', path(), { token, body: { name: 'x', ...fields } });
  expect([status, body.error]).toEqual([400, expect.stringContaining(field)]);
});

test('a project has at most 50 rules, and they are removed once it can’t be restored', async () => {
  await deps.db.run(sql`insert into alert_rules select 'alr_' || substr('0000000000000000' || value, -16), ${host.project.id}, '', '',
    'Rule', 'cpu', 'above', 1, 60, 1, 0, 0 from json_each(${JSON.stringify([...Array(50).keys()])})`);
  const { status, body } = await call('POST', path(), { token, body: busy });
  expect([status, body.code]).toEqual([409, 'quota_exceeded']);
  await call('DELETE', `/api/projects/${host.project.id}`, { token });
  const count = async () => {
    const [row] = await deps.db.all<{ n: number }>(
      sql`select count(*) as n from alert_rules where project_id = ${host.project.id}`,
    );
    return row?.n;
  };
  await pruneRecords(deps);
  expect(await count()).toBe(50);
  await deps.db.run(sql`delete from deletions where resource_id = ${host.project.id}`);
  await pruneRecords(deps);
  expect(await count()).toBe(0);
});

const kinds = {
  worker: { name: 'jobs', runtimeMode: 'worker' as const },
  database: { name: 'db', kind: 'database' as const, repoUrl: 'database', repoFullName: 'database:postgres' },
  site: { name: 'docs', runtimeMode: 'static' as const },
  app: { name: 'web', runtimeMode: 'web' as const },
};

test.each<[keyof typeof kinds, string, string]>([
  ['worker', 'requests', 'a worker gets no requests from the proxy'],
  ['worker', 'latencyP99', 'a worker gets no requests from the proxy'],
  ['database', 'errorPercent', 'a database gets no requests from the proxy'],
  ['site', 'cpuPercent', 'a static site has no container, only requests'],
  ['site', 'restarts', 'a static site has no container, only requests'],
  ['app', 'connections', 'only connections to databases are counted'],
  ['worker', 'connections', 'only connections to databases are counted'],
])(
  'a rule that could never fire, about the %s and its %s, is refused with the reason',
  async (kind, metric, reason) => {
    const service = await host.addService(kinds[kind]);
    const rule = { name: 'Silent', metric, threshold: 1, serviceId: service.id };
    const made = await call('POST', path(), { token, body: rule });
    expect([made.status, made.body.error]).toEqual([
      400,
      `The field "metric" must not be "${metric}" for ${service.name}: ${reason}, so the rule would never raise an alert.`,
    ]);
    const measured = kind === 'site' ? 'requests' : 'memoryPercent';
    const { body } = await call('POST', path(), { token, body: { ...rule, metric: measured } });
    const changed = await call('PATCH', `/api/alert-rules/${body.rule.id}`, { token, body: { metric } });
    expect([changed.status, changed.body.error]).toEqual([400, made.body.error]);
  },
);

test('a rule about all services of a project may watch what only some of them have', async () => {
  await host.addService(kinds.worker);
  await make({ name: 'Busy databases', metric: 'connections', threshold: 50 });
});
