/** All drains of this host. They are stored sealed, so that they continue after a restart while the control plane is unreachable. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  type Drain,
  type DrainReceiver,
  type DrainStatus,
  type DrainTest,
  drainReceiverSchema,
  drainsSchema,
} from '../../protocol/logs/drains.ts';
import type { LogSearch, LogSearchAnswer } from '../../protocol/logs/kept-logs.ts';
import { replaceFile } from '../base/replace-file.ts';
import { drainSender, type SenderParts, testReceiver } from './drain-sender.ts';
import { listDrainStates, readDrainState, removeDrainState, writeDrainState } from './drain-state.ts';
import { LogDrain, type LogDrainParts } from './log-drain.ts';

export interface LogDrainsParts extends Pick<LogDrainParts, 'logs' | 'waitingBytesMax' | 'clock' | 'logger'> {
  search(ask: LogSearch): Promise<LogSearchAnswer>;
  /** The directory of the places, and of the sealed drains. */
  directory: string;
  sender: Omit<SenderParts, 'now'>;
  /** @throws Error if it was sealed for another purpose */
  open(sealed: string): string;
}

interface Running {
  text: string;
  drain: LogDrain;
  end: AbortController;
  cut: AbortController;
  ended: Promise<void>;
}

/** The time for lines that are being sent when the runner stops. It is less than the daemon's own stop takes. */
const endMs = 800;

export class LogDrains {
  readonly #parts: LogDrainsParts;
  readonly #running = new Map<string, Running>();
  #changes: Promise<void> = Promise.resolve();

  constructor(parts: LogDrainsParts) {
    this.#parts = parts;
  }

  /** Continues the drains of the previous process. */
  start(): void {
    const sealed = this.#kept();
    if (sealed !== null) void this.#set(sealed);
  }

  /** Runs these drains and no others. Unchanged drains continue. Never rejects. @param sealed `null` if there are none */
  async set(sealed: string | null): Promise<void> {
    if (sealed === null && this.#kept() === null) return;
    const { logger } = this.#parts;
    try {
      replaceFile(this.#path, JSON.stringify(sealed));
    } catch (error) {
      logger.warn(`the log drains could not be kept for the next start: ${error}`);
    }
    await this.#set(sealed);
  }

  /** @returns `null` if this host does not have the drain */
  statusOf(drainId: string): DrainStatus | null {
    return this.#running.get(drainId)?.drain.status ?? null;
  }

  /** Sends one line. @throws Error if the receiver can't be decrypted or parsed */
  test(text: string): Promise<DrainTest> {
    return testReceiver(drainReceiverSchema.parse(JSON.parse(text)), this.#sender());
  }

  async stop(): Promise<void> {
    await this.#changes;
    await Promise.all([...this.#running.values()].map((one) => this.#end(one)));
  }

  get #path(): string {
    return join(this.#parts.directory, 'sealed-drains.json');
  }

  #kept(): string | null {
    try {
      return JSON.parse(readFileSync(this.#path, 'utf8'));
    } catch {
      return null;
    }
  }

  #set(sealed: string | null): Promise<void> {
    const { open, logger } = this.#parts;
    this.#changes = this.#changes
      .then(() => this.#apply(sealed === null ? [] : drainsSchema.parse(JSON.parse(open(sealed)))))
      .catch((error: unknown) => {
        // The cause is not logged: it can quote a secret.
        const name = error instanceof Error ? error.name : '';
        logger.warn(`the log drains could not be understood, and the last ones go on: ${name}`);
      });
    return this.#changes;
  }

  async #apply(drains: readonly Drain[]): Promise<void> {
    const wanted = new Map(drains.map((drain) => [drain.id, drain]));
    for (const [id, running] of this.#running) {
      const drain = wanted.get(id);
      if (drain && JSON.stringify(drain) === running.text) continue;
      await this.#end(running);
      this.#running.delete(id);
    }
    this.#forgetOthers(wanted);
    for (const drain of drains) if (!this.#running.has(drain.id)) this.#begin(drain);
  }

  /** A drain that is added again starts like a new one. */
  #forgetOthers(wanted: ReadonlyMap<string, Drain>): void {
    const { directory } = this.#parts;
    for (const id of listDrainStates(directory)) if (!wanted.has(id)) removeDrainState(directory, id);
  }

  #begin(drain: Drain): void {
    const { directory, sender: _, open: __, ...shared } = this.#parts;
    const one = new LogDrain({
      ...{ ...shared, drain },
      send: drainSender(drain satisfies DrainReceiver, this.#sender()),
      stored: readDrainState(directory, drain.id),
      store: (state) => writeDrainState(directory, drain.id, state),
    });
    const [end, cut] = [new AbortController(), new AbortController()];
    const ended = one.run(end.signal, cut.signal);
    this.#running.set(drain.id, { text: JSON.stringify(drain), drain: one, end, cut, ended });
  }

  async #end({ end, cut, ended }: Running): Promise<void> {
    end.abort();
    const cancel = this.#parts.clock.after(endMs, () => cut.abort());
    await ended;
    cancel();
  }

  #sender(): SenderParts {
    const { sender, clock } = this.#parts;
    return { ...sender, now: () => clock.now() };
  }
}
