/** Looks up TXT records with the host's name servers. */
import { Resolver } from 'node:dns/promises';
import type { TxtAnswer } from '../../../protocol/txt-answer.ts';
import { lookUpLimits, noSuchRecord } from './look-up.ts';

/**
 * The TXT records with exactly this name; a CNAME is not followed. Never rejects.
 * @param servers as `createLookUp`
 */
export async function lookUpTxt(name: string, servers?: readonly string[]): Promise<TxtAnswer> {
  const resolver = new Resolver(lookUpLimits);
  if (servers) resolver.setServers(servers);
  try {
    // The resolver follows a CNAME silently, so the CNAME is queried first.
    const aliases = await orNone(resolver.resolveCname(name));
    const records = aliases.length > 0 ? [] : await orNone(resolver.resolveTxt(name));
    return { found: 'records', values: records.map((strings) => strings.join('')) };
  } catch (error) {
    return { found: 'failure', reason: String((error as NodeJS.ErrnoException).code ?? error) };
  }
}

async function orNone<Item>(asked: Promise<Item[]>): Promise<Item[]> {
  try {
    return await asked;
  } catch (error) {
    if (noSuchRecord.has(String((error as NodeJS.ErrnoException).code))) return [];
    throw error;
  }
}
