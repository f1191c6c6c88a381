/**
 * A host without Docker, on disk, so that it outlives the runner's process like containers: one file per container
 * (`containers/<deployment>`: its service), one per route (`routes/<service>`: the live deployment).
 */
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, watch, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { DeployPhase } from '../../../protocol/job-report.ts';
import { isAccessLog } from '../../../protocol/logs/kept-logs.ts';
import type { FiringAlert } from '../../../protocol/metrics/alerts.ts';
import { systemClock } from '../../../runner/base/clock.ts';
import { createLogger } from '../../../runner/base/logger.ts';
import { KeptLogs } from '../../../runner/kept-logs/kept-logs.ts';

export class SimulatedHost {
  readonly #containers: string;
  readonly #routes: string;
  readonly #hold: string;
  readonly #alerts: string;
  readonly #logs: string;
  readonly #commit: string;
  readonly #required: string;

  constructor(dataDirectory: string) {
    this.#containers = join(dataDirectory, 'host/containers');
    this.#routes = join(dataDirectory, 'host/routes');
    this.#hold = join(dataDirectory, 'host/hold');
    this.#alerts = join(dataDirectory, 'host/alerts');
    this.#logs = join(dataDirectory, 'host/logs');
    this.#commit = join(dataDirectory, 'host/commit');
    this.#required = join(dataDirectory, 'host/required');
    for (const directory of [this.#containers, this.#routes]) mkdirSync(directory, { recursive: true });
  }

  /** Service by deployment. */
  containers(): Map<string, string> {
    return read(this.#containers);
  }

  /** Deployment by service. */
  routes(): Map<string, string> {
    return read(this.#routes);
  }

  addContainer(deploymentId: string, serviceId: string): void {
    write(join(this.#containers, deploymentId), serviceId);
  }

  removeContainer(deploymentId: string): void {
    rmSync(join(this.#containers, deploymentId), { force: true });
  }

  switchTo(serviceId: string, deploymentId: string): void {
    write(join(this.#routes, serviceId), deploymentId);
  }

  /** Keeps jobs in this phase until they are released. */
  hold(phase: DeployPhase): void {
    write(this.#hold, phase);
  }

  letGo(): void {
    rmSync(this.#hold, { force: true });
  }

  isHeld(phase: DeployPhase): boolean {
    return textOf(this.#hold) === phase;
  }

  /** Sets the open alerts. */
  alert(firing: readonly FiringAlert[]): void {
    write(this.#alerts, JSON.stringify(firing));
  }

  /** Calls `report` with the open alerts, at once and whenever they change. */
  watchAlerts(report: (firing: FiringAlert[]) => void): void {
    let known = '[]';
    const look = () => {
      const text = textOf(this.#alerts) ?? known;
      if (text !== known) report(JSON.parse(text));
      known = text;
    };
    look();
    watch(dirname(this.#alerts), look).unref();
  }

  /** The output of the services: a test may write it while the runner reads it. */
  keptLogs(): KeptLogs {
    return new KeptLogs({
      directory: this.#logs,
      limits: { serviceBytes: 100e6, totalBytes: 1e9, ageMs: 30 * 86_400_000 },
      ...{ clock: systemClock, logger: createLogger() },
      readSpace: () => ({ freeBytes: 1e12, totalBytes: 1e12 }),
    });
  }

  /** The next deployments fetch a commit with this message. */
  commit(message: string): void {
    write(this.#commit, message);
  }

  /** Undefined: deployments have no commit message. */
  commitMessage(): string | undefined {
    return textOf(this.#commit);
  }

  /** Builds fail from now on unless the service has this variable. */
  require(key: string): void {
    write(this.#required, key);
  }

  /** Undefined: builds need no variable. */
  requiredVariable(): string | undefined {
    return textOf(this.#required);
  }

  /** @param serviceId or the log of its requests @param at epoch milliseconds */
  print(serviceId: string, lines: readonly string[], at = Date.now()): void {
    const container = { id: `c-${serviceId}`, deploymentId: 'dep_0123456789abcdef' };
    const entries = lines.map((text, n) => ({
      at: at * 1_000 + n,
      stream: isAccessLog(serviceId) ? ('access' as const) : ('stdout' as const),
      text,
      container,
    }));
    this.keptLogs().append(serviceId, entries);
  }

  removeService(serviceId: string): void {
    rmSync(join(this.#routes, serviceId), { force: true });
    for (const [deployment, service] of this.containers()) {
      if (service === serviceId) this.removeContainer(deployment);
    }
  }
}

function read(directory: string): Map<string, string> {
  const names = readdirSync(directory).filter((name) => !name.endsWith('.new'));
  return new Map(
    names.flatMap((name) => {
      const text = textOf(join(directory, name));
      return text === undefined ? [] : [[name, text] as const];
    }),
  );
}

/** Undefined if there is no such file: another process may remove it at any moment. */
function textOf(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  }
}

function write(path: string, text: string): void {
  writeFileSync(`${path}.new`, text);
  renameSync(`${path}.new`, path);
}
