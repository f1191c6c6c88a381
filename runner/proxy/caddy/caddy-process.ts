/** The Caddy process of this host: adopted or started with its config, and probed over its admin socket. */
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, rmSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';
import { replaceFile } from '../../base/replace-file.ts';
import {
  endProcess,
  findProcess,
  isAlive,
  logTail,
  openSockets,
  type ProcessPlan,
  type ProcessRecord,
  processorTicks,
  rememberProcess,
  startProcess,
} from '../owned-process.ts';
import { ProxyError } from '../proxy-error.ts';
import type { ProxyPaths } from '../proxy-paths.ts';
import type { Supervised } from '../supervise.ts';
import { anyAddresses, type TcpEntry, tcpTable } from '../tcp-table.ts';
import { caddyAnswers, loadConfig } from './caddy-admin.ts';
import { caddyConfig } from './caddy-config.ts';
import type { CaddyFacts } from './caddy-facts.ts';

type Facts = Omit<CaddyFacts, 'paths' | 'caddyVersion'>;

export interface CaddyProcess extends Supervised {
  /** Loads its config again, which empties its memory of certificates and closes all WebSockets. @throws Error */
  reload(): Promise<void>;
  end(): Promise<void>;
}

/** It takes a second; on a slow machine that boots, half a minute. */
const startTimeoutMs = 60_000;
const startPollMs = 20;
const endGraceMs = 2_000;
const occupiedPortWaitMs = 65_000;
const occupiedPortPollMs = 500;
const inUse = /address already in use/;
/** sockaddr_un.sun_path, unix(7), including its final zero byte. */
const socketPathLengthMax = 107;

/** Adopts the running Caddy of this data directory (and loads the config if it changed), or starts one. @throws ProxyError */
export async function ensureCaddy(caddyPath: string, paths: ProxyPaths, facts: Facts): Promise<CaddyProcess> {
  const version = await caddyVersion(caddyPath);
  const config = JSON.stringify(caddyConfig({ ...facts, paths, caddyVersion: version }), null, 1);
  const plan = caddyPlan(caddyPath, paths, config);
  const found = findProcess(plan);
  if (found && found.fingerprint !== plan.fingerprint) await reconfigure(plan, found, paths, facts, config);
  replaceFile(paths.caddyConfig, config);
  const start = () => startOncePortsAreFree(plan, paths, facts);
  const running = found && isAlive(found) ? found : await start();
  const reload = () => loadConfig(paths.adminSocket, config);
  const caddy = caddyProcess(plan, paths.adminSocket, running, { start, reload });
  if (!(await caddy.answers())) await caddy.replace();
  return caddy;
}

function caddyProcess(
  plan: ProcessPlan,
  adminSocket: string,
  first: ProcessRecord,
  { start, reload }: { start: () => Promise<ProcessRecord>; reload: () => Promise<void> },
): CaddyProcess {
  let record = { ...first, fingerprint: plan.fingerprint };
  rememberProcess(plan.recordFile, record);
  return {
    name: plan.name,
    reload,
    isAlive: () => isAlive(record),
    answers: () => caddyAnswers(adminSocket),
    async replace() {
      await endProcess(record, 0);
      record = await start();
    },
    end: () => endProcess(record, endGraceMs),
    probeIntervalMs: 2_000,
    missesMax: 2,
    used: () => processorTicks(record),
  };
}

/** Loads the new config into the running Caddy without a stop. If that fails, ends Caddy, so that it is started again. */
async function reconfigure(
  plan: ProcessPlan,
  found: ProcessRecord,
  paths: ProxyPaths,
  facts: Facts,
  config: string,
): Promise<void> {
  await refuseTakenPorts(facts, openSockets(found));
  try {
    await loadConfig(paths.adminSocket, config);
    rememberProcess(plan.recordFile, { ...found, fingerprint: plan.fingerprint });
  } catch {
    await endProcess(found, endGraceMs);
  }
}

/** If a port is in use but nobody listens on it, it is the local end of an outgoing connection; its TIME_WAIT ends after 60 s. */
async function startOncePortsAreFree(
  plan: ProcessPlan,
  paths: ProxyPaths,
  facts: Facts,
): Promise<ProcessRecord> {
  const endsAt = performance.now() + occupiedPortWaitMs;
  for (;;) {
    try {
      return await startCaddy(plan, paths, facts);
    } catch (error) {
      const isOccupied =
        error instanceof ProxyError && error.code === 'start_failed' && inUse.test(error.message);
      if (!isOccupied || performance.now() > endsAt) throw error;
      await pause(occupiedPortPollMs);
    }
  }
}

async function startCaddy(plan: ProcessPlan, paths: ProxyPaths, facts: Facts): Promise<ProcessRecord> {
  if (paths.adminSocket.length > socketPathLengthMax) {
    const sentence = `The data directory's path is too long for Caddy's socket (${paths.adminSocket}).`;
    throw new ProxyError('start_failed', sentence);
  }
  await refuseTakenPorts(facts, new Set());
  mkdirSync(paths.caddyStorage, { recursive: true, mode: 0o700 });
  // A killed Caddy leaves its socket behind, and the next one could not listen there.
  rmSync(paths.adminSocket, { force: true });
  const record = await startProcess(plan);
  const endsAt = performance.now() + startTimeoutMs;
  while (isAlive(record) && performance.now() < endsAt) {
    if (await caddyAnswers(paths.adminSocket)) return record;
    await pause(startPollMs);
  }
  await endProcess(record, 0);
  throw new ProxyError('start_failed', `Caddy did not start: ${logTail(plan.logFile, 1)}`);
}

/**
 * Caddy listens with SO_REUSEPORT: next to another Caddy it would start without an error and get half of the connections. So the
 * host's TCP table is checked first.
 * @param own sockets of the Caddy that is already running
 * @throws ProxyError `port_taken`
 */
async function refuseTakenPorts(facts: Facts, own: ReadonlySet<string>): Promise<void> {
  const { httpPort, httpsPort, webPorts } = facts;
  const conflicts = ({ state, localAddress, localPort, inode }: TcpEntry) => {
    if (state !== 'listen' || own.has(inode)) return false;
    if (localPort === httpPort || localPort === httpsPort) return true;
    const onLoopback = localAddress === '127.0.0.1' || anyAddresses.includes(localAddress);
    return onLoopback && localPort >= webPorts.first && localPort <= webPorts.last;
  };
  const taken = (await tcpTable()).find(conflicts);
  if (!taken) return;
  throw new ProxyError(
    'port_taken',
    `Port ${taken.localPort} is used by another program, but the proxy must listen there: stop that program or give the proxy another port.`,
  );
}

function caddyPlan(caddyPath: string, paths: ProxyPaths, config: string): ProcessPlan {
  const environment: Record<string, string> = {
    HOME: paths.caddyStorage,
    XDG_DATA_HOME: paths.caddyStorage,
    XDG_CONFIG_HOME: paths.caddyStorage,
  };
  // Which CAs Caddy trusts for an ACME server is a setting of the machine.
  for (const name of ['PATH', 'SSL_CERT_FILE', 'SSL_CERT_DIR', 'TZ']) {
    const value = process.env[name];
    if (value !== undefined) environment[name] = value;
  }
  return {
    name: 'Caddy',
    command: [caddyPath, 'run', '--config', paths.caddyConfig],
    environment,
    logFile: `${paths.caddyLog}.start`,
    recordFile: paths.caddyProcess,
    fingerprint: createHash('sha256').update(config).digest('hex').slice(0, 16),
  };
}

async function caddyVersion(caddyPath: string): Promise<string> {
  try {
    const { stdout } = await promisify(execFile)(caddyPath, ['version'], { timeout: startTimeoutMs });
    return stdout.trim();
  } catch (error) {
    throw new ProxyError('start_failed', `Caddy can't be run at ${caddyPath}: ${String(error)}`, {
      cause: error,
    });
  }
}
