/**
 * Kept connections to servers without reserved connections for their operator: the runner opens each while there is room. Through this
 * connection the runner can make room later, when clients use all the others.
 */
import type { EngineAddress, WayIn } from '../engines/engine.ts';

interface Kept {
  address: EngineAddress;
  way: WayIn;
}

export class KeptWays {
  /** Connections by the run of a container. */
  readonly #kept = new Map<string, Kept>();

  async isOpen(run: string): Promise<boolean> {
    return (await this.#kept.get(run)?.way.isOpen()) ?? false;
  }

  /** Replaces a broken connection. */
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
   * @returns `undefined` if there is no connection to this server, and the work was not done @throws the work's own errors
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
