/** The entry of the package `@longshore/server`: `start` and `stop`. */
import { parseStartOptions, parseStopOptions, startHelp, stopHelp } from './options.ts';
import { createOutput, processTarget } from './output.ts';
import { StartError } from './start-error.ts';

const output = createOutput(processTarget());
// A reader that closes the pipe must not end the start.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {});
try {
  process.exitCode = await run(process.argv.slice(2));
} catch (error) {
  output.fail(error);
  process.exitCode = 1;
}

async function run([verb, ...args]: string[]): Promise<number> {
  if (verb === 'stop') {
    const options = parseStopOptions(args);
    if (options === 'help') return say(stopHelp);
    const { stop } = await import('./stop.ts');
    return stop(options, output);
  }
  if (verb !== 'start') throw new StartError('option', 'Name a command: start, stop.');
  const options = parseStartOptions(args);
  if (options === 'help') return say(startHelp);
  // Each loads only its own modules: the process that runs the instance stays.
  if (!options.detach) return (await import('./run-instance.ts')).runInstance(args, options);
  return (await import('./detach.ts')).startDetached(args, options);
}

function say(text: string): number {
  process.stdout.write(`${text}\n`);
  return 0;
}
