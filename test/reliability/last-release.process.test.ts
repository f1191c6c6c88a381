/**
 * While a release is published, and after a rollback, its parts meet those of the release before: the old Worker on the new schema, objects of one with
 * requests of the other, and runners of one with the control plane of the other. Each mix deploys and logs in real workerd, with a simulated host.
 * @module-tag slow
 */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { runCommand } from '../../local/setup/command.ts';
import { type HubFrame, protocolVersion } from '../../protocol/frames.ts';
import { type BenchControlPlane, startBenchControlPlane } from '../bench/support/control-plane.ts';
import { startedJob } from '../bench/support/log-run.ts';
import { connectSimulated, enrolSimulated } from '../bench/support/simulated-runner.ts';
import {
  lastRunner,
  lastSources,
  type Mix,
  mixedWorker,
  projectRoot,
  scratchDirectory,
} from '../support/last-release.ts';
import { until } from '../support/runner/until.ts';
import { simulatedRunner } from '../support/simulation/simulated-runner.ts';

const timeoutMs = 180_000;

test.each<[string, Mix]>([
  ['the last release works on the schema of now', { requests: 'last', objects: 'last' }],
  ['requests of now reach objects of the last release', { requests: 'now', objects: 'last' }],
  ['requests of the last release reach objects of now', { requests: 'last', objects: 'now' }],
])('%s', { timeout: timeoutMs }, async (_, mix) => {
  const migratedFrom = join(await lastSources(), 'migrations');
  const controlPlane = await startBenchControlPlane({ bundle: await mixedWorker(mix), migratedFrom });
  onTestFinished(() => controlPlane.stop());
  await deploysAndLogs(controlPlane);
  await abortsAndDeletes(controlPlane);
});

test.each([
  { runner: 'last', controlPlane: 'now' },
  { runner: 'now', controlPlane: 'last' },
] as const)(
  'the runner of $runner works with the control plane of $controlPlane',
  { timeout: timeoutMs },
  async (mix) => {
    const directory = await mkdtemp(join(tmpdir(), 'longshore-last-'));
    onTestFinished(() => rm(directory, { recursive: true, force: true }));
    const { controlPlane: side } = mix;
    const bundle = await mixedWorker({ requests: side, objects: side });
    const migratedFrom = join(await lastSources(), 'migrations');
    const controlPlane = await startBenchControlPlane({ bundle, migratedFrom });
    onTestFinished(() => controlPlane.stop());
    const call = async (method: string, path: string, body?: unknown) => {
      const as = path.startsWith('/api/system') ? controlPlane.operator : controlPlane.call;
      return { status: 200, body: await as(method, path, body) };
    };
    const runner = await simulatedRunner({ url: controlPlane.url, call }, directory, 'host');
    onTestFinished(() => runner.close());
    const program = mix.runner === 'last' ? await lastRunner(join(directory, 'last')) : undefined;
    const buildLog = join(directory, 'build.log');
    await writeFile(buildLog, 'a line of the build');
    runner.start({ ALWAYS_SUCCEEDS: 'yes', BUILD_LOG: buildLog }, program);
    await until('it is connected', () => runner.connects() > 0, 30_000).catch((error: unknown) => {
      throw new Error(runner.output(), { cause: error });
    });
    const { project } = await controlPlane.call('POST', '/api/projects', { name: 'Skew', description: '' });
    const { service } = await controlPlane.call('POST', `/api/projects/${project.id}/services`, {
      ...{ name: 'web', repoFullName: null, repoUrl: 'https://git.example.com/web.git', branch: 'main' },
      runnerId: runner.runnerId,
    });
    const { deployment } = await controlPlane.call('POST', `/api/services/${service.id}/deployments`);
    const path = `/api/deployments/${deployment.id}`;
    const ended = await controlPlane.call('GET', `${path}?wait=60`);
    expect(ended.deployment).toMatchObject({ status: 'running', failureMessage: null });
    const { logs } = await controlPlane.call('GET', `${path}/logs`);
    expect(logs.map(({ line }: { line: string }) => line)).toContain('a line of the build');
    await controlPlane.call('DELETE', `/api/projects/${project.id}`);
    await controlPlane.operator('POST', `/api/system/deleted/${project.id}/purge`);
    await until('its route is removed', () => runner.host.routes().size === 0);
    expect((await controlPlane.operator('GET', '/api/system/runners')).runners[0].facts.trouble).toBeNull();
  },
);

/** A deployment with a reader of its log, from its start to its end. */
async function deploysAndLogs(controlPlane: BenchControlPlane): Promise<void> {
  const job = await startedJob(controlPlane);
  onTestFinished(() => job.close());
  const path = `/api/deployments/${job.deploymentId}`;
  const read = readEvents(controlPlane, `${path}/stream`);
  job.report({ type: 'phase', phase: 'build', facts: {} });
  for (let line = 1; line <= 20; line += 1) job.log.write('stdout', `line ${line}\n`);
  await until('20 lines', async () => (await controlPlane.call('GET', `${path}/logs`)).logs.length === 20);
  const ended = controlPlane.call('GET', `${path}?wait=60`);
  await job.end();
  expect((await ended).deployment).toMatchObject({ status: 'failed', failureCode: 'build_failed' });
  const events = await read;
  expect(events).toContain('line 20');
  expect(events).toContain('event: status');
  expect(events).toContain('The bench is over.');
  await controlPlane.call('POST', `${path}/explain-failure`);
}

async function abortsAndDeletes(controlPlane: BenchControlPlane): Promise<void> {
  const frames: HubFrame[] = [];
  const keys = await enrolSimulated(controlPlane, 'second');
  const runner = await connectSimulated(controlPlane.url, keys, (frame) => {
    frames.push(frame);
    if (frame.type !== 'task') return;
    const proxy = { ok: true, detail: 'Removed.' };
    runner.send({ v: protocolVersion, type: 'task-done', id: frame.id, proxy });
  });
  onTestFinished(() => runner.close());
  const sent = (type: HubFrame['type']) => until(type, () => frames.some((frame) => frame.type === type));
  const { project } = await controlPlane.call('POST', '/api/projects', { name: 'Mixed', description: '' });
  const { service } = await controlPlane.call('POST', `/api/projects/${project.id}/services`, {
    ...{ name: 'web', repoFullName: null, repoUrl: 'https://git.example.com/web.git', branch: 'main' },
    runnerId: keys.runnerId,
    env: [{ key: 'A', value: 'b' }],
  });
  const { deployment } = await controlPlane.call('POST', `/api/services/${service.id}/deployments`);
  await sent('start');
  await controlPlane.call('POST', `/api/deployments/${deployment.id}/abort`);
  await sent('abort');
  const { runners } = await controlPlane.operator('GET', '/api/system/runners');
  expect(runners.find(({ id }: { id: string }) => id === keys.runnerId).connected).toBe(true);
  const overview = await controlPlane.call('GET', `/api/services/${service.id}/overview`);
  expect(overview.env).toMatchObject([{ key: 'A' }]);
  const { projects } = await controlPlane.call('GET', '/api/projects');
  expect(projects).toHaveLength(2);
  expect((await controlPlane.operator('GET', '/api/system/tenants')).tenants[0].usage).toMatchObject({
    projects: 2,
    services: 2,
  });
  await controlPlane.call('DELETE', `/api/projects/${project.id}`);
  await controlPlane.operator('POST', `/api/system/deleted/${project.id}/purge`);
  await controlPlane.runScheduled(Date.now());
  expect((await controlPlane.call('GET', '/api/projects')).projects).toHaveLength(1);
}

/** The text of a stream until its end. */
async function readEvents({ url, apiKey }: BenchControlPlane, path: string): Promise<string> {
  return (await fetch(url + path, { headers: { authorization: `Bearer ${apiKey}` } })).text();
}

test('objects of now have every call of the last release, with parameters and answers that it understands', {
  timeout: timeoutMs,
}, async () => {
  const directory = await scratchDirectory();
  onTestFinished(() => rm(directory, { recursive: true, force: true }));
  const last = join(await lastSources(), 'worker/gateways/object-calls.ts');
  const now = join(projectRoot, 'worker/gateways/object-calls.ts');
  const names = ['HubCalls', 'LogStreamCalls', 'RuntimeLogCalls', 'TransferCalls'];
  const checks = names.map(
    (name) => `export const of${name} = (now: Now.${name}): Asked<Last.${name}> => now;`,
  );
  const lines = [
    `import type * as Last from '${last}';`,
    `import type * as Now from '${now}';`,
    // The last release does not read the answer of a call that had none.
    'type Asked<Calls> = { [Name in keyof Calls]: Calls[Name] extends (...given: infer Given) => Promise<void>',
    '  ? (...given: Given) => Promise<unknown> : Calls[Name] };',
    ...checks,
  ];
  await writeFile(join(directory, 'check.ts'), lines.join('\n'));
  const config = {
    extends: join(projectRoot, 'tsconfig.worker.json'),
    compilerOptions: { noEmit: true, composite: false, incremental: false },
    include: ['check.ts'],
    files: ['check.ts'],
  };
  await writeFile(join(directory, 'tsconfig.json'), JSON.stringify(config));
  const tsc = join(projectRoot, 'node_modules/typescript/bin/tsc');
  const options = { cwd: directory, timeoutMs };
  await expect(runCommand(process.execPath, [tsc, '-p', directory], options)).resolves.toBeDefined();
});
