/** A service gets another port of its host: at once while nothing serves, otherwise with its next deployment. */
import { eq } from 'drizzle-orm';
import { beforeEach, expect, test } from 'vitest';
import { runners } from '../../../../worker/store/schema/runners.ts';
import { createClient, deps, insertKey, testFacts } from '../../../support/worker/api.ts';
import { FakeRunner } from '../../../support/worker/fake-runner.ts';
import { newHost, serviceRow, type TestHost } from '../../../support/worker/host.ts';

const call = createClient();
const { token } = await insertKey();
let host: TestHost;
let service: Awaited<ReturnType<TestHost['addService']>>;

beforeEach(async () => {
  host = await newHost();
  service = await host.addService({ hostPort: 41_000 });
});

const move = (body?: unknown) => call('POST', `/api/services/${service.id}/host-port`, { token, body });
const deploy = () => call('POST', `/api/services/${service.id}/deployments`, { token });
const succeed = { type: 'result', result: { outcome: 'succeeded', facts: {} } } as const;

test('a service that does not serve gets the next free port at once', async () => {
  await host.addService({ hostPort: 41_001 });
  expect((await move()).body).toMatchObject({ port: 41_002, pending: false, service: { hostPort: 41_002 } });
  expect((await move({ port: 41_000 })).body).toMatchObject({ port: 41_000, pending: false });
});

test('a service that serves keeps its port until a deployment has succeeded, on the same host', async () => {
  const runner = await FakeRunner.connect(host.keys);
  await deploy();
  await runner.report(await runner.next('start'), succeed);
  expect((await move()).body).toMatchObject({ port: 41_001, pending: true, service: { hostPort: 41_000 } });
  expect((await host.addService({ hostPort: 41_002 })).hostPort).toBe(41_002);
  await deploy();
  const start = await runner.next('start');
  expect(start.spec).toMatchObject({ hostPort: 41_001 });
  expect((await move()).body.error).toContain('A job of the service is in progress');
  await runner.report(start, succeed);
  expect(await serviceRow(service.id)).toMatchObject({
    hostPort: 41_001,
    runnerId: host.runnerId,
    nextRunnerId: null,
    nextHostPort: null,
  });
  // No task removes the service from its "old" host.
  expect(await runner.unread()).toEqual([]);
});

test('a planned change is cancelled by the present port', async () => {
  const runner = await FakeRunner.connect(host.keys);
  await deploy();
  await runner.report(await runner.next('start'), succeed);
  await move({ port: 41_009 });
  expect((await move({ port: 41_000 })).body).toMatchObject({ port: 41_000, pending: false });
});

test.each([
  [40_999, 400, 'The field "port" must be from 41000 to 41999'],
  [45_000, 400, 'The field "port" must be from 41000 to 41999'],
  [41_001, 409, 'Port 41001 is taken on this host'],
])('the port %i is refused with %i', async (port, status, sentence) => {
  await host.addService({ hostPort: 41_001 });
  const reply = await move({ port });
  expect([reply.status, reply.body.error]).toEqual([status, expect.stringContaining(sentence)]);
  expect((await serviceRow(service.id)).hostPort).toBe(41_000);
});

test('a database gets no port on which a program listens', async () => {
  await deps.db
    .update(runners)
    .set({ facts: { ...testFacts, busyPorts: [45_000, 45_001] } })
    .where(eq(runners.id, host.runnerId));
  service = await host.addService({ kind: 'database', hostPort: 45_000 });
  expect((await move({ port: 45_001 })).status).toBe(409);
  expect((await move()).body).toMatchObject({ port: 45_002, pending: false });
});

test('an app gets no port that its host reports as another program’s', async () => {
  const facts = { ...testFacts, foreignPorts: [41_000, 41_002] };
  await deps.db.update(runners).set({ facts }).where(eq(runners.id, host.runnerId));
  expect((await move({ port: 41_002 })).status).toBe(409);
  expect((await move()).body).toMatchObject({ port: 41_001, pending: false });
});
