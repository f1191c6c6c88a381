/** Parts that run and are stopped together: at the end, or as soon as a later part can't start. */
export class RunningParts {
  readonly #stops: (() => unknown)[] = [];

  /** @returns the part */
  add<Part extends { stop(): unknown }>(part: Part): Part {
    this.#stops.push(() => part.stop());
    return part;
  }

  /** Resolves when all have stopped. One that fails to stop keeps no other from it. */
  async stop(): Promise<void> {
    await Promise.allSettled(this.#stops.splice(0).map(async (stop) => await stop()));
  }
}
