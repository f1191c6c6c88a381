/** `longshore`: the command line. */
import { proposeCompletions, run } from '@stricli/core';
import { createApp } from './app.ts';
import { exitCodes } from './base/failure.ts';
import { version } from './base/version.ts';
import { commandWords } from './base/words.ts';
import { proposeArgument } from './commands/completion.ts';

const [first, ...words] = process.argv.slice(2);
const given = commandWords(process.argv.slice(2));
const own = given.includes('--') ? given.slice(0, given.indexOf('--')) : given;
/** Node's types allow `undefined` as an exit code, the framework's do not. */
const context = {
  process: process as Omit<NodeJS.Process, 'exitCode'> & { exitCode?: number | string | null },
};
const app = createApp(own.includes('--json'), version);

// A reader that closes the pipe early (`longshore logs | head`) is not an error.
for (const stream of [process.stdout, process.stderr])
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') process.exit(0);
    throw error;
  });

if (first === proposeArgument) {
  const proposals = await proposeCompletions(app, words, context);
  for (const { completion } of proposals) process.stdout.write(`${completion}\n`);
  // A control plane that does not answer must not block the shell.
  process.exit();
} else {
  await run(app, given, context);
  // For wrong usage, the framework has its own negative exit codes.
  if (Number(process.exitCode) < 0) process.exitCode = exitCodes.usage;
}
