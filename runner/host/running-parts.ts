/** Parts that run and are stopped together: at the end, or as soon as a later part can't start. */
export class RunningParts {
  readonly #stops: (() => unknown)[] = [];

  add<Part extends { stop(): unknown }>(part: Part): Part {
    this.#stops.push(() => part.stop());
    return part;
  }

  /**
   * Resolves when all parts have stopped. A part that fails to stop does not keep the others from it. @throws the first of their errors, at
   * the end
   */
  async stop(): Promise<void> {
    const ends = await Promise.allSettled(this.#stops.splice(0).map(async (stop) => await stop()));
    for (const end of ends) if (end.status === 'rejected') throw end.reason;
  }
}
