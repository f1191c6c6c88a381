/**
 * `npm start`: the process that stays. It lets a starter start the instance, keeps the parts running until the end, and shuts them down
 * again. It loads as little as possible, because it stays.
 */
import { dataDirectory } from './instance/data-directory.ts';
import { heldLock } from './instance/lock-file.ts';
import { keeper } from './keeper/keeper.ts';
import { runStarter } from './keeper/starter-process.ts';
import type { StartOptions } from './options.ts';
import { createOutput, processTarget } from './output.ts';
import { undoStack } from './undo.ts';

/** The exit code for a signal before the instance was ready, as in shells (128 + SIGINT). */
const interruptedCode = 130;

/**
 * Never returns: the process ends with the instance. When the start fails, its steps are undone first.
 * @param args of the command `start`, from which the options were read
 */
export async function runInstance(args: string[], options: StartOptions): Promise<never> {
  const target = processTarget();
  const output = createOutput(target);
  const undo = undoStack((name, error) =>
    output.fail(new Error(`could not undo "${name}"`, { cause: error })),
  );
  const ending = untilTheEnd(output);
  const lock = heldLock(dataDirectory(options.data).root);
  undo.add('lock', () => lock.release());
  const starter = runStarter(args, keeper({ lock, output, undo }), target);
  const outcome = await Promise.race([starter.ready, ending]);
  let code = { crash: 1, signal: interruptedCode };
  if (outcome === true) {
    if (process.connected) process.send?.({ ready: true });
    code = { crash: 1, signal: 0 };
  }
  const why = outcome === false ? 'failed' : await ending;
  await starter.end();
  if (why !== 'failed') output.print('stopping; deployed apps keep running');
  await undo.run();
  // An open handle, such as one of an interrupted start, must not keep the process alive.
  process.exit(why === 'failed' ? 1 : code[why]);
}

/**
 * Resolves at the first signal or uncaught error, so that everything is also shut down in order after an error. When the parent is only a
 * wrapper, its death ends this process, too. A parent that waits for a detached start disconnects when the start is ready.
 */
function untilTheEnd(output: ReturnType<typeof createOutput>): Promise<'signal' | 'crash'> {
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
