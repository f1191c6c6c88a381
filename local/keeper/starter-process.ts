/** Runs the starter as a child process of the keeper, and answers its requests. */
import { type ChildProcess, spawn } from 'node:child_process';
import type { OutputTarget } from '../output.ts';
import { starterProgram } from '../program.ts';
import type { Keeper } from './keeper.ts';
import type { KeeperMessage, StarterMessage } from './requests.ts';

export interface Starter {
  /** Resolves to true when everything answers, to false when the starter has failed and printed the reason. */
  ready: Promise<boolean>;
  /** Ends the starter at any step. */
  end(): Promise<void>;
}

/** @param args of the command `start` */
export function runStarter(args: string[], keeper: Keeper, target: OutputTarget): Starter {
  const child = spawn(process.execPath, [starterProgram, ...args], {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  const ended = new Promise<void>((resolve) => {
    child.once('exit', () => resolve());
    child.once('error', () => resolve());
  });
  // The starter must not outlive this process, which holds everything that it has started.
  process.once('exit', () => child.kill('SIGKILL'));
  const ready = new Promise<boolean>((resolve) => {
    child.on('message', (message: StarterMessage) => {
      if ('ready' in message) resolve(true);
      else if ('text' in message) target.write(message.stream, message.text);
      else void answer(child, message, keeper);
    });
    // 'close' is emitted after the last message.
    child.once('close', () => resolve(false));
    child.once('error', (error) => {
      target.write('stderr', `error: ${error.message}`);
      resolve(false);
    });
  });
  return {
    ready,
    async end() {
      child.kill('SIGKILL');
      await ended;
    },
  };
}

async function answer(
  child: ChildProcess,
  { id, ask, given }: Extract<StarterMessage, { ask: unknown }>,
  keeper: Keeper,
): Promise<void> {
  const reply = await (keeper[ask] as (given: unknown) => Promise<unknown>)(given).then(
    (result): KeeperMessage => ({ id, answer: result }),
    (error): KeeperMessage => ({ id, error: error instanceof Error ? error.message : String(error) }),
  );
  // The starter may have ended in between.
  child.send(reply, () => {});
}
