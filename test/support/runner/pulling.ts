/** A process that pulls one image, for tests that kill it: `node pulling.ts <instance> <image>`. */
import { connectDocker } from '../../../runner/docker/client.ts';
import { pullImage } from '../../../runner/registry/pull-image.ts';

const [, , instance = '', image = ''] = process.argv;
const log = { line: () => undefined, write: () => undefined, hide: () => undefined };
const context = { log, signal: new AbortController().signal };
console.log(await pullImage(connectDocker(instance), image, { allowPrivate: true }, context));
