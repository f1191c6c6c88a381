import { setTimeout as delay } from 'node:timers/promises';
import type { FreshPlace } from '../../../engines/archive/archive.ts';
import type { BrowsableEngine } from '../../../engines/engine.ts';
import { EngineError } from '../../../engines/engine-error.ts';

/** A new server first creates its files, which takes a minute on a busy host. */
const startTimeoutMs = 10 * 60_000;
const pollMs = 200;

/**
 * Waits until the engine in a container that only the host can reach answers a real query.
 * @throws EngineError with its last error after ten minutes, or as soon as it has exited; the signal's reason
 */
export async function untilServing(
  engine: Pick<BrowsableEngine, 'ping' | 'settle'>,
  { address, env, signal, assertRunning }: Pick<FreshPlace, 'address' | 'env' | 'signal' | 'assertRunning'>,
): Promise<void> {
  const giveUpAt = performance.now() + startTimeoutMs;
  for (;;) {
    signal.throwIfAborted();
    const serve = async () => {
      await engine.settle?.(address, env, '127.0.0.1');
      await engine.ping(address, env);
    };
    const refusal = await serve().then(
      () => undefined,
      (error: unknown) => EngineError.from(error),
    );
    if (!refusal) return;
    await assertRunning?.();
    if (performance.now() > giveUpAt) throw refusal;
    await delay(pollMs, undefined, { signal }).catch(() => {});
  }
}
