/** Global set-up of the projects that need a host: Docker and Caddy as `npm start` sets them up, and the images. Quick if all of it exists. */
import { fileURLToPath } from 'node:url';
import { dataDirectory, makeDataDirectory } from '../../../local/instance/data-directory.ts';
import { createOutput, type Output, processTarget } from '../../../local/output.ts';
import { setUpHost } from '../../../local/set-up.ts';
import { ensureTestImage } from '../../stand-ins/ensure-test-image.ts';
import { engineImages } from '../../stand-ins/recipes.ts';

export async function setup(): Promise<void> {
  const output = createOutput(processTarget());
  await setUpTestHost(output);
  await output.step('images of the tests', async () => {
    for (const image of engineImages) await ensureTestImage(image, { say: (line) => output.say(line) });
  });
}

/** Caddy is unpacked once in this checkout; the instances of tests have their own data directories. */
export async function setUpTestHost(output: Output): Promise<void> {
  const data = dataDirectory(fileURLToPath(new URL('../../../.longshore', import.meta.url)));
  makeDataDirectory(data);
  await setUpHost(data, output);
}
