/** The runner's entry point: `enroll` once, then `run`. Modules are loaded on demand: enrolling needs no Docker. */
import { enableCompileCache, flushCompileCache } from 'node:module';
import { join, resolve } from 'node:path';
import { createLogger, type Logger } from './base/logger.ts';
import { RunnerError } from './base/runner-error.ts';
import { help, parseCommandLine } from './command-line.ts';
import type { Daemon } from './daemon.ts';
import { catchErrors } from './uncaught-errors.ts';

const logger = createLogger();

try {
  await main(process.argv.slice(2));
} catch (error) {
  fail(error);
}

async function main(args: string[]): Promise<void> {
  const command = parseCommandLine(args);
  switch (command.verb) {
    case 'help':
      process.stdout.write(help);
      return;
    case 'enroll': {
      const { enroll } = await import('./enroll.ts');
      const dataDirectory = resolve(command.options.dataDirectory);
      const { runnerId } = await enroll({ ...command.options, dataDirectory });
      process.stdout.write(`Enrolled as ${runnerId}. Next: npm run runner -- run --data ${dataDirectory}\n`);
      return;
    }
    case 'run':
      return await run(resolve(command.dataDirectory), logger);
  }
}

async function run(dataDirectory: string, log: Logger): Promise<void> {
  const errors = catchErrors(log);
  // The compile cache keeps the type-stripped code: the process is about 20 MB smaller and starts sooner. This file itself is
  // stripped at every start unless NODE_COMPILE_CACHE is set, as by `npm start` and the systemd unit.
  enableCompileCache(join(dataDirectory, 'compile-cache'));
  const [{ startOncePossible }, { createHostWork }] = await Promise.all([
    import('./start-once-possible.ts'),
    import('./host/host-work.ts'),
  ]);
  let daemon: Daemon | undefined;
  const leave = async (exitCode: number, isRevoked = false) => {
    await daemon?.stop({ isRevoked });
    process.exit(exitCode);
  };
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.once(signal, () => {
      log.info(`${signal}: stopping; deployed apps keep running`);
      void leave(0);
    });
  }
  daemon = await startOncePossible({
    dataDirectory,
    createHostWork,
    logger: log,
    stopped(error) {
      log.error(error.message);
      void leave(error.exitCode, error.code === 'revoked');
    },
  });
  errors.running(daemon);
  flushCompileCache();
}

/** Prints one sentence for errors that the operator can fix. All other errors are bugs and are printed with their stack. */
function fail(error: unknown): void {
  const isSentence = error instanceof RunnerError || (error instanceof Error && error.name === 'ProxyError');
  if (isSentence) process.stderr.write(`${error.message}\n`);
  else logger.error('unexpected', error);
  process.exit(error instanceof RunnerError && error.code !== 'usage' ? error.exitCode : 1);
}
