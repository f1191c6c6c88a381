/** `npm start`: brings an instance up, stays until it is told to end, and takes it down again. */
import type { StartOptions } from './options.ts';
import type { Output } from './output.ts';
import { startInstance } from './start-instance.ts';
import { undoStack } from './undo.ts';

/** @returns the exit code. What fails on the way is undone before this returns. */
export async function runInstance(
  projectRoot: string,
  options: StartOptions,
  output: Output,
): Promise<number> {
  const undo = undoStack((name, error) =>
    output.fail(new Error(`could not undo "${name}"`, { cause: error })),
  );
  const told = toldToEnd();
  try {
    const started = startInstance({ projectRoot, options, output, undo });
    const ended = await Promise.race([started, told]);
    if (ended !== 'end') {
      process.send?.({ ready: true });
      await told;
    }
    output.say('stopping; deployed apps go on serving');
  } catch (error) {
    output.fail(error);
    await undo.run();
    return exit(1);
  }
  await undo.run();
  return exit(0);
}

/**
 * Resolves at the first signal. A parent that only wraps this process and dies ends it too; one that waits for a detached
 * start does so until it is ready.
 */
function toldToEnd(): Promise<'end'> {
  return new Promise((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => resolve('end'));
    if (process.env.LONGSHORE_PARENT === 'wrapper') process.once('disconnect', () => resolve('end'));
  });
}

/** Everything is ended; whatever handle is still open (a start that was interrupted half-way) must not hold the process. */
function exit(code: number): never {
  process.exit(code);
}
