import type { EngineAddress, EngineEnvironment } from '../engine.ts';
import { connected } from './connected.ts';

/**
 * Has the server read its settings and its certificate again. Sessions stay as they are; a certificate that can't be used is left
 * out with a line in the server's log. https://www.postgresql.org/docs/17/ssl-tcp.html#SSL-SERVER-FILES
 * @throws EngineError
 */
export const reloadSettings = (address: EngineAddress, env: EngineEnvironment): Promise<void> =>
  connected(address, env, async (client) => void (await client.query('SELECT pg_reload_conf()')));
