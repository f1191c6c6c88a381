/**
 * `npm run test:images`: brings every image that tests use to this machine's Docker, and says how long each took. They are pulled where a
 * registry answers, else made here. `npm run test:images -- --engines` leaves out the languages, which few tests build.
 */
import { parseArgs } from 'node:util';
import { createOutput, processTarget } from '../../local/output.ts';
import { setUpTestHost } from '../support/docker/host-setup.ts';
import { ensureTestImage } from './ensure-test-image.ts';
import { engineImages, standIns } from './recipes.ts';

const output = createOutput(processTarget());
try {
  const { values } = parseArgs({ options: { engines: { type: 'boolean', default: false } } });
  await setUpTestHost(output);
  const images = values.engines ? engineImages : standIns.map(({ image }) => image);
  for (const image of images) {
    await output.step(image, () => ensureTestImage(image, { say: (line) => output.say(line) }));
  }
} catch (error) {
  output.fail(error);
  process.exitCode = 1;
}
