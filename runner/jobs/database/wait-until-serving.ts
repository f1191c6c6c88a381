/** A database is up when a real query through its driver works; an open port does not prove much. */
import { setTimeout as delay } from 'node:timers/promises';
import { JobFailure } from '../../base/job-failure.ts';
import type { Engine, EngineAddress, EngineContainer, EngineEnvironment } from '../../engines/engine.ts';
import type { Attempt } from '../parts/attempt.ts';
import { refuseExited, showLastLines } from '../parts/refuse-exited.ts';
import { rememberStartSettings } from '../parts/start-settings.ts';

export interface DatabaseAttempt extends Attempt {
  readonly engine: Engine;
  readonly source: Extract<Attempt['spec']['source'], { type: 'database' }>;
  readonly made: EngineContainer;
  readonly port: number;
}

const pollMs = 200;

/**
 * Waits for the first answer.
 * @throws JobFailure `health_failed` with a sentence; then the container's last lines are in the log
 */
export async function waitUntilServing(
  attempt: DatabaseAttempt,
  container: { id: string; address: string },
  env: EngineEnvironment,
): Promise<void> {
  const { engine, context, parts } = attempt;
  const giveUpAt = performance.now() + parts.limits.databaseTimeoutMs;
  const address = { host: container.address, port: attempt.port };
  const serve = async () => {
    await engine.settle?.(address, env, attempt.spec.serviceSlug);
    await engine.ping(address, env);
  };
  for (;;) {
    context.signal.throwIfAborted();
    await refuseExited(attempt, container.id, engine.errorLine);
    const refusal = await serve().then(
      () => undefined,
      (error: unknown) => String(error instanceof Error ? error.message : error),
    );
    if (refusal === undefined)
      return await rememberStartSettings(
        { docker: parts.docker, engine },
        { id: container.id, address, env },
      );
    if (performance.now() > giveUpAt) {
      await showLastLines(attempt, container.id);
      throw new JobFailure('health_failed', `The database does not answer a query: ${refusal}`);
    }
    await delay(pollMs, undefined, { signal: context.signal }).catch(() => context.signal.throwIfAborted());
  }
}

/** @returns true if the database answers now. */
export const isServing = (engine: Engine, address: EngineAddress, env: EngineEnvironment) =>
  engine.ping(address, env).then(
    () => true,
    () => false,
  );
