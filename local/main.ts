/** The commands of `local/start.mjs`, run by the project's own Node. */
import { flushCompileCache } from 'node:module';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import {
  cloudflareHelp,
  parseCloudflareOptions,
  parseRestoreOptions,
  parseStartOptions,
  parseStopOptions,
  restoreHelp,
  startHelp,
  stopHelp,
} from './options.ts';
import { createOutput, processTarget } from './output.ts';
import { StartError } from './start-error.ts';

const projectRoot = dirname(dirname(fileURLToPath(import.meta.url)));
const verbs = ['start', 'stop', 'test', 'setup', 'cloudflare', 'restore'] as const;

/** Runs one command and sets the exit code. A `start` in the foreground ends with the instance. */
export async function runMain(args: string[]): Promise<void> {
  const output = createOutput(processTarget());
  // A reader that closes the pipe (`npm start | head`) must not end the start.
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {});
  try {
    process.exitCode = await runVerb(args, output);
  } catch (error) {
    output.fail(error);
    process.exitCode = 1;
  }
}

type Output = ReturnType<typeof createOutput>;

/** Each command loads only its own modules: `stop` needs no control plane. */
async function runVerb([verb, ...args]: string[], output: Output): Promise<number> {
  switch (verb) {
    case 'start':
      return start(args);
    case 'stop': {
      const options = parseStopOptions(args);
      if (options === 'help') return say(stopHelp);
      const { stop } = await import('./stop.ts');
      return stop(options, output);
    }
    case 'setup': {
      const { setUp } = await import('./set-up.ts');
      return setUp(args, output);
    }
    case 'test': {
      const { runTests } = await import('./test-run.ts');
      return runTests(projectRoot, args, output);
    }
    case 'cloudflare': {
      const options = parseCloudflareOptions(args);
      if (options === 'help') return say(cloudflareHelp);
      const { installOnCloudflare } = await import('./cloudflare/install.ts');
      return installOnCloudflare(projectRoot, options, output);
    }
    case 'restore': {
      const options = parseRestoreOptions(args);
      if (options === 'help') return say(restoreHelp);
      const { restore } = await import('./restore/restore.ts');
      return restore(projectRoot, options, output);
    }
    default:
      throw new StartError('option', `Name a command: ${verbs.join(', ')}.`);
  }
}

async function start(args: string[]): Promise<number> {
  const options = parseStartOptions(args);
  if (options === 'help') return say(startHelp);
  // The process that stays finds its compiled code in Node's cache. One that strips its own types keeps the stripper in memory (16 MB).
  const { runInstance } = await import('./run-instance.ts');
  if (!options.detach) return runInstance(args, options);
  flushCompileCache();
  const { startDetached } = await import('./detach.ts');
  return startDetached(args, options);
}

function say(text: string): number {
  process.stdout.write(`${text}\n`);
  return 0;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await runMain(process.argv.slice(2));
