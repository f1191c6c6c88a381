/** A host with containers whose output the test decides; it keeps their logs in a directory. */
import type { AppContainer, AppContainerState } from '../../../runner/docker/apps/app-containers.ts';
import type { Exit } from '../../../runner/docker/events.ts';
import type { LogRange } from '../../../runner/docker/follow-log.ts';
import type { LoggedLine } from '../../../runner/docker/logs/log-parser.ts';
import { KeptLogs, type KeptLogsParts } from '../../../runner/kept-logs/kept-logs.ts';
import { LogKeeper } from '../../../runner/kept-logs/log-keeper.ts';
import { LogSearches } from '../../../runner/kept-logs/search/log-searches.ts';
import { type ManualClock, manualClock } from './manual-clock.ts';
import { silentLogger } from './silent-logger.ts';

interface Printing {
  of: AppContainer;
  state: AppContainerState;
  lines: LoggedLine[];
  more: PromiseWithResolvers<void>;
}

export const serviceId = 'svc_0000000000000000';

export class KeptHost {
  readonly clock: ManualClock;
  readonly containers = new Map<string, Printing>();
  readonly exits: (Exit & { id: string })[] = [];
  /** Containers whose log Docker can't read. */
  readonly damaged = new Set<string>();
  failedReads = 0;
  readonly #parts: KeptLogsParts;
  logs: KeptLogs;
  keeper: LogKeeper;

  constructor(directory: string, parts: Partial<KeptLogsParts> = {}) {
    this.clock = manualClock();
    this.#parts = {
      directory,
      limits: { serviceBytes: 1e9, totalBytes: 1e9, ageMs: 30 * 86_400_000 },
      clock: this.clock,
      logger: silentLogger,
      readSpace: () => ({ freeBytes: 1e12, totalBytes: 1e12 }),
      ...parts,
    };
    this.logs = new KeptLogs(this.#parts);
    this.keeper = this.#newKeeper();
  }

  /** A new process on the same files, as after a kill: data that the old process had not written is lost. */
  kill(): void {
    const { clock } = this;
    const waiting = this.keeper;
    // The old process must not write any more.
    Object.assign(this.logs, { append: () => undefined, tidy: async () => undefined });
    waiting.stop();
    this.logs = new KeptLogs({ ...this.#parts, clock });
    this.keeper = this.#newKeeper();
  }

  run(id: string, fields: Partial<AppContainer & AppContainerState> = {}): void {
    this.containers.set(id, {
      of: { id, serviceId, deploymentId: `dep_${id}`, isRunning: true, ...fields },
      state: {
        ...{ isRunning: true, isRestarting: false, endedAt: 0, exitCode: 0 },
        ...{ memoryLimitMb: 64, secrets: [], startedAt: this.clock.now() * 1000, ...fields },
      },
      lines: [],
      more: Promise.withResolvers(),
    });
    this.keeper.changed();
  }

  /** @param at microseconds; now, by default */
  print(
    id: string,
    texts: readonly string[],
    at = this.clock.now() * 1000,
    stream: LoggedLine['stream'] = 'stdout',
  ) {
    const container = this.#container(id);
    for (const text of texts) container.lines.push({ at, stream, text, cut: false });
    this.#wake(container);
  }

  /** The container ends; Docker does not start it again. */
  end(id: string, exitCode: number): void {
    const container = this.#container(id);
    Object.assign(container.state, { isRunning: false, endedAt: this.clock.now() * 1000, exitCode });
    container.of.isRunning = false;
    this.#wake(container);
  }

  /** Lines of the service, oldest first, as `stream text`. */
  async kept(of = serviceId): Promise<string[]> {
    const searches = new LogSearches(this.logs, { ms: 60_000, bytes: 1e9 });
    const lines: string[] = [];
    let from: number | null = null;
    for (;;) {
      const services = [{ serviceId: of, from }];
      const answer = await searches.answer({ services, order: 'oldest', limit: 1_000 });
      if ('refused' in answer) throw new Error(answer.reason);
      lines.push(...answer.lines.map(({ stream, line }) => `${stream} ${line}`));
      from = answer.services[0]?.from ?? null;
      if (answer.stopped === 'end') return lines;
    }
  }

  /** Lets all waiting data be read and written. */
  async settle(): Promise<void> {
    for (let round = 0; round < 8; round++) {
      await this.clock.advance(300);
      await new Promise((resolve) => setImmediate(resolve));
    }
  }

  #newKeeper(): LogKeeper {
    const keeper = new LogKeeper({
      list: async () => [...this.containers.values()].map(({ of }) => ({ ...of })),
      state: async (id) => ({ ...this.#container(id).state }),
      readLog: (id, range, signal) => this.#read(id, range, signal),
      exitsOf: (id) => this.exits.filter((exit) => exit.id === id),
      ...{ logs: this.logs, clock: this.clock, logger: silentLogger },
    });
    keeper.start();
    return keeper;
  }

  async *#read(
    id: string,
    { since }: LogRange,
    signal: AbortSignal,
  ): AsyncGenerator<LoggedLine[], void, undefined> {
    const container = this.#container(id);
    if (this.damaged.has(id)) {
      this.failedReads += 1;
      throw new Error('log message is too large');
    }
    let position = 0;
    // Docker skips lines that are older than `since`, and then sends everything.
    let isSkipping = true;
    while (!signal.aborted) {
      const fresh = container.lines.slice(position);
      position += fresh.length;
      const first = isSkipping ? fresh.findIndex(({ at }) => at >= since) : 0;
      if (first >= 0 && fresh.length > 0) {
        isSkipping = false;
        yield fresh.slice(first);
      }
      if (!container.state.isRunning) return;
      if (position < container.lines.length) continue;
      await Promise.race([
        container.more.promise,
        new Promise((resolve) => signal.addEventListener('abort', resolve)),
      ]);
    }
  }

  #container(id: string): Printing {
    const container = this.containers.get(id);
    if (!container) throw new Error(`There is no container ${id}.`);
    return container;
  }

  #wake(container: Printing): void {
    container.more.resolve();
    container.more = Promise.withResolvers();
    this.keeper.changed();
  }
}
