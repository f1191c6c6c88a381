/** One runner of a test, enrolled with the real control plane over a connection that can be broken; it can be killed and started at any time. */
import { spawn } from 'node:child_process';
import { mkdtemp } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { runnerPaths } from '../../../protocol/enrolment.ts';
import { openJournal } from '../../../runner/journal/journal.ts';
import { runnerConfigSchema } from '../../../runner/setup/config.ts';
import { writeConfig } from '../../../runner/setup/config-file.ts';
import { ensureIdentity } from '../../../runner/setup/identity.ts';
import { until } from '../runner/until.ts';
import { type ChaosProxy, startChaosProxy } from '../servers/chaos-proxy.ts';
import { testFacts } from '../test-facts.ts';
import type { ChaosControlPlane } from './chaos-control-plane.ts';
import { SimulatedHost } from './simulated-host.ts';

export interface SimulatedRunner {
  runnerId: string;
  dataDirectory: string;
  proxy: ChaosProxy;
  host: SimulatedHost;
  /** The output of all its processes. */
  output(): string;
  /** How often it was welcomed. */
  connects(): number;
  /** The same runner with a copy of its data directory. */
  twin(copy: string): SimulatedRunner;
  isRunning(): boolean;
  /** @param env see run-simulated-runner.ts @param program the same file of another release */
  start(env?: Record<string, string>, program?: string): void;
  signal(name: NodeJS.Signals): void;
  /** Lets this many minutes pass for its timers. */
  minutes(count: number): Promise<void>;
  /** Resolves when the process has ended, with its exit code or signal. */
  kill(): Promise<number | string | undefined>;
  /** Resolves when the process has ended by itself. */
  ended(): Promise<number | string | undefined>;
  /** The open reports, chores and jobs in its journal. Call it only while no process uses the journal. */
  unfinished(): { reports: number; chores: number; jobs: number; logs: string[] };
  close(): Promise<void>;
}

const script = fileURLToPath(new URL('run-simulated-runner.ts', import.meta.url));
const ports = { webPorts: { first: 41_000, last: 41_999 }, databasePorts: { first: 45_000, last: 45_999 } };
const facts = { ...testFacts, dockerVersion: null, publicIp: null };

/** Enrolled but not started. @param directory parent of its data directory */
export async function simulatedRunner(
  plane: Pick<ChaosControlPlane, 'url' | 'call'>,
  directory: string,
  name: string,
): Promise<SimulatedRunner> {
  const dataDirectory = await mkdtemp(join(directory, `${name}-`));
  const proxy = await startChaosProxy(() => plane.url);
  const runnerId = await enrol(plane, dataDirectory, proxy.url, name);
  return runnerIn(dataDirectory, runnerId, proxy);
}

/** For a program that starts on a machine with twenty other busy programs. */
const startLimitMs = 120_000;

/** Enrolled, started and connected; its deployments succeed. @param options.env see run-simulated-runner.ts */
export async function startSimulatedRunner(
  plane: Pick<ChaosControlPlane, 'url' | 'call'>,
  directory: string,
  options: { speed: number; env: Record<string, string> },
): Promise<SimulatedRunner> {
  const runner = await simulatedRunner(plane, directory, 'host');
  runner.start({ TIMER_SPEED: String(options.speed), ALWAYS_SUCCEEDS: 'yes', ...options.env });
  await until('it is connected', () => runner.connects() > 0, startLimitMs);
  return runner;
}

function runnerIn(dataDirectory: string, runnerId: string, proxy: ChaosProxy): SimulatedRunner {
  const host = new SimulatedHost(dataDirectory);
  let output = '';
  let child: ReturnType<typeof spawn> | undefined;
  let ended: Promise<number | string | undefined> = Promise.resolve(undefined);
  const runner: SimulatedRunner = {
    ...{ runnerId, dataDirectory, proxy, host },
    output: () => output,
    connects: () => output.match(/(?<!not )connected to/g)?.length ?? 0,
    twin: (copy) => runnerIn(copy, runnerId, proxy),
    isRunning: () => child !== undefined,
    start(env = {}, program = script) {
      const started = spawn(process.execPath, [program, dataDirectory], {
        env: { ...process.env, ...env },
        stdio: ['pipe', 'pipe', 'pipe'],
      });
      child = started;
      for (const stream of [started.stdout, started.stderr]) {
        stream.on('data', (data) => {
          output += String(data);
        });
      }
      ended = new Promise((resolve) => {
        started.once('close', (code, signal) => {
          if (child === started) child = undefined;
          resolve(code ?? signal ?? undefined);
        });
      });
    },
    signal: (name) => void child?.kill(name),
    async minutes(count) {
      for (let minute = 0; minute < count; minute++) {
        const before = output.split('a minute has passed').length;
        child?.kill('SIGUSR1');
        await until('the minute', () => output.split('a minute has passed').length > before);
      }
    },
    kill() {
      child?.kill('SIGKILL');
      return ended;
    },
    ended: () => ended,
    unfinished() {
      const journal = openJournal(dataDirectory, 0);
      try {
        const [reports, jobs] = [journal.reports.all().length, journal.jobs.running().length];
        return { reports, jobs, chores: journal.chores.all().length, logs: journal.logs.waiting() };
      } finally {
        journal.close();
      }
    },
    async close() {
      await runner.kill();
      await proxy.close();
    },
  };
  return runner;
}

async function enrol(
  plane: Pick<ChaosControlPlane, 'url' | 'call'>,
  data: string,
  url: string,
  name: string,
): Promise<string> {
  const keys = ensureIdentity(data);
  const { identityKey, sealingKey } = keys;
  const made = await plane.call('POST', '/api/system/runners', {});
  const body = { token: made.body.token, name, identityKey, sealingKey, facts };
  const reply = await plane.call('POST', runnerPaths.enrol, body);
  const { runnerId } = z.object({ runnerId: z.string() }).parse(reply.body);
  const settings = {
    url,
    runnerId,
    name,
    httpPort: 80,
    httpsPort: 443,
    caddyPath: 'caddy',
    allowPrivate: [],
  };
  writeConfig(data, runnerConfigSchema.parse({ ...settings, ...ports }));
  return runnerId;
}
