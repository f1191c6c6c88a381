/** A database is up when a real query through its driver works: a port that takes connections says little. */
import { setTimeout as delay } from 'node:timers/promises';
import { JobFailure } from '../../base/job-failure.ts';
import type { Engine, EngineAddress, EngineContainer, EngineEnvironment } from '../../engines/engine.ts';
import type { Attempt } from '../parts/attempt.ts';
import { refuseDead, showLastLines } from '../parts/refuse-dead.ts';

export interface DatabaseAttempt extends Attempt {
  readonly engine: Engine;
  readonly source: Extract<Attempt['spec']['source'], { type: 'database' }>;
  readonly made: EngineContainer;
  readonly port: number;
}

/** A first start makes the data files; a start after a crash reads the log of changes again. */
const startTimeoutMs = 180_000;
const pollMs = 200;

/**
 * Waits for the first answer.
 * @throws JobFailure `health_failed` with a sentence; the last lines of the container are in the log then
 */
export async function proveServing(
  attempt: DatabaseAttempt,
  container: { id: string; address: string },
  env: EngineEnvironment,
): Promise<void> {
  const { engine, context, parts } = attempt;
  const giveUpAt = performance.now() + (parts.healthTimeoutMs ?? startTimeoutMs);
  const address = { host: container.address, port: attempt.port };
  for (;;) {
    context.signal.throwIfAborted();
    await refuseDead(attempt, container.id);
    const refusal = await engine.ping(address, env).then(
      () => undefined,
      (error: unknown) => String(error instanceof Error ? error.message : error),
    );
    if (refusal === undefined) return;
    if (performance.now() > giveUpAt) {
      await showLastLines(attempt, container.id);
      throw new JobFailure('health_failed', `The database does not answer a query: ${refusal}`);
    }
    await delay(pollMs, undefined, { signal: context.signal }).catch(() => context.signal.throwIfAborted());
  }
}

/** Whether it answers now. */
export const isServing = (engine: Engine, address: EngineAddress, env: EngineEnvironment) =>
  engine.ping(address, env).then(
    () => true,
    () => false,
  );
