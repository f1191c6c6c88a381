/**
 * `node local/starter.ts [options of start]`, run by the keeper: starts the instance and ends. It loads zod, dockerode and the set-up;
 * the process that stays would hold them for as long as the instance runs (46 instead of 12 MB of its own).
 */
import { makeStandInsAhead } from './images/ensure-image.ts';
import { databaseImages } from './images/recipes.ts';
import { linkToKeeper } from './keeper/keeper-link.ts';
import { parseStartOptions } from './options.ts';
import { createOutput } from './output.ts';
import { programRoot } from './program.ts';
import { startInstance } from './start-instance.ts';

const link = linkToKeeper();
const output = createOutput(link.target);
const options = parseStartOptions(process.argv.slice(2));
if (options === 'help') throw new Error('no help here');
try {
  await startInstance({ projectRoot: programRoot, options, output, link });
  link.ready();
  // The user who waits for the start doesn't need a database yet.
  if (!options.paused) await makeStandInsAhead(databaseImages, { say: (line) => output.say(line) });
} catch (error) {
  output.fail(error);
  process.exitCode = 1;
}
await link.flushed();
// Open connections, as to Docker, must not keep the process.
process.exit();
