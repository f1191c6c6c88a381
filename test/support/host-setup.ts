/** Global set-up of the projects that need a host: Docker, Caddy and base images, as `npm start` would make them. Quick when all is there. */
import { testImages } from '../../local/images/recipes.ts';
import { dataDirectory, makeDataDirectory } from '../../local/instance/data-directory.ts';
import { createOutput, processTarget } from '../../local/output.ts';
import { setUpHost } from '../../local/setup/set-up.ts';

export async function setup(): Promise<void> {
  const data = dataDirectory(new URL('../../.longshore', import.meta.url).pathname);
  makeDataDirectory(data);
  await setUpHost(data, createOutput(processTarget()), testImages);
}
