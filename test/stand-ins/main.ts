/**
 * `npm run test:images`: brings every image that tests use to this machine's Docker, and says how long each took. They are pulled where a
 * registry answers, else made here. `npm run test:images -- --engines` leaves out the languages, which few tests build.
 */
import { parseArgs } from 'node:util';
import { createOutput, processTarget } from '../../local/output.ts';
import { setUpTestHost } from '../support/docker/host-setup.ts';
import { ensureTestImage } from './ensure-test-image.ts';
import { engineImages, standIns } from './recipes.ts';

/** Images that are made at the same time. Each uses one processor, and waits for the mirror in between. */
const atOnce = 2;

const output = createOutput(processTarget());
try {
  const { values } = parseArgs({ options: { engines: { type: 'boolean', default: false } } });
  await setUpTestHost(output);
  const images = values.engines ? engineImages : standIns.map(({ image }) => image);
  const left = [...images].reverse(); // the largest are the last ones
  const make = async () => {
    for (let image = left.shift(); image !== undefined; image = left.shift()) {
      const missing = image;
      await output.step(missing, () => ensureTestImage(missing, { say: (line) => output.say(line) }));
    }
  };
  await Promise.all(Array.from({ length: atOnce }, make));
} catch (error) {
  output.fail(error);
  process.exitCode = 1;
}
