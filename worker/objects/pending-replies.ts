/**
 * Questions that wait for an answer under an id. Every wait ends: with the answer, at its timeout, or when the connection is lost.
 * Timers are cleared at every end, because one that is left keeps the object in memory.
 */
export class PendingReplies<Reply> {
  readonly #waiting = new Map<string, { reply: Promise<Reply>; settle: (reply: Reply) => void }>();

  /**
   * Waits for the reply to `id`; who asks for one that is waited for already gets the same answer at the same time.
   * @param late what to answer when nothing has come after `timeoutMs`.
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

  /** An answer that nobody waits for is dropped. */
  settle(id: string, reply: Reply): void {
    this.#waiting.get(id)?.settle(reply);
  }

  settleAll(reply: Reply): void {
    for (const waiting of [...this.#waiting.values()]) waiting.settle(reply);
  }
}
