import type { EngineAddress, EngineEnvironment } from '../engine.ts';
import { connected } from './connected.ts';

/**
 * Makes the server read its settings and its certificate again. Sessions continue unchanged. The server skips an unusable certificate and
 * writes a line to its log. https://www.postgresql.org/docs/17/ssl-tcp.html#SSL-SERVER-FILES
 * @throws EngineError
 */
export const reloadSettings = (address: EngineAddress, env: EngineEnvironment): Promise<void> =>
  connected(address, env, async (client) => void (await client.query('SELECT pg_reload_conf()')));
