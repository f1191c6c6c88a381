/**
 * The metrics of this host: every ten seconds it measures its containers and itself, and keeps the values in its own files. Values are only
 * sent on request.
 */
import { join } from 'node:path';
import type { HostRequestOf } from '../../protocol/host-request.ts';
import type { FiringAlert } from '../../protocol/metrics/alerts.ts';
import type { OwnRule } from '../../protocol/metrics/own-rules.ts';
import { keptMetrics, type ManyMetricsAnswer, type MetricsAnswer } from '../../protocol/metrics/series.ts';
import { type Clock, pause } from '../base/clock.ts';
import { type Logger, messageOf } from '../base/logger.ts';
import type { Traffic } from '../proxy/traffic.ts';
import { AlertStateFile, readAlertState } from './alert-state.ts';
import { AlertWatch } from './alert-watch.ts';
import { hostKey } from './columns.ts';
import { ContainerUsage, type ContainerUsageParts, type MeasuredContainer } from './container-usage.ts';
import { CounterRates } from './counter-rates.ts';
import { readHostUsage } from './host-usage.ts';
import { MetricStore } from './metric-store.ts';
import { RequestLog, type TakeRequest } from './request-log.ts';
import { type LatestMetrics, takeSamples } from './take-samples.ts';

export interface MetricsParts extends ContainerUsageParts {
  traffic: Pick<Traffic, 'all'>;
  disk: { usedBytes(containerId: string): number | undefined };
  /** The proxy's log of requests. */
  requestLog: string;
  /** Keeps the requests of services that request it; `flush` is called after those of a round. */
  accessLogs: { take: TakeRequest; flush(): void };
  dataDirectory: string;
  /** The port on 127.0.0.1 for Prometheus; `null` for none. */
  metricsPort: number | null;
  clock: Clock;
  logger: Pick<Logger, 'warn'>;
}

export interface HostMetrics {
  /** A container has started, ended or changed its name. */
  containersChanged(): void;
  answer(ask: HostRequestOf<'metrics'>): MetricsAnswer;
  answerMany(ask: HostRequestOf<'many-metrics'>): ManyMetricsAnswer;
  /** Calls `report` after each measurement; `undefined` if it is too soon after the start to know. */
  onAlerts(report: (firing: FiringAlert[] | undefined) => void): void;
  /** Sets all rules created by people that this host watches, and stores them for the next process. */
  setAlertRules(rules: OwnRule[]): void;
  /** `undefined` before the first measurement. */
  latest(): LatestMetrics | undefined;
  /** Resolves when the current measurement has ended. */
  stop(): Promise<void>;
}

const stepMs = keptMetrics.fine.stepSeconds * 1000;
/** The pause after the end of a step: a timer may fire a little too soon. */
const settleMs = 50;

/** Measures until `stop`. Never throws: if its files can't be written, it logs that and keeps only the last values. */
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
    answerMany: (ask) => rounds.answerMany(ask),
    onAlerts(report) {
      rounds.report = report;
    },
    setAlertRules: (rules) => rounds.setAlertRules(rules),
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
  readonly #alertFile: AlertStateFile;
  #rules: OwnRule[];
  #firing: FiringAlert[];
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
    const path = join(parts.dataDirectory, 'metrics', 'alerts.json');
    const state = readAlertState(path);
    this.#alertFile = new AlertStateFile(path, state);
    this.#alerts = new AlertWatch(parts.clock.now(), state.firing);
    this.#alerts.setRules(state.rules);
    this.#rules = state.rules;
    this.#firing = state.firing;
  }

  async run(signal: AbortSignal): Promise<void> {
    const { clock } = this.#parts;
    while (!signal.aborted) {
      // Measured at the end of each step by the clock, so that every step has exactly one measurement.
      await pause(clock, stepMs - (clock.now() % stepMs) + settleMs, signal);
      if (!signal.aborted) await this.#round();
    }
    this.#requests.close();
    this.#store?.close();
  }

  setAlertRules(rules: OwnRule[]): void {
    this.#alerts.setRules(rules);
    this.#rules = rules;
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

  answerMany({ serviceIds, ...wanted }: HostRequestOf<'many-metrics'>): ManyMetricsAnswer {
    const read = this.#store?.readMany(serviceIds, wanted, this.#parts.clock.now()) ?? [];
    const services = read.map(({ key, series }) => ({
      serviceId: key,
      values: series.map(({ average }) => average),
    }));
    return {
      from: wanted.from,
      stepSeconds: wanted.stepSeconds,
      services: services.filter(({ values }) => values.some((points) => points.some(Boolean))),
    };
  }

  async #round(): Promise<void> {
    const { clock, traffic, disk, accessLogs, dataDirectory } = this.#parts;
    try {
      const containers = await this.usage.measure(clock.now());
      const host = await readHostUsage(dataDirectory);
      const routes = traffic.all();
      const at = clock.now();
      const requests = this.#requests.count(routes, (route, request) => accessLogs.take(route, request));
      accessLogs.flush();
      const samples = takeSamples(
        {
          ...{ containers, host, requests },
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
      const firing = this.#alerts.take(this.latest);
      this.report(firing);
      this.#firing = firing ?? this.#firing;
      this.#alertFile.keep({ firing: this.#firing, rules: this.#rules });
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

/** The sum of a limit; `null` if one of the containers has no limit. */
function sumOf(containers: readonly MeasuredContainer[], limit: 'cpuLimit' | 'memoryLimit'): number | null {
  const limits = containers.map(({ usage }) => usage[limit] ?? null);
  if (limits.length === 0 || limits.includes(null)) return null;
  return limits.reduce<number>((sum, one) => sum + (one ?? 0), 0);
}

const nothing = (points: number) => ({
  average: new Array<null>(points).fill(null),
  maximum: new Array<null>(points).fill(null),
});
