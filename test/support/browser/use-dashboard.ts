/** The real control plane with its static files, a simulated host, and a browser, for tests of the dashboard. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect } from 'vitest';
import { type ControlPlane, startControlPlane } from '../../../local/control-plane/control-plane.ts';
import { ensureWorkerBundle } from '../../../local/worker-bundle/worker-bundle.ts';
import type { DeployPhase } from '../../../protocol/job-report.ts';
import type { FiringAlert } from '../../../protocol/metrics/alerts.ts';
import { type SimulatedRunner, startSimulatedRunner } from '../simulation/simulated-runner.ts';
import { sharedChromium } from './chromium.ts';
import { type Opened, type OpenOptions, openPage } from './open-page.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers of an API under test; each test asserts what it reads
type Json = any;

export interface UsedDashboard {
  url: string;
  /** A write key for all projects. */
  key: string;
  /** Calls the API; the call must succeed. @returns the body */
  ask(method: string, path: string, body?: unknown): Promise<Json>;
  /** The same as the operator. */
  operate(method: string, path: string, body?: unknown): Promise<Json>;
  /** Deploys the service and waits for the end. @returns the deployment */
  deploy(serviceId: string): Promise<Json>;
  /** A new browser profile on the page, signed in unless told otherwise. Fails the test if the page reports an error or leaves its origin. */
  open(path: string, options?: OpenOptions): Promise<Opened>;
  /** Stops the host of all services. */
  killHost(): Promise<void>;
  /** Starts the host again, with its data on disk. */
  startHost(): void;
  /** Keeps deployments in this phase. @returns releases them */
  hold(phase: DeployPhase): () => void;
  /** Lets a service print lines, which its host keeps. @param at epoch milliseconds */
  print(serviceId: string, lines: readonly string[], at?: number): void;
  /** The next deployments have a commit with this message. */
  commit(message: string): void;
  /** Builds fail from now on unless the service has this variable. */
  require(key: string): void;
  /** Sets the alerts that the host reports from now on. */
  alert(firing: readonly FiringAlert[]): void;
}

const projectRoot = fileURLToPath(new URL('../../..', import.meta.url));
/** The operator token of the instance under test. */
export const operatorToken = 'test-operator-token-0123456789abcdef';
const secrets = {
  OPERATOR_TOKEN: operatorToken,
  ENCRYPTION_KEY: 'dGVzdC1lbmNyeXB0aW9uLWtleS0wMTIzNDU2Nzg5YWI',
};
/** The first start builds the Worker and may unpack Chromium. */
const startTimeoutMs = 300_000;
const deployTimeoutSeconds = 60;

/**
 * @param buildLog writes the output of each build
 * @param phaseMs the longest pause in a phase of a deployment
 * @param more environment of the simulated host
 * @returns filled before the first test
 */
export function useDashboard(
  buildLog: (directory: string) => Promise<string>,
  phaseMs = 100,
  more: Readonly<Record<string, string>> = {},
): UsedDashboard {
  const used = {} as UsedDashboard;
  let plane: ControlPlane | undefined;
  let host: SimulatedRunner | undefined;
  let directory = '';
  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'longshore-dashboard-'));
    const cache = join(projectRoot, 'node_modules/.cache/longshore');
    const [bundle, started] = await Promise.all([
      ensureWorkerBundle({ projectRoot, cache }),
      sharedChromium(),
    ]);
    plane = await startControlPlane({
      bundle,
      migrationsDirectory: join(projectRoot, 'migrations'),
      persistDirectory: directory,
      port: 0,
      secrets,
      logFile: join(directory, 'control-plane.log'),
    });
    Object.assign(used, calls(plane.url), { killHost: async () => void (await host?.kill()) });
    used.hold = (phase) => {
      host?.host.hold(phase);
      return () => host?.host.letGo();
    };
    used.alert = (firing) => host?.host.alert(firing);
    used.require = (key) => host?.host.require(key);
    used.commit = (message) => host?.host.commit(message);
    used.print = (serviceId, lines, at) => host?.host.print(serviceId, lines, at);
    const newKey = { name: 'tests', access: 'write', projects: 'all', expiresInDays: null };
    used.key = (await used.operate('POST', '/api/system/keys', newKey)).token;
    used.open = (path, options = {}) => openPage(used, started, path, options);
    const env = { BUILD_LOG: await buildLog(directory), PHASE_MS: String(phaseMs), ...more };
    host = await startSimulatedRunner(rawCalls(used), directory, { speed: 1, env });
    used.startHost = () => host?.start({ TIMER_SPEED: '1', ALWAYS_SUCCEEDS: 'yes', ...env });
  }, startTimeoutMs);
  afterAll(async () => {
    for (const context of (await sharedChromium()).contexts()) await context.close();
    await host?.close();
    await plane?.stop();
    if (directory) await rm(directory, { recursive: true, force: true });
  });
  return used;

  function calls(url: string) {
    const send = async (token: string, method: string, path: string, body?: unknown) => {
      const reply = await fetch(`${url}${path}`, {
        method,
        headers: { authorization: `Bearer ${token}` },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      const answer = (await reply.json()) as Json;
      expect(reply.status, `${method} ${path}: ${JSON.stringify(answer)}`).toBe(200);
      return answer;
    };
    return {
      url,
      ask: (method: string, path: string, body?: unknown) => send(used.key, method, path, body),
      operate: (method: string, path: string, body?: unknown) =>
        send(secrets.OPERATOR_TOKEN, method, path, body),
      async deploy(serviceId: string) {
        const { deployment } = await used.ask('POST', `/api/services/${serviceId}/deployments`);
        const path = `/api/deployments/${deployment.id}?wait=${deployTimeoutSeconds}`;
        return (await used.ask('GET', path)).deployment;
      },
    };
  }
}

/** The calls in the form that the simulated host needs. */
const rawCalls = ({ url }: UsedDashboard) => ({
  url,
  async call(method: string, path: string, body?: unknown) {
    const reply = await fetch(`${url}${path}`, {
      method,
      headers: { authorization: `Bearer ${secrets.OPERATOR_TOKEN}` },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    return { status: reply.status, body: (await reply.json()) as Json };
  },
});
