// biome-ignore-all lint/suspicious/noTemplateCurlyInString: references of variables are written like that
/** Transfers: who may, what moves, and that nothing sealed is lost, whoever writes at the same moment. */
import { createExecutionContext } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { eq } from 'drizzle-orm';
import { afterEach, beforeAll, expect, test, vi } from 'vitest';
import { createApp } from '../../../../worker/app.ts';
import { platform } from '../../../../worker/domain/access/initiator.ts';
import type { SecretPlace } from '../../../../worker/security/secret-envelope.ts';
import { gitTokenPlace, snapshotPlace } from '../../../../worker/security/secret-places.ts';
import { deployments } from '../../../../worker/store/schema/deployments.ts';
import type { Dependencies } from '../../../../worker/usecases/dependencies.ts';
import { dispatchJob } from '../../../../worker/usecases/jobs/dispatch-job.ts';
import { transferService } from '../../../../worker/usecases/services/transfer-service.ts';
import { updateService } from '../../../../worker/usecases/services/update-service.ts';
import { setVariable } from '../../../../worker/usecases/services/variables.ts';
import { races } from '../../../support/level.ts';
import {
  createClient,
  deps,
  insertKey,
  insertProject,
  insertTenant,
  type Json,
} from '../../../support/worker/api.ts';
import { insertDeploymentOf } from '../../../support/worker/deployment-rows.ts';
import { FakeRunner } from '../../../support/worker/fake-runner.ts';
import { deploy, deploymentRow, jobRow, newHost, serviceRow } from '../../../support/worker/host.ts';

const call = createClient();
let token: string;
let scope: Parameters<typeof transferService>[2]['scope'];

beforeAll(async () => {
  const key = await insertKey();
  token = key.token;
  scope = {
    ...{ keyId: key.id, tenantId: 'default', allProjects: true },
    ...{ baseAccess: 'write', ownLevels: [], initiator: platform },
  };
});
afterEach(() => {
  vi.useRealTimers();
});

/** A service with a variable and a token in its project, and a project to go to. */
async function scene() {
  const host = await newHost();
  const source = host.project;
  const target = await insertProject({ name: 'Target' });
  const service = await host.addService({ slug: 'web' });
  const setNow = (key: string, value: string) =>
    call('POST', `/api/services/${service.id}/env`, { token, body: { key, value } });
  await setNow('A', 'one');
  await call('PATCH', `/api/services/${service.id}`, { token, body: { gitToken: 'git-secret' } });
  return { host, source, target, service: await serviceRow(service.id), set: setNow };
}

const transfer = (serviceId: string, targetProjectId: unknown, as = token) =>
  call('POST', `/api/services/${serviceId}/transfer`, { token: as, body: { targetProjectId } });
const overview = async (serviceId: string) =>
  (await call('GET', `/api/services/${serviceId}/overview`, { token })).body;

test('service, project and proxy are answered whole, and the secrets open with the new key alone', async () => {
  const { source, target, service } = await scene();
  const reply = await transfer(service.id, target.id);
  expect(reply.status).toBe(200);
  expect(reply.body).toEqual({
    service: expect.objectContaining({
      id: service.id,
      projectId: target.id,
      name: 'Web',
      slug: 'web',
      hasGitHostToken: true,
    }),
    project: expect.objectContaining({
      id: target.id,
      name: 'Target',
      slug: target.slug,
      serviceCount: 1,
      services: [reply.body.service],
    }),
    proxy: {
      ok: true,
      detail: 'The service is not running yet: its routes start with its first deployment.',
    },
  });
  expect((await overview(service.id)).env).toMatchObject([{ key: 'A', value: 'one', resolvedValue: 'one' }]);
  const { sealedGitToken } = await serviceRow(service.id);
  const open = (project: typeof source) =>
    deps.envelope.open(project.wrappedDataKey, project.id, gitTokenPlace(service.id), sealedGitToken ?? '');
  expect(await open(target)).toBe('git-secret');
  await expect(open(source)).rejects.toThrow("can't be decrypted");
  const listed = await call('GET', `/api/projects/${source.id}`, { token });
  expect(listed.body.project).toMatchObject({ serviceCount: 0, services: [] });
});

test('a target that the key cannot see is 404 like one that does not exist, byte for byte', async () => {
  const { source, target, service } = await scene();
  const headers = { 'x-request-id': 'same' };
  const tenant = await insertProject({ tenantId: await insertTenant('elsewhere') });
  const ask = (targetProjectId: string, as: string) =>
    call('POST', `/api/services/${service.id}/transfer`, { token: as, body: { targetProjectId }, headers });
  const missing = await ask('prj_aaaaaaaaaaaaaaaa', token);
  expect([missing.status, missing.body.code]).toEqual([404, 'not_found']);
  const limited = (await insertKey({ projects: [source.id] })).token;
  for (const [id, as] of [
    [target.id, limited],
    [tenant.id, token],
    [tenant.id, limited],
    ['', token],
  ] as const) {
    const invisible = await ask(id, as);
    expect([invisible.status, invisible.text]).toEqual([404, missing.text]);
  }
  const wrongSide = (await insertKey({ projects: [target.id] })).token;
  expect((await ask(target.id, wrongSide)).status).toBe(404);
  expect((await serviceRow(service.id)).projectId).toBe(source.id);
  const both = (await insertKey({ projects: [source.id, target.id] })).token;
  expect((await ask(target.id, both)).status).toBe(200);
});

test('refusals name a way out and change nothing', async () => {
  const { host, source, target, service } = await scene();
  expect((await transfer(service.id, source.id)).body).toMatchObject({
    code: 'conflict',
    error: expect.stringContaining('already'),
  });
  await call('POST', `/api/projects/${target.id}/services`, {
    token,
    body: { name: 'web', repoUrl: 'https://git.example/w', runnerId: host.runnerId },
  });
  const clash = await transfer(service.id, target.id);
  expect([clash.status, clash.body.error]).toEqual([
    409,
    expect.stringMatching(/slug "web", "web".*delete or transfer/),
  ]);
  for (const body of [{}, { targetProjectId: null }, { targetProjectId: target.id, slug: 'x' }]) {
    const reply = await call('POST', `/api/services/${service.id}/transfer`, { token, body });
    expect(reply.status).toBe(400);
  }
  await env.DB.prepare("update variables set sealed_value = 'v1.broken.x' where service_id = ?")
    .bind(service.id)
    .run();
  const broken = await transfer(service.id, (await insertProject()).id);
  expect([broken.status, broken.body.error]).toEqual([
    409,
    expect.stringContaining("The variable A of the service can't be decrypted"),
  ]);
  expect((await serviceRow(service.id)).projectId).toBe(source.id);
});

test('peers left behind are warned, and references follow the new project', async () => {
  const { host, target, service, set } = await scene();
  const peer = await host.addService({ slug: 'peer' });
  await call('POST', `/api/services/${peer.id}/env`, { token, body: { key: 'B', value: '${web.A}' } });
  await set('C', '${peer.B}');
  expect((await overview(peer.id)).warnings).toEqual([]);
  await transfer(service.id, target.id);
  expect((await overview(peer.id)).warnings).toEqual([
    'B: ${web.A} stays as written, because the project has no service "web".',
  ]);
  expect((await overview(service.id)).warnings).toEqual([
    'C: ${peer.B} stays as written, because the project has no service "peer".',
  ]);
});

test('snapshots of what a rollback can use, or what is running, are taken along; the others are dropped', async () => {
  const { source, target, service } = await scene();
  const ids: string[] = [];
  const statuses = [
    'superseded',
    'superseded',
    'failed',
    'superseded',
    'superseded',
    'superseded',
    'running',
    'building',
  ] as const;
  for (const [index, status] of statuses.entries()) {
    const state = status === 'building' ? 'active' : 'succeeded';
    const { deployment } = await insertDeploymentOf(service.id, {
      job: { state },
      deployment: { status, createdAt: index },
    });
    const sealed = await deps.envelope.seal(
      source.wrappedDataKey,
      source.id,
      snapshotPlace(deployment.id),
      `of ${status} ${index}`,
    );
    await deps.db
      .update(deployments)
      .set({ sealedSnapshot: sealed })
      .where(eq(deployments.id, deployment.id));
    ids.push(deployment.id);
  }
  await transfer(service.id, target.id);
  const opened = await Promise.all(
    ids.map(async (id) => {
      const { sealedSnapshot } = await deploymentRow(id);
      return (
        sealedSnapshot &&
        deps.envelope.open(target.wrappedDataKey, target.id, snapshotPlace(id), sealedSnapshot)
      );
    }),
  );
  expect(opened).toEqual([
    null,
    'of superseded 1',
    null,
    'of superseded 3',
    'of superseded 4',
    'of superseded 5',
    'of running 6',
    'of building 7',
  ]);
});

test('the proxy is really asked, a missing host is reported, and so is that the running version keeps its network', async () => {
  const { host, source, target, service } = await scene();
  await env.DB.prepare('update services set last_deployed_at = 1 where id = ?').bind(service.id).run();
  expect((await transfer(service.id, target.id)).body.proxy).toEqual({
    ok: false,
    detail: `The host is not connected. ${networkNote(source.name)}`,
  });
  const runner = await FakeRunner.connect(host.keys);
  const reply = transfer(service.id, source.id);
  const { id, ask } = await runner.next('request');
  expect(ask).toEqual({ op: 'probe-route', hostname: service.generatedHostname });
  const value = { ok: true, detail: 'It answered 200 through the proxy in 3 ms.' };
  runner.send({ v: 1, type: 'response', id, outcome: { ok: true, value } });
  expect((await reply).body.proxy).toEqual({
    ok: true,
    detail: `${value.detail} ${networkNote(target.name)}`,
  });
  const worker = await host.addService({ runtimeMode: 'worker', generatedHostname: null });
  expect((await transfer(worker.id, target.id)).body.proxy).toMatchObject({
    ok: true,
    detail: expect.stringContaining('no route'),
  });
});

const networkNote = (project: string) =>
  `The running version stays in the private network of the project "${project}" until the next deployment: deploy the service to connect it to its new project instead.`;

/** Dependencies that do `meanwhile` once, right before the first secret is sealed. */
function interrupted(meanwhile: () => Promise<unknown>): Dependencies {
  let pending: (() => Promise<unknown>) | undefined = meanwhile;
  return {
    ...deps,
    envelope: {
      ...deps.envelope,
      async seal(...args) {
        const now = pending;
        pending = undefined;
        await now?.();
        return deps.envelope.seal(...args);
      },
    },
  };
}

test('a variable that is written while a transfer seals is taken along', async () => {
  const { source, target, service, set } = await scene();
  const loaded = { service, project: source };
  const to = { scope, targetId: target.id };
  await transferService(
    interrupted(() => set('A', 'two')),
    loaded,
    to,
  );
  expect((await overview(service.id)).env).toMatchObject([{ value: 'two' }]);
  const back = { service, project: target };
  const add = () => set('NEW', 'three');
  await transferService(interrupted(add), back, { scope, targetId: source.id });
  expect(await overview(service.id)).toMatchObject({
    env: [{ value: 'two' }, { value: 'three' }],
    warnings: [],
  });
  const {
    env: [variable],
  } = await overview(service.id);
  const remove = () => call('DELETE', `/api/services/${service.id}/env/${variable.id}`, { token });
  await transferService(interrupted(remove), loaded, to);
  expect(await overview(service.id)).toMatchObject({ env: [{ key: 'NEW', value: 'three' }], warnings: [] });
});

test('a token and a snapshot written while a transfer seals are taken along', async () => {
  const { source, target, service } = await scene();
  const { sealedGitToken } = await serviceRow(service.id);
  const patch = () =>
    call('PATCH', `/api/services/${service.id}`, { token, body: { gitToken: 'newer-secret' } });
  const loaded = { service, project: source };
  const to = { scope, targetId: target.id };
  await transferService(interrupted(patch), loaded, to);
  const moved = await serviceRow(service.id);
  expect(moved.sealedGitToken).not.toBe(sealedGitToken);
  const opened = (place: SecretPlace, sealed: string | null, project: typeof target) =>
    deps.envelope.open(project.wrappedDataKey, project.id, place, sealed ?? '');
  expect(await opened(gitTokenPlace(service.id), moved.sealedGitToken, target)).toBe('newer-secret');

  const { deployment, job } = await insertDeploymentOf(service.id, {
    job: { state: 'active', epoch: 1 },
    deployment: { status: 'building' },
  });
  const dispatch = () => dispatchJob(deps, job);
  const back = { scope, targetId: source.id };
  await transferService(interrupted(dispatch), { service: moved, project: target }, back);
  const { sealedSnapshot } = await deploymentRow(deployment.id);
  expect(await opened(snapshotPlace(deployment.id), sealedSnapshot, source)).toContain('"env":{"A":"one"}');
});

test('a value sealed for the old project is not written into the new one', async () => {
  const { source, target, service } = await scene();
  const loaded = { service, project: source };
  const there = () => transfer(service.id, target.id);
  for (const key of ['A', 'B']) {
    const late = setVariable(interrupted(there), loaded, { key, value: 'late' });
    await expect(late).rejects.toMatchObject({ code: 'conflict' });
    expect(await overview(service.id)).toMatchObject({ env: [{ key: 'A', value: 'one' }], warnings: [] });
    await transfer(service.id, source.id);
  }
  const patch = updateService(interrupted(there), loaded, { gitToken: 'late' });
  await expect(patch).rejects.toMatchObject({
    code: 'conflict',
    message: expect.stringContaining('gitToken'),
  });
  const { sealedGitToken } = await serviceRow(service.id);
  expect(
    await deps.envelope.open(
      target.wrappedDataKey,
      target.id,
      gitTokenPlace(service.id),
      sealedGitToken ?? '',
    ),
  ).toBe('git-secret');
});

test('a transfer while a deployment is dispatched makes it that of the new project', async () => {
  const { host, target, service } = await scene();
  const { job } = await insertDeploymentOf(service.id, {
    job: { state: 'active', epoch: 1 },
    deployment: { status: 'building' },
  });
  const start = await dispatchJob(
    interrupted(() => transfer(service.id, target.id)),
    job,
  );
  expect(start?.frame.spec).toMatchObject({ projectId: target.id });
  expect((await jobRow(job.id)).state).toBe('active');
  expect(host.runnerId).toBe(job.runnerId);
});

test('transfers and writes at the same moment: every answered value is there and opens, whoever wins', {
  tags: ['slow', 'matrix'],
}, async () => {
  const { source, target, service, set } = await scene();
  const projects = [source, target];
  let answered = 'one';
  for (let round = 0; round < races; round++) {
    // A key has its writes a minute.
    if (round % 200 === 199) token = (await insertKey()).token;
    const to = projects[(round + 1) % 2] as typeof source;
    const [written, moved] = await Promise.all([
      set('A', `round ${round}`),
      transfer(service.id, to.id),
      set('OTHER', `${round}`),
    ]);
    if (written.status === 200) answered = `round ${round}`;
    expect([200, 409]).toContain(written.status);
    const { env: shown, warnings, service: now } = await overview(service.id);
    expect([warnings, shown.find((one: Json) => one.key === 'A').value]).toEqual([[], answered]);
    if (now.projectId !== to.id) {
      expect(moved.status).toBe(409);
      await transfer(service.id, to.id);
    }
  }
});

test('fault 24: a deployment continues through a transfer, and the next one belongs to the new project', {
  tags: 'slow',
}, async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  const { host, source, target, service } = await scene();
  const runner = await FakeRunner.connect(host.keys);
  const deployment = await deploy(service);
  const first = await runner.next('start');
  const old = (await insertKey({ projects: [source.id] })).token;
  const stream = await createApp().fetch(
    new Request(`https://longshore.test/api/deployments/${deployment.id}/stream`, {
      headers: { authorization: `Bearer ${old}` },
    }),
    env,
    createExecutionContext(),
  );
  const read = stream.text();
  expect((await transfer(service.id, target.id)).status).toBe(200);
  expect((await call('GET', `/api/deployments/${deployment.id}/logs`, { token: old })).status).toBe(404);
  vi.advanceTimersByTime(60_000);
  expect(await read, 'the stream of the old key ends with the next check').not.toContain('event: status');

  expect(first.spec).toMatchObject({ projectId: source.id });
  await runner.report(first, { type: 'result', result: { outcome: 'succeeded', facts: {} } });
  expect((await deploymentRow(deployment.id)).status).toBe('running');
  expect(await serviceRow(service.id)).toMatchObject({ status: 'active', projectId: target.id });
  await deploy(service);
  const next = await runner.next('start');
  expect(next.spec).toMatchObject({ projectId: target.id });
  expect(await runner.openBox(next)).toEqual({ env: { A: 'one' }, secretKeys: [], gitToken: 'git-secret' });

  await runner.report(next, { type: 'result', result: { outcome: 'succeeded', facts: {} } });
  await call('DELETE', `/api/services/${service.id}/env/${(await overview(service.id)).env[0].id}`, {
    token,
  });
  expect((await call('POST', `/api/deployments/${deployment.id}/rollback`, { token })).status).toBe(200);
  const back = await runner.next('start');
  expect(back.spec, 'a rollback past the transfer').toMatchObject({ projectId: target.id });
  expect((await runner.openBox(back)).env, 'with the variables frozen then').toEqual({ A: 'one' });
});
