/** The `edge` process of this host: adopted or started, notified of new states, and probed. */
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { bundled } from '../base/bundled.ts';
import { askVersion } from './edge-version.ts';
import type { EdgeLink } from './local-traffic.ts';
import { keptPort, pickPort } from './loopback-port.ts';
import {
  endProcess,
  findProcess,
  isAlive,
  logTail,
  type ProcessPlan,
  type ProcessRecord,
  processorTicks,
  rememberProcess,
  signalProcess,
  startProcess,
} from './owned-process.ts';
import { ProxyError } from './proxy-error.ts';
import type { ProxyPaths } from './proxy-paths.ts';
import { askedAgainIfStalled } from './stalled.ts';
import type { Supervised } from './supervise.ts';

export interface EdgeProcess extends EdgeLink, Supervised {
  /** The port on 127.0.0.1. */
  readonly port: number;
  /** True if it was already running; if the proxy's start then fails, it keeps running. */
  readonly adopted: boolean;
  end(): Promise<void>;
}

/**
 * An answer from memory takes a millisecond; a process that needs longer than this is stuck. On a busy machine it waits for a processor, and
 * a new process would wait even longer. Caddy holds requests for 5 s: the rest of that time is for the start.
 */
const silentMs = 2_000;
const startTimeoutMs = 30_000;
const startPollMs = 20;
const endGraceMs = 1_000;
const inUse = /EADDRINUSE/;

const sourcesInRepository = [
  '../edge.ts',
  '../base/node-http.ts',
  '../../protocol/traffic/redirects.ts',
  '../../protocol/traffic/traffic-limits.ts',
  './edge/certificate-permission.ts',
  './edge/dns-answer.ts',
  './edge/edge-answers.ts',
  './edge/edge-http.ts',
  './edge/edge-state.ts',
  './edge/fields.ts',
  './edge/held-requests.ts',
  './edge/own-answer.ts',
  './edge/rules/addresses.ts',
  './edge/rules/decide.ts',
  './edge/rules/header-places.ts',
  './edge/rules/parse-rules.ts',
  './edge/rules/passwords.ts',
  './edge/rules/rules-listener.ts',
  './edge/wakes.ts',
  './route-names.ts',
  './visitor-page.ts',
];
/** All source files of edge; if one has changed, a running edge is outdated. */
const sources = (bundled ? ['./edge.mjs'] : sourcesInRepository).map((path) =>
  fileURLToPath(new URL(path, import.meta.url)),
);

/**
 * Adopts the running edge of this data directory, or starts one.
 * @param certificates directory of the ACME CA's certificates; `undefined` without such a CA
 * @throws ProxyError `start_failed`
 */
export async function ensureEdge(paths: ProxyPaths, certificates?: string): Promise<EdgeProcess> {
  const port = keptPort(paths.edgePort) ?? (await pickPort(paths.edgePort));
  const planAt = (at: number) => edgePlan(paths, at, certificates);
  const plan = planAt(port);
  const found = findProcess(plan);
  if (found?.fingerprint !== plan.fingerprint) {
    // The source is outdated, or the start was never recorded. Caddy holds requests while edge restarts.
    if (found) await endProcess(found, endGraceMs);
    return await startedEdge(paths, planAt, port);
  }
  const edge = edgeProcess(paths, plan, port, found, true);
  if (!(await edge.answers())) await edge.replace();
  return edge;
}

/**
 * Starts edge on its old port, to which a running Caddy sends questions, or on another one if another program took it.
 */
async function startedEdge(
  paths: ProxyPaths,
  planAt: (port: number) => ProcessPlan,
  port: number,
): Promise<EdgeProcess> {
  const plan = planAt(port);
  try {
    return edgeProcess(paths, plan, port, await startEdge(paths, plan), false);
  } catch (error) {
    if (!(error instanceof ProxyError && inUse.test(error.message))) throw error;
    const other = await pickPort(paths.edgePort);
    const planThere = planAt(other);
    return edgeProcess(paths, planThere, other, await startEdge(paths, planThere), false);
  }
}

function edgeProcess(
  paths: ProxyPaths,
  plan: ProcessPlan,
  port: number,
  first: ProcessRecord,
  adopted: boolean,
): EdgeProcess {
  let record = first;
  // A new process has no signal handler at first, and SIGHUP would end it. It reads the newest state anyway.
  let listening = true;
  rememberProcess(plan.recordFile, record);
  const version = () => stateVersion(paths.dnsSocket);
  return {
    name: plan.name,
    port,
    adopted,
    version,
    reload() {
      if (listening) signalProcess(record, 'SIGHUP');
    },
    isAlive: () => isAlive(record),
    answers: async () => (await version()) !== undefined,
    async replace() {
      listening = false;
      await endProcess(record, 0);
      record = await startEdge(paths, plan);
      listening = true;
    },
    end: () => endProcess(record, endGraceMs),
    probeIntervalMs: 1_000,
    missesMax: 1,
    used: () => processorTicks(record),
  };
}

function edgePlan(paths: ProxyPaths, port: number, certificates: string | undefined): ProcessPlan {
  const fingerprint = createHash('sha256');
  for (const source of sources) fingerprint.update(readFileSync(source));
  const digest = fingerprint
    .update(process.version + (certificates ?? ''))
    .digest('hex')
    .slice(0, 16);
  const [entry = ''] = sources;
  const flags = ['--state', paths.edgeState, '--http-port', String(port)];
  flags.push('--dns-socket', paths.dnsSocket, '--rules-socket', paths.rulesSocket, '--wakes', paths.wakes);
  if (certificates !== undefined) flags.push('--certificates', certificates);
  return {
    name: 'edge',
    // A small young generation: edge creates only short-lived garbage.
    command: [process.execPath, '--max-semi-space-size=1', entry, ...flags],
    environment: { NODE_COMPILE_CACHE: join(paths.edgeCache, digest) },
    logFile: paths.edgeLog,
    recordFile: paths.edgeProcess,
    fingerprint: digest,
  };
}

async function startEdge(paths: ProxyPaths, plan: ProcessPlan): Promise<ProcessRecord> {
  await fillCompileCache(plan);
  const record = await startProcess(plan);
  const endsAt = performance.now() + startTimeoutMs;
  while (isAlive(record) && performance.now() < endsAt) {
    if ((await stateVersion(paths.dnsSocket)) !== undefined) return record;
    await pause(startPollMs);
  }
  await endProcess(record, 0);
  throw new ProxyError('start_failed', `edge did not start: ${logTail(plan.logFile, 1)}`);
}

/**
 * Runs edge once without arguments: it exits at once and leaves its type-stripped source in Node's compile cache. An edge that strips
 * its own types keeps the stripper in memory for its whole life (16 MB).
 */
async function fillCompileCache(plan: ProcessPlan): Promise<void> {
  const [program, flag = '', entry = ''] = plan.command;
  if (existsSync(plan.environment.NODE_COMPILE_CACHE ?? '')) return;
  const once = promisify(execFile)(program, [flag, entry], {
    env: plan.environment,
    timeout: startTimeoutMs,
  });
  // The command exits with its usage line and code 2. A failure here only costs memory.
  await once.catch(() => undefined);
}

const stateVersion = (dnsSocket: string): Promise<number | undefined> =>
  askedAgainIfStalled(() => askVersion(dnsSocket, silentMs), silentMs);
