/** `--detach`: runs the start in a separate process. This process shows its output, and returns when it is ready or has failed. */
import { spawn } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { dataDirectory, makeDataDirectory } from './instance/data-directory.ts';
import { rotateLog } from './instance/rotate-log.ts';
import type { StartOptions } from './options.ts';
import { localProgram } from './program.ts';

const messageSchema = z.union([
  z.object({ stream: z.enum(['stdout', 'stderr']), text: z.string() }),
  z.object({ ready: z.literal(true) }),
]);

/** @returns the exit code: 0 once the start is ready, its own code when it failed. */
export function startDetached(args: string[], options: StartOptions): Promise<number> {
  const data = dataDirectory(options.data);
  makeDataDirectory(data);
  rotateLog(data.startLog);
  const log = openSync(data.startLog, 'a', 0o600);
  const main = fileURLToPath(new URL(localProgram, import.meta.url));
  // The process lives as long as the instance: V8 would keep 16 MB for young objects.
  const command = ['--max-semi-space-size=1', main, 'start', ...args.filter((arg) => arg !== '--detach')];
  const child = spawn(process.execPath, command, {
    detached: true,
    stdio: ['ignore', log, log, 'ipc'],
    env: { ...process.env, LONGSHORE_PARENT: 'detached' },
  });
  closeSync(log);
  const stop = () => child.kill('SIGTERM');
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
  for (const signal of signals) process.on(signal, stop);
  return new Promise((resolve, reject) => {
    child.on('message', (raw) => {
      const message = messageSchema.parse(raw);
      if ('text' in message) {
        process[message.stream].write(`${message.text}\n`);
        return;
      }
      for (const signal of signals) process.off(signal, stop);
      child.disconnect();
      child.unref();
      resolve(0);
    });
    child.once('error', reject);
    child.once('exit', (code) => resolve(code ?? 1));
  });
}
