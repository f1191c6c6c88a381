/** Looks up TXT records with the host's name servers. */
import type { TxtAnswer } from '../../../protocol/txt-answer.ts';
import { askNameServers } from '../../base/ask-name-servers.ts';
import { lookUpMs } from './look-up.ts';

/**
 * The TXT records with exactly this name; a CNAME is not followed. Never rejects.
 * @param servers as `createLookUp`
 */
export async function lookUpTxt(name: string, servers?: readonly string[]): Promise<TxtAnswer> {
  const late = AbortSignal.timeout(lookUpMs);
  try {
    // The resolver follows a CNAME silently, so the CNAME is queried first.
    const aliases = await askNameServers((resolver) => resolver.resolveCname(name), late, servers);
    const records =
      aliases.length > 0 ? [] : await askNameServers((resolver) => resolver.resolveTxt(name), late, servers);
    return { found: 'records', values: records.map((strings) => strings.join('')) };
  } catch (error) {
    return { found: 'failure', reason: String((error as NodeJS.ErrnoException).code ?? error) };
  }
}
