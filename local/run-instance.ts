/** `npm start`: starts an instance, runs until it is told to end, and shuts it down again. */
import type { StartOptions } from './options.ts';
import type { Output } from './output.ts';
import { startInstance } from './start-instance.ts';
import { undoStack } from './undo.ts';

/** The exit code for a signal before the instance was ready, as in shells (128 + SIGINT). */
const interruptedCode = 130;

/** Never returns: the process ends with the instance. When the start fails, its steps are undone first. */
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
  // An open handle, such as one of an interrupted start, must not keep the process alive.
  process.exit(code);
}

/**
 * Resolves at the first signal or uncaught error, so that everything is also shut down in order after an error. When the parent is only a
 * wrapper, its death ends this process, too. A parent that waits for a detached start disconnects when the start is ready.
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
