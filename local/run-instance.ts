/** `npm start`: brings an instance up, stays until it is told to end, and takes it down again. */
import type { StartOptions } from './options.ts';
import type { Output } from './output.ts';
import { startInstance } from './start-instance.ts';
import { undoStack } from './undo.ts';

/** Ended by a signal before it was ready, as a shell says it (128 + SIGINT). */
const interruptedCode = 130;

/** Does not return: the process ends with the instance. What fails on the way is undone first. */
export async function runInstance(
  projectRoot: string,
  options: StartOptions,
  output: Output,
): Promise<never> {
  const undo = undoStack((name, error) =>
    output.fail(new Error(`could not undo "${name}"`, { cause: error })),
  );
  const ending = untilTheEnd(output);
  let code: number;
  try {
    const outcome = await Promise.race([startInstance({ projectRoot, options, output, undo }), ending]);
    if (outcome === undefined) {
      if (process.connected) process.send?.({ ready: true });
      code = (await ending) === 'crash' ? 1 : 0;
    } else {
      code = outcome === 'crash' ? 1 : interruptedCode;
    }
    output.print('stopping; deployed apps keep running');
  } catch (error) {
    output.fail(error);
    code = 1;
  }
  await undo.run();
  // Whatever handle is still open (a start that was interrupted half-way) must not hold the process.
  process.exit(code);
}

/**
 * Resolves at the first signal, or when something was thrown that nobody caught: then too everything is taken down in order.
 * A parent that only wraps this process and dies ends it; one that waits for a detached start does so until it is ready.
 */
function untilTheEnd(output: Output): Promise<'signal' | 'crash'> {
  return new Promise((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
      process.on(signal, () => resolve('signal'));
    if (process.env.LONGSHORE_PARENT === 'wrapper') process.once('disconnect', () => resolve('signal'));
    for (const event of ['uncaughtException', 'unhandledRejection'] as const) {
      process.on(event, (error) => {
        output.fail(error);
        resolve('crash');
      });
    }
  });
}
