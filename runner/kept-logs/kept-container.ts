/**
 * Keeps the log of one container: continues after the last kept line, and adds lines of the platform for its starts and ends.
 *
 * Each line that Docker still has is kept exactly once, also when the runner or Docker is killed at any moment. Docker has the newest 30 MB
 * of a container that exists. If Docker has dropped lines before they were kept, a line of the platform reports that.
 */
import { constants } from 'node:os';
import { stopSignals } from '../../protocol/container-settings.ts';
import type { AppContainer, AppContainerState } from '../docker/apps/app-containers.ts';
import { type Exit, exitSentence } from '../docker/events.ts';
import type { LogRange } from '../docker/follow-log.ts';
import type { LoggedLine } from '../docker/logs/log-parser.ts';
import { isCutLine, presentable } from '../job-log/presentable-line.ts';
import { type SecretMask, secretMask } from '../job-log/secret-mask.ts';
import { disorderMicroseconds, type NewLine } from './kept-line.ts';
import { readFacts } from './line-facts.ts';
import { type ResumePoint, resumeKey } from './service-log.ts';

/**
 * Stop signals by the exit code of a program that they end: 128 and the signal's number, as in shells. Stops and sleep cause such codes.
 */
const stopSignalOf = new Map(stopSignals.map((name) => [128 + constants.signals[name], name]));

export interface KeptContainerParts {
  container: AppContainer;
  state(id: string): Promise<AppContainerState>;
  readLog(id: string, range: LogRange, signal: AbortSignal): AsyncIterable<LoggedLine[]>;
  /** The unexpected ends of a container, the oldest first. */
  exitsOf(id: string): readonly Exit[];
  resumePoint(): ResumePoint;
  /** Time of the last event of the container that has a line; 0 if none has. */
  markAt(): number;
  /** Buffers lines to be written. @throws NoRoomForLogs */
  take(lines: readonly NewLine[]): void;
  /** Writes the buffered lines, so that a resume point covers them. @throws NoRoomForLogs */
  flush(): void;
}

export class KeptContainer {
  readonly #parts: KeptContainerParts;
  #mask: SecretMask | undefined;
  #markAt = 0;
  #memoryLimitMb: number | null = null;
  #isOpen = false;

  constructor(parts: KeptContainerParts) {
    this.#parts = parts;
  }

  /** True while its log is being read. */
  get isOpen(): boolean {
    return this.#isOpen;
  }

  /**
   * Reads its log until the container stops, or the signal is aborted.
   * @throws DockerError; NoRoomForLogs: then the lines are not kept, and the next call reads them again
   */
  async follow(signal: AbortSignal): Promise<void> {
    const { container, readLog, resumePoint, take, flush, state } = this.#parts;
    this.#isOpen = true;
    try {
      const before = await state(container.id);
      this.#mask ??= secretMask(before.secrets);
      this.#memoryLimitMb = before.memoryLimitMb;
      flush();
      const point = resumePoint();
      this.#markStart(before);
      const resumed = new Resumed(point);
      const range = { since: point.since, follow: true };
      for await (const batch of readLog(container.id, range, signal)) {
        if (signal.aborted) return;
        take(this.#newLines(batch, resumed));
      }
      flush();
    } finally {
      this.#isOpen = false;
    }
  }

  /** Adds lines for ends that have none yet. @throws DockerError */
  async markEnds(): Promise<void> {
    const { container, exitsOf, state } = this.#parts;
    this.#markAt = Math.max(this.#markAt, this.#parts.markAt());
    const exits = exitsOf(container.id).filter(({ at }) => at > this.#markAt);
    for (const exit of exits) {
      this.#mark(exit.at, `${exitSentence(exit, this.#memoryLimitMb)} Docker restarts it.`);
    }
    if (this.#isOpen) return;
    const { isRunning, isRestarting, endedAt, exitCode } = await state(container.id);
    // The event of an end is later than the end in the state. It already has a line.
    if (isRunning || isRestarting || endedAt <= this.#markAt) return;
    const signal = stopSignalOf.get(exitCode);
    const stopped = signal ? ` It was told to stop (${signal}).` : '';
    this.#mark(endedAt, `The container ended with exit code ${exitCode}.${stopped}`);
  }

  #markStart({ isRunning, startedAt }: AppContainerState): void {
    this.#markAt = Math.max(this.#markAt, this.#parts.markAt());
    if (!isRunning || startedAt <= this.#markAt) return;
    this.#mark(startedAt, `The container starts, of deployment ${this.#parts.container.deploymentId}.`);
  }

  #mark(at: number, text: string): void {
    this.#markAt = at;
    this.#parts.take([{ at, stream: 'system', text }]);
  }

  #newLines(batch: readonly LoggedLine[], resumed: Resumed): NewLine[] {
    const lines: NewLine[] = [];
    for (const line of batch) {
      if (resumed.isKept(line)) continue;
      const gap = resumed.gapBefore(line);
      if (gap) lines.push({ at: line.at, stream: 'system', text: gap });
      const text = this.#mask ? presentable(line, this.#mask) : '';
      const facts = this.#mask && isCutLine(text) ? readFacts(line.text, this.#mask) : undefined;
      lines.push({ at: line.at, stream: line.stream, text, facts });
    }
    return lines;
  }
}

/** Separates the new lines of a log that is read again from the kept ones. */
class Resumed {
  readonly #lastAt: number;
  readonly #kept: Map<string, number>;
  #isChecked: boolean;

  constructor({ lastAt, kept }: ResumePoint) {
    this.#lastAt = lastAt;
    this.#kept = kept;
    this.#isChecked = kept.size === 0;
  }

  isKept(line: LoggedLine): boolean {
    if (this.#kept.size === 0) return false;
    if (line.at > this.#lastAt + disorderMicroseconds) this.#kept.clear();
    const key = resumeKey(line);
    const count = this.#kept.get(key);
    if (count === undefined) return false;
    if (count === 1) this.#kept.delete(key);
    else this.#kept.set(key, count - 1);
    this.#isChecked = true;
    return true;
  }

  /** A sentence if Docker has dropped lines between the last kept line and this one, the first that was read. */
  gapBefore({ at }: LoggedLine): string | undefined {
    if (this.#isChecked) return undefined;
    this.#isChecked = true;
    return at > this.#lastAt
      ? 'Lines are missing here: Docker dropped them while the runner could not read them.'
      : undefined;
  }
}
