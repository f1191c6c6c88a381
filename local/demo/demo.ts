/** The demo: serves examples/hello from a git server on loopback, and deploys it like any other repository. */
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import type { ApiClient } from '../api-client.ts';
import type { DataDirectory } from '../instance/data-directory.ts';
import { readJson, writePrivateJson } from '../instance/private-file.ts';
import { freeLoopbackPort } from '../ports.ts';
import { typed } from '../program.ts';
import { StartError } from '../start-error.ts';
import type { ExampleGiven, ServedExample } from './git-server.ts';

const demoSchema = z.object({
  gitPort: z.number().int(),
  projectId: z.string().nullable(),
  serviceId: z.string().nullable(),
});
type DemoFile = z.infer<typeof demoSchema>;

const serviceSchema = z.object({
  id: z.string(),
  status: z.string(),
  repoUrl: z.string(),
  localUrl: z.string(),
  primaryUrl: z.string(),
});
const deploymentSchema = z.object({ id: z.string(), status: z.string() });
const overviewSchema = z.object({ service: serviceSchema, deployments: z.array(deploymentSchema) });
const logsSchema = z.object({ logs: z.array(z.object({ line: z.string() })) });

/** Building the example takes seconds; pulling its base image over a slow line takes minutes. */
const deployTimeoutMs = 600_000;
const answerTimeoutMs = 10_000;

/** The addresses of the demo's app. */
export interface Demo {
  serviceId: string;
  localUrl: string;
  primaryUrl: string;
}

/** Serves the example's repository, on the same port as last time if that is free. @returns the server's address */
export async function serveExample(
  projectRoot: string,
  data: DataDirectory,
  serve: (example: ExampleGiven) => Promise<ServedExample>,
): Promise<string> {
  const known = readJson(data.demoFile, demoSchema);
  const { url, port } = await serve({
    root: data.repositories,
    repository: join(data.repositories, 'hello.git'),
    workTree: join(projectRoot, 'examples/hello'),
    port: await freeLoopbackPort(known?.gitPort ?? 0),
  });
  remember(data, { gitPort: port });
  return url;
}

/**
 * Deploys the demo, unless it is already deployed, and waits until it answers.
 * @returns `undefined` if the user has deleted it; it is not deployed again then.
 * @throws StartError `demo_failed` with the end of the deployment's log.
 */
export async function ensureDemo(
  api: ApiClient,
  gitUrl: string,
  data: DataDirectory,
): Promise<Demo | undefined> {
  const serviceId = await ensureService(api, `${gitUrl}/hello.git`, data);
  if (serviceId === undefined) return undefined;
  const { service, deployments } = await overview(api, serviceId);
  if (service.status !== 'active') await deploy(api, serviceId, deployments[0]);
  const { localUrl, primaryUrl } = (await overview(api, serviceId)).service;
  await waitForAnswer(localUrl);
  return { serviceId, localUrl, primaryUrl };
}

const overview = (api: ApiClient, serviceId: string) =>
  api.call('GET', `/api/services/${serviceId}/overview`, overviewSchema);

async function ensureService(
  api: ApiClient,
  repoUrl: string,
  data: DataDirectory,
): Promise<string | undefined> {
  const known = readJson(data.demoFile, demoSchema);
  if (known?.serviceId) {
    if ((await api.status(`/api/services/${known.serviceId}/overview`)) === 404) return undefined;
    const { service } = await overview(api, known.serviceId);
    if (service.repoUrl !== repoUrl) {
      await api.call('PATCH', `/api/services/${known.serviceId}`, z.unknown(), { repoUrl });
    }
    return known.serviceId;
  }
  const projectId = known?.projectId ?? (await createProject(api, data));
  const body = {
    name: 'hello',
    repoFullName: null,
    repoUrl,
    branch: 'main',
    runtimeMode: 'web',
    internalPort: 3000,
    env: [],
  };
  const schema = z.object({ service: serviceSchema });
  const { service } = await api.call('POST', `/api/projects/${projectId}/services`, schema, body);
  remember(data, { serviceId: service.id });
  return service.id;
}

async function createProject(api: ApiClient, data: DataDirectory): Promise<string> {
  const schema = z.object({ project: z.object({ id: z.string() }) });
  const body = { name: 'demo', description: 'What npm start deploys' };
  const { project } = await api.call('POST', '/api/projects', schema, body);
  remember(data, { projectId: project.id });
  return project.id;
}

async function deploy(
  api: ApiClient,
  serviceId: string,
  newest: z.infer<typeof deploymentSchema> | undefined,
): Promise<void> {
  // A killed start may have left a deployment in progress.
  const open = newest !== undefined && ['queued', 'building'].includes(newest.status) ? newest : undefined;
  const schema = z.object({ deployment: deploymentSchema });
  const { id } =
    open ?? (await api.call('POST', `/api/services/${serviceId}/deployments`, schema)).deployment;
  await api.drain(`/api/deployments/${id}/stream`, AbortSignal.timeout(deployTimeoutMs)).catch(() => {});
  const { deployments } = await overview(api, serviceId);
  const ended = deployments.find((deployment) => deployment.id === id);
  if (ended?.status === 'running') return;
  const { logs } = await api.call('GET', `/api/deployments/${id}/logs`, logsSchema);
  const tail = logs.slice(-15).map(({ line }) => `  ${line}`);
  throw new StartError(
    'demo_failed',
    `The demo was not deployed (${ended?.status ?? 'gone'}). The end of its log:\n${tail.join('\n')}`,
    { command: typed('start', '--no-demo') },
  );
}

/** Waits for the app's answer: after a start, the proxy may take a moment. */
async function waitForAnswer(url: string): Promise<void> {
  const deadline = performance.now() + answerTimeoutMs;
  let last = '';
  while (performance.now() < deadline) {
    last = await fetch(url, { signal: AbortSignal.timeout(2_000) }).then(
      async (response) => {
        await response.body?.cancel();
        return response.status === 200 ? '' : `status ${response.status}`;
      },
      (error) => String(error),
    );
    if (last === '') return;
    await sleep(100);
  }
  throw new StartError('demo_failed', `The demo is deployed but does not answer at ${url}: ${last}.`);
}

function remember(data: DataDirectory, news: Partial<DemoFile>): void {
  const known = readJson(data.demoFile, demoSchema) ?? { gitPort: 0, projectId: null, serviceId: null };
  writePrivateJson(data.demoFile, { ...known, ...news });
}
