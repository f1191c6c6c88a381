import type { Dependencies } from './dependencies.ts';

/**
 * Proves a host's requests that move the bytes of one attempt at a job: known to that attempt alone, which gets it sealed, and kept
 * nowhere, since it can be made again.
 */
export const transferTokenOf = (
  { fingerprint }: Pick<Dependencies, 'fingerprint'>,
  { id, epoch }: { id: string; epoch: number },
): Promise<string> => fingerprint('transfer', `${id} ${epoch}`);
