/** The Caddy process of this host: adopted or started with its config, and probed over its admin socket. */
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, rmSync } from 'node:fs';
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
import { tcpTable } from '../tcp-table.ts';
import { caddyAnswers, loadConfig } from './caddy-admin.ts';
import { caddyConfig } from './caddy-config.ts';
import type { CaddyFacts } from './caddy-facts.ts';
import { foreignPorts, isIn } from './foreign-ports.ts';

type Facts = Omit<CaddyFacts, 'paths' | 'caddyVersion' | 'foreignPorts'>;

export interface CaddyProcess extends Supervised {
  /** Ports of the block that another program uses, so that Caddy does not listen there. */
  foreignPorts(): readonly number[];
  /**
   * Listens on ports again that have become free.
   * @param needed only these ports, because listening closes all WebSockets
   * @throws Error
   */
  takeBack(needed: readonly number[]): Promise<void>;
  /** Writes its config again if another program has changed the file. @returns the path if it has */
  repair(): string[];
  /** Loads its config again, which empties its memory of certificates and closes all WebSockets. @throws Error */
  reload(): Promise<void>;
  end(): Promise<void>;
}

/** Caddy's settings while other programs use these ports. */
interface Setup {
  plan: ProcessPlan;
  config: string;
  foreignPorts: readonly number[];
}

/** A start takes a second; on a slow machine that boots, half a minute. */
const startTimeoutMs = 60_000;
const startPollMs = 20;
const endGraceMs = 2_000;
const occupiedPortWaitMs = 65_000;
const occupiedPortPollMs = 500;
const inUse = /:(\d+): bind: address already in use/;
/** sockaddr_un.sun_path, unix(7), including its final zero byte. */
const socketPathLengthMax = 107;

/** Adopts the running Caddy of this data directory (and loads the config if it changed), or starts one. @throws ProxyError */
export async function ensureCaddy(caddyPath: string, paths: ProxyPaths, facts: Facts): Promise<CaddyProcess> {
  const version = await caddyVersion(caddyPath);
  const setupWith = (ports: readonly number[]): Setup => {
    const all = { ...facts, paths, foreignPorts: ports, caddyVersion: version };
    const config = JSON.stringify(caddyConfig(all), null, 1);
    return { plan: caddyPlan(caddyPath, paths, config), config, foreignPorts: ports };
  };
  const found = findProcess(setupWith([]).plan);
  const start = () => startOncePortsAreFree(setupWith, paths, facts);
  // A running Caddy already listens: it continues beside a program that has one of its ports on another address.
  const own = found && isAlive(found) ? openSockets(found) : new Set<string>();
  let setup = setupWith(await foreignPorts(facts.webPorts, own));
  let record = found;
  if (found && found.fingerprint !== setup.plan.fingerprint) await reconfigure(setup, found, paths);
  if (!record || !isAlive(record)) ({ record, setup } = await start());
  let running: ProcessRecord = record;
  const remember = () => {
    running = { ...running, fingerprint: setup.plan.fingerprint };
    rememberProcess(setup.plan.recordFile, running);
    repair();
  };
  const repair = () => {
    if (hasText(paths.caddyConfig, setup.config)) return [];
    replaceFile(paths.caddyConfig, setup.config);
    return [paths.caddyConfig];
  };
  remember();
  const caddy: CaddyProcess = {
    name: setup.plan.name,
    foreignPorts: () => setup.foreignPorts,
    async takeBack(needed) {
      const left = await foreignPorts(facts.webPorts, openSockets(running));
      if (!needed.some((port) => setup.foreignPorts.includes(port) && !left.includes(port))) return;
      const next = setupWith(left);
      await loadConfig(paths.adminSocket, next.config);
      setup = next;
      remember();
    },
    repair,
    reload: () => loadConfig(paths.adminSocket, setup.config),
    isAlive: () => isAlive(running),
    answers: () => caddyAnswers(paths.adminSocket),
    async replace() {
      await endProcess(running, 0);
      ({ record: running, setup } = await start());
      remember();
    },
    end: () => endProcess(running, endGraceMs),
    probeIntervalMs: 2_000,
    missesMax: 2,
    used: () => processorTicks(running),
  };
  if (!(await caddy.answers())) await caddy.replace();
  return caddy;
}

/** Loads the new config into the running Caddy without a stop. If that fails, ends Caddy, so that it is started again. */
async function reconfigure({ plan, config }: Setup, found: ProcessRecord, paths: ProxyPaths): Promise<void> {
  try {
    await loadConfig(paths.adminSocket, config);
    rememberProcess(plan.recordFile, { ...found, fingerprint: plan.fingerprint });
  } catch {
    await endProcess(found, endGraceMs);
  }
}

/**
 * If a port is in use but no program listens on it, it is the local end of an outgoing connection. Such ports of the block are left out;
 * the others are waited for: TIME_WAIT ends after 60 s.
 */
async function startOncePortsAreFree(
  setupWith: (ports: readonly number[]) => Setup,
  paths: ProxyPaths,
  facts: Facts,
): Promise<{ record: ProcessRecord; setup: Setup }> {
  const endsAt = performance.now() + occupiedPortWaitMs;
  const occupied = new Set<number>();
  for (;;) {
    await refuseTakenPorts(facts);
    const foreign = await foreignPorts(facts.webPorts, new Set());
    const setup = setupWith([...new Set([...foreign, ...occupied])].sort((a, b) => a - b));
    try {
      return { record: await startCaddy(setup, paths), setup };
    } catch (error) {
      const isStart = error instanceof ProxyError && error.code === 'start_failed';
      const [, port] = (isStart && inUse.exec(error.message)) || [];
      if (port === undefined || performance.now() > endsAt) throw error;
      if (isIn(facts.webPorts, Number(port)) && !occupied.has(Number(port))) occupied.add(Number(port));
      else await pause(occupiedPortPollMs);
    }
  }
}

async function startCaddy({ plan, config }: Setup, paths: ProxyPaths): Promise<ProcessRecord> {
  if (paths.adminSocket.length > socketPathLengthMax) {
    const sentence = `The data directory's path is too long for Caddy's socket (${paths.adminSocket}).`;
    throw new ProxyError('start_failed', sentence);
  }
  // An equal text is not written again, which could fail on a full disk.
  if (!hasText(paths.caddyConfig, config)) replaceFile(paths.caddyConfig, config);
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

function hasText(path: string, text: string): boolean {
  try {
    return readFileSync(path, 'utf8') === text;
  } catch {
    return false;
  }
}

/**
 * Caddy listens with SO_REUSEPORT: next to another Caddy it would start without an error and get half of the connections. So the host's TCP
 * table is checked first.
 * @throws ProxyError `port_taken` for the ports of all apps; a port of the block affects only one service
 */
async function refuseTakenPorts({ httpPort, httpsPort }: Facts): Promise<void> {
  const taken = (await tcpTable()).find(
    ({ state, localPort }) => state === 'listen' && (localPort === httpPort || localPort === httpsPort),
  );
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
  // The CAs that Caddy trusts for an ACME server are a setting of the machine.
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
