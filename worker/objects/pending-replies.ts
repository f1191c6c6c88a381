/**
 * Replies that are awaited by id. Every wait ends: with the reply, at its timeout, or when the connection is lost.
 * Timers are always cleared, because a pending one keeps the object in memory.
 */
export class PendingReplies<Reply> {
  readonly #waiting = new Map<string, { reply: Promise<Reply>; settle: (reply: Reply) => void }>();

  /**
   * Waits for the reply to `id`. A second wait for the same id gets the same reply.
   * @param late result if there is no reply after `timeoutMs`
   */
  wait(id: string, timeoutMs: number, late: Reply): Promise<Reply> {
    const known = this.#waiting.get(id);
    if (known) return known.reply;
    const { promise, resolve } = Promise.withResolvers<Reply>();
    const settle = (reply: Reply) => {
      clearTimeout(timer);
      this.#waiting.delete(id);
      resolve(reply);
    };
    const timer = setTimeout(() => settle(late), timeoutMs);
    this.#waiting.set(id, { reply: promise, settle });
    return promise;
  }

  /** A reply without a wait is discarded. */
  settle(id: string, reply: Reply): void {
    this.#waiting.get(id)?.settle(reply);
  }

  settleAll(reply: Reply): void {
    for (const waiting of [...this.#waiting.values()]) waiting.settle(reply);
  }
}
