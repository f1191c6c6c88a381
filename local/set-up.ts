/**
 * Installs what a host needs besides Node: git, ssh, nft, Docker, Caddy, base images. `npm start`, `npm test` and `npm run setup` all do
 * this.
 */

import { connectDocker } from './docker/engine.ts';
import { ensureImage, type ImageOrigin } from './images/ensure-image.ts';
import { startImages } from './images/recipes.ts';
import { type DataDirectory, dataDirectory, makeDataDirectory } from './instance/data-directory.ts';
import { parseSetUpOptions, setUpHelp } from './options.ts';
import type { Output } from './output.ts';
import { buildFixesHint } from './setup/build-fixes-hint.ts';
import { canRun } from './setup/command.ts';
import { ensureCaddy } from './setup/ensure-caddy.ts';
import { ensureDocker } from './setup/ensure-docker.ts';
import { ensureNft } from './setup/ensure-nft.ts';
import { ensureSsh } from './setup/ensure-ssh.ts';
import { reserveServicePorts } from './setup/reserve-service-ports.ts';
import { runcHint } from './setup/runc-hint.ts';
import { StartError } from './start-error.ts';

export interface HostTools {
  caddyPath: string;
  /** Base images that are stand-ins because no registry answers. */
  standIns: string[];
}

/**
 * Idempotent. On a machine that has everything, it takes a fraction of a second.
 * @throws StartError
 */
export async function setUpHost(data: DataDirectory, output: Output): Promise<HostTools> {
  if (!(await canRun('git', ['--version']))) {
    throw new StartError('missing_tool', 'git is not installed.', { command: 'sudo apt-get install git' });
  }
  const say = (line: string) => output.say(line);
  await reserveServicePorts(say);
  await ensureSsh(say);
  await ensureNft(say);
  await output.step('Docker', () => ensureDocker({ say, logFile: data.dockerLog }));
  const caddyPath = await output.step('Caddy', () => ensureCaddy(data.tools, say));
  const origins = await output.step('base images', () => ensureImages(startImages, say));
  const standIns = origins.filter(([, origin]) => origin === 'stand-in').map(([image]) => image);
  return { caddyPath, standIns };
}

/** Ensures the images one after the other: in parallel they would only compete for the same processors and the same line. */
async function ensureImages(
  images: readonly string[],
  say: (line: string) => void,
): Promise<[string, ImageOrigin][]> {
  const origins: [string, ImageOrigin][] = [];
  for (const image of images) origins.push([image, await ensureImage(image, { say })]);
  return origins;
}

/** `npm run setup`: does the same for a host that only runs a runner. */
export async function setUp(args: string[], output: Output): Promise<number> {
  const options = parseSetUpOptions(args);
  if (options === 'help') {
    output.print(setUpHelp);
    return 0;
  }
  const data = dataDirectory(options.data);
  makeDataDirectory(data);
  const tools = await setUpHost(data, output);
  const docker = connectDocker();
  for (const line of [...(await buildFixesHint(docker)), ...(await runcHint(docker))]) output.say(line);
  output.print(`Caddy: ${tools.caddyPath}`);
  return 0;
}
