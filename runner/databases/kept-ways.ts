/**
 * Ways into servers that have no places for their operator: a connection that the runner opens while there is room, and keeps. With it, the
 * runner can make room later, when clients have taken all the rest.
 */
import type { EngineAddress, WayIn } from '../engines/engine.ts';

interface Kept {
  address: EngineAddress;
  way: WayIn;
}

export class KeptWays {
  /** By the run of a container. */
  readonly #kept = new Map<string, Kept>();

  async isOpen(run: string): Promise<boolean> {
    return (await this.#kept.get(run)?.way.isOpen()) ?? false;
  }

  /** In place of the one that broke. */
  keep(run: string, address: EngineAddress, way: WayIn): void {
    this.#kept.get(run)?.way.close();
    this.#kept.set(run, { address, way });
  }

  /** Closes all others. */
  keepOnly(runs: ReadonlySet<string>): void {
    for (const [run, { way }] of this.#kept) {
      if (runs.has(run)) continue;
      way.close();
      this.#kept.delete(run);
    }
  }

  /**
   * Does the work while the server accepts more connections than its clients may take otherwise.
   * @returns undefined if there is no way into this server, and the work was not done @throws what the work throws
   */
  async withRoom<Result>(address: EngineAddress, work: () => Promise<Result>): Promise<Result | undefined> {
    const kept = [...this.#kept.values()].find(
      ({ address: { host, port } }) => host === address.host && port === address.port,
    );
    const takeBack = await kept?.way.makeRoom().catch(() => undefined);
    if (!takeBack) return undefined;
    try {
      return await work();
    } finally {
      await takeBack().catch(() => {}); // the connection broke, and the server was probably stopped
    }
  }
}
