/** A control plane of the bench's own, embedded as `npm start` does it, without Docker and without a host. */
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startControlPlane } from '../../../local/control-plane/control-plane.ts';
import { ensureWorkerBundle, type WorkerBundle } from '../../../local/worker-bundle/worker-bundle.ts';
import type { Json } from '../../support/instance/longshore.ts';
import { buildBenchWorker } from './build-bench-worker.ts';

const projectRoot = fileURLToPath(new URL('../../..', import.meta.url));
const operatorToken = 'bench-operator-token-0123456789abcdef';
const secrets = {
  OPERATOR_TOKEN: operatorToken,
  ENCRYPTION_KEY: 'YmVuY2gtZW5jcnlwdGlvbi1rZXktMDEyMzQ1Njc4OWE', // 32 bytes, base64url
};

export interface BenchControlPlane {
  url: string;
  apiKey: string;
  workerdPid: number;
  persistDirectory: string;
  logFile: string;
  bundle: WorkerBundle;
  call(method: string, path: string, body?: unknown, token?: string): Promise<Json>;
  operator(method: string, path: string, body?: unknown): Promise<Json>;
  runScheduled(minute: number): Promise<void>;
  stop(): Promise<void>;
}

export interface BenchWorker {
  /** A Worker of the bench's own instead of the project's; path from the project's root. */
  entry?: string;
  /** A Worker that is built already. */
  bundle?: WorkerBundle;
  /** Data of another one, copied; its keys are valid then. */
  data?: { persistDirectory: string; apiKey: string };
  /** A directory of migrations that are applied first: those of the release before. */
  migratedFrom?: string;
  /** Where D1 answers; absent: in workerd itself. */
  databaseAddress?: string;
}

/** @throws Error with the answer when a call is not answered with 200 */
export async function startBenchControlPlane(worker: BenchWorker = {}): Promise<BenchControlPlane> {
  const { entry, data, databaseAddress } = worker;
  const directory = await mkdtemp(join(tmpdir(), 'longshore-bench-'));
  const bundle =
    worker.bundle ??
    (await ensureWorkerBundle({
      projectRoot,
      cache:
        entry === undefined ? join(projectRoot, 'node_modules/.cache/longshore') : join(directory, 'bundle'),
      ...(entry === undefined ? {} : { build: buildBenchWorker(entry) }),
    }));
  let workerdPid = 0;
  const logFile = join(directory, 'control-plane.log');
  const persistDirectory = data?.persistDirectory ?? join(directory, 'data');
  const options = {
    ...{ bundle, persistDirectory, port: 0, secrets, logFile, databaseAddress },
    onRuntimeStart: (workerd: { pid: number }) => {
      workerdPid = workerd.pid;
    },
  };
  const { migratedFrom } = worker;
  if (migratedFrom !== undefined)
    await (await startControlPlane({ ...options, migrationsDirectory: migratedFrom })).stop();
  const migrationsDirectory = join(projectRoot, 'migrations');
  const controlPlane = await startControlPlane({ ...options, migrationsDirectory });
  const call = async (method: string, path: string, body?: unknown, token = apiKey) => {
    const reply = await fetch(controlPlane.url + path, {
      method,
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await reply.text();
    if (!reply.ok) throw new Error(`${method} ${path} answered ${reply.status}: ${text}`);
    return JSON.parse(text);
  };
  const operator = (method: string, path: string, body?: unknown) => call(method, path, body, operatorToken);
  const key = { name: 'bench', access: 'write', projects: 'all', expiresInDays: null };
  const apiKey: string = data?.apiKey ?? (await operator('POST', '/api/system/keys', key)).token;
  return {
    url: controlPlane.url,
    apiKey,
    workerdPid,
    persistDirectory,
    logFile,
    bundle,
    call,
    operator,
    runScheduled: controlPlane.runScheduled,
    async stop() {
      await controlPlane.stop();
      await rm(directory, { recursive: true, force: true });
    },
  };
}

/** Lines of the control plane's log that hold `text`. */
export async function logLines({ logFile }: BenchControlPlane, text: string): Promise<string[]> {
  const log = await readFile(logFile, 'utf8').catch(() => '');
  return log.split('\n').filter((line) => line.includes(text));
}
