/** `ip` for tests that create networks: the machine's `ip`, else the distribution's package, unpacked. */
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { canRun } from '../../local/setup/command.ts';
import { unpackedLibraries, unpackMissing } from './unpack-missing.ts';

const tools = fileURLToPath(new URL('../../.longshore/tools/iproute2', import.meta.url));

/** An environment in which `ip` is found. */
export async function ipEnvironment(): Promise<NodeJS.ProcessEnv> {
  if (await canRun('ip', ['-V'])) return process.env;
  await unpackMissing(['iproute2'], tools);
  return {
    ...process.env,
    PATH: [process.env.PATH, join(tools, 'bin'), join(tools, 'usr/bin')].join(delimiter),
    LD_LIBRARY_PATH: unpackedLibraries(tools),
  };
}
