/** The hub's tickets for logs that its host writes and that have readers. The hub stores these logs, so that it can close them to a revoked host. */
import type { LogWriter } from '../domain/logs/log-writer.ts';
import { makeLogTicket, writerLifeMs } from '../security/log-ticket.ts';
import type { Dependencies } from '../usecases/dependencies.ts';

type Log = LogWriter['log'];
type Needs = Pick<Dependencies, 'fingerprint' | 'now' | 'logWriters'>;

/** The hub's entry for each log. `until`, in epoch milliseconds: no socket to the log is open longer than that. */
interface Written {
  runnerId: string;
  log: Log;
  until: number;
}

/** Without this pause, each acknowledgement would contain a ticket while a runner connects or fails to connect. */
const ticketEveryMs = 10_000;
const prefix = 'written-log ';

export class LogTickets {
  readonly #kv: SyncKvStorage;
  readonly #deps: () => Needs;
  /** Epoch milliseconds of the last ticket, by log. */
  readonly #given = new Map<string, number>();

  constructor(kv: SyncKvStorage, deps: () => Needs) {
    this.#kv = kv;
    this.#deps = deps;
  }

  /** @returns undefined if there was a ticket a moment ago */
  async give(runnerId: string, log: Log): Promise<string | undefined> {
    const { fingerprint, now } = this.#deps();
    const at = now();
    const key = keyOf(log);
    if (at - (this.#given.get(key) ?? 0) < ticketEveryMs) return undefined;
    this.#forgetOld(at);
    this.#given.set(key, at);
    // Stored before the ticket is given: a socket without an entry could not be closed.
    this.#kv.put(key, { runnerId, log, until: at + writerLifeMs } satisfies Written);
    return makeLogTicket(fingerprint, { runnerId, log }, at);
  }

  /** Closes the host's sockets to logs. */
  async revoke(): Promise<void> {
    const { logWriters } = this.#deps();
    const all = [...this.#kv.list<Written>({ prefix })];
    const closed = await Promise.allSettled(
      all.map(([, { runnerId, log }]) => logWriters.close(runnerId, log)),
    );
    for (const result of closed)
      if (result.status === 'rejected')
        console.error('A socket of a revoked host ends by itself within 10 minutes:', result.reason);
    for (const [key] of all) this.#kv.delete(key);
  }

  #forgetOld(at: number): void {
    for (const [key, { until }] of this.#kv.list<Written>({ prefix })) {
      if (until >= at) continue;
      this.#kv.delete(key);
      this.#given.delete(key);
    }
  }
}

const keyOf = ({ kind, id }: Log) => `${prefix}${kind} ${id}`;
