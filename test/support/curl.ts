/** curl for tests that run the commands in the docs: the machine's curl, else the distribution's package, unpacked. */
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { canRun } from '../../local/setup/command.ts';
import { unpackedLibraries, unpackMissing } from './unpack-missing.ts';

const tools = fileURLToPath(new URL('../../.longshore/tools/curl', import.meta.url));

/** An environment in which `curl` is found. */
export async function curlEnvironment(): Promise<NodeJS.ProcessEnv> {
  if (await canRun('curl', ['--version'])) return process.env;
  await unpackMissing(['curl'], tools);
  return {
    ...process.env,
    PATH: [process.env.PATH, join(tools, 'usr/bin')].join(delimiter),
    LD_LIBRARY_PATH: unpackedLibraries(tools),
  };
}
