/**
 * The metrics of this host: every ten seconds it measures its containers and itself, and keeps the values in files of its own. Nothing is
 * sent anywhere until somebody asks.
 */
import { join } from 'node:path';
import type { HostRequestOf } from '../../protocol/host-request.ts';
import type { FiringAlert } from '../../protocol/metrics/alerts.ts';
import { keptMetrics, type MetricsAnswer } from '../../protocol/metrics/series.ts';
import { type Clock, pause } from '../base/clock.ts';
import { type Logger, messageOf } from '../base/logger.ts';
import type { Traffic } from '../proxy/traffic.ts';
import { AlertWatch } from './alert-watch.ts';
import { hostKey } from './columns.ts';
import { ContainerUsage, type ContainerUsageParts, type MeasuredContainer } from './container-usage.ts';
import { CounterRates } from './counter-rates.ts';
import { readHostUsage } from './host-usage.ts';
import { MetricStore } from './metric-store.ts';
import { RequestLog } from './request-log.ts';
import { type LatestMetrics, takeSamples } from './take-samples.ts';

export interface MetricsParts extends ContainerUsageParts {
  traffic: Pick<Traffic, 'all'>;
  disk: { usedBytes(containerId: string): number | undefined };
  /** The proxy's log of requests. */
  requestLog: string;
  dataDirectory: string;
  /** On 127.0.0.1, for Prometheus; null: none. */
  metricsPort: number | null;
  clock: Clock;
  logger: Pick<Logger, 'warn'>;
}

export interface HostMetrics {
  /** A container has started, ended or changed its name. */
  containersChanged(): void;
  answer(ask: HostRequestOf<'metrics'>): MetricsAnswer;
  /** Calls `report` after each measurement; undefined: it is too soon after the start to tell. */
  onAlerts(report: (firing: FiringAlert[] | undefined) => void): void;
  /** Undefined before the first measurement. */
  latest(): LatestMetrics | undefined;
  /** Resolves when a measurement that runs has ended. */
  stop(): Promise<void>;
}

const stepMs = keptMetrics.fine.stepSeconds * 1000;
/** After the end of a step: a timer may fire a little too soon. */
const settleMs = 50;

/** Measures until `stop`. Never throws: without a disk for its files it says so and keeps only the last values. */
export function startMetrics(parts: MetricsParts): HostMetrics {
  const stopping = new AbortController();
  const rounds = new Rounds(parts);
  const running = rounds.run(stopping.signal);
  const { metricsPort, logger } = parts;
  const serve = async (port: number) => {
    // Loaded on demand, as few hosts need it.
    const { servePrometheus } = await import('./prometheus.ts');
    return servePrometheus(
      port,
      () => rounds.latest,
      (sentence) => logger.warn(sentence),
    );
  };
  const server = metricsPort === null ? undefined : serve(metricsPort);
  return {
    containersChanged: () => rounds.usage.changed(),
    answer: (ask) => rounds.answer(ask),
    onAlerts(report) {
      rounds.report = report;
    },
    latest: () => rounds.latest,
    async stop() {
      stopping.abort();
      (await server)?.close();
      await running;
    },
  };
}

class Rounds {
  readonly usage: ContainerUsage;
  latest: LatestMetrics | undefined;
  report: (firing: FiringAlert[] | undefined) => void = () => {};
  readonly #alerts: AlertWatch;
  readonly #parts: MetricsParts;
  readonly #rates = new CounterRates();
  readonly #requests: RequestLog;
  #store: MetricStore | undefined;
  #failure = '';
  #countedAt: number;

  constructor(parts: MetricsParts) {
    this.#parts = parts;
    this.usage = new ContainerUsage(parts, parts.clock.now());
    this.#requests = new RequestLog(parts.requestLog);
    this.#countedAt = parts.clock.now();
    this.#alerts = new AlertWatch(parts.clock.now());
  }

  async run(signal: AbortSignal): Promise<void> {
    const { clock } = this.#parts;
    while (!signal.aborted) {
      // At the end of each step by the clock, so that every step has exactly one measurement.
      await pause(clock, stepMs - (clock.now() % stepMs) + settleMs, signal);
      if (!signal.aborted) await this.#round();
    }
    this.#requests.close();
    this.#store?.close();
  }

  answer({ serviceId, ...wanted }: HostRequestOf<'metrics'>): MetricsAnswer {
    const key = serviceId ?? hostKey;
    const stored = this.#store?.read(key, wanted, this.#parts.clock.now());
    const { from, stepSeconds, points, series } = wanted;
    const empty = () => series.map((name) => ({ name, ...nothing(points) }));
    return {
      from,
      stepSeconds,
      lastAt: stored?.lastAt ?? null,
      limits: this.#limits(serviceId),
      series: stored?.series ?? empty(),
    };
  }

  async #round(): Promise<void> {
    const { clock, traffic, disk, dataDirectory } = this.#parts;
    try {
      const containers = await this.usage.measure(clock.now());
      const host = await readHostUsage(dataDirectory);
      const routes = traffic.all();
      const at = clock.now();
      const samples = takeSamples(
        {
          ...{ containers, host, requests: this.#requests.count(routes) },
          diskUsed: (id) => disk.usedBytes(id),
          routed: new Set(
            routes.flatMap(({ serviceId, target }) => (target.type === 'stopped' ? [] : serviceId)),
          ),
        },
        this.#rates,
        { at, since: this.#countedAt },
      );
      this.#countedAt = at;
      this.latest = { at, samples, containers, host };
      this.report(this.#alerts.take(this.latest));
      this.#store ??= new MetricStore(join(dataDirectory, 'metrics'));
      // Measured at the end of its step.
      this.#store.record(at - stepMs, samples);
      this.#failure = '';
    } catch (error) {
      const failure = messageOf(error);
      if (failure !== this.#failure) this.#parts.logger.warn(`metrics can't be kept: ${failure}`);
      this.#failure = failure;
    }
  }

  #limits(serviceId: string | null): MetricsAnswer['limits'] {
    const { host, containers = [] } = this.latest ?? {};
    if (serviceId === null)
      return {
        cpu: host?.cpuLimit ?? null,
        memory: host?.memoryLimit ?? null,
        disk: host?.diskLimit ?? null,
      };
    const own = containers.filter((one) => one.serviceId === serviceId);
    return { cpu: sumOf(own, 'cpuLimit'), memory: sumOf(own, 'memoryLimit'), disk: null };
  }
}

/** Null if one of them has no limit. */
function sumOf(containers: readonly MeasuredContainer[], limit: 'cpuLimit' | 'memoryLimit'): number | null {
  const limits = containers.map(({ usage }) => usage[limit] ?? null);
  if (limits.length === 0 || limits.includes(null)) return null;
  return limits.reduce<number>((sum, one) => sum + (one ?? 0), 0);
}

const nothing = (points: number) => ({
  average: new Array<null>(points).fill(null),
  maximum: new Array<null>(points).fill(null),
});
