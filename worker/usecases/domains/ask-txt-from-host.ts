import { findConnectedHost } from '../../store/hosts/runner-store.ts';
import type { Dependencies } from '../dependencies.ts';

/** The host asks for a CNAME and a TXT record, each for up to 9 s. */
const answerTimeoutMs = 20_000;

/**
 * Makes the function that looks up TXT records at a connected host. A host of another tenant than the default one is never asked: its
 * name servers may be the tenant's.
 */
export function askTxtFromHost({ db, hubs }: Pick<Dependencies, 'db' | 'hubs'>) {
  return async (name: string): Promise<unknown> => {
    const runner = await findConnectedHost(db);
    if (!runner) return undefined;
    const answer = await hubs.request(runner.id, { op: 'look-up-txt', name }, answerTimeoutMs);
    return answer.ok ? answer.value : undefined;
  };
}
