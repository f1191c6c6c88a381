import type { Dependencies } from './dependencies.ts';

/**
 * The bearer token for a host's requests that transfer the bytes of one attempt at a job. Only that attempt receives it, sealed. The
 * token is not stored, because it can be derived again.
 */
export const transferTokenOf = (
  { fingerprint }: Pick<Dependencies, 'fingerprint'>,
  { id, epoch }: { id: string; epoch: number },
): Promise<string> => fingerprint('transfer', `${id} ${epoch}`);

/** Whether this is the attempt's token. Constant time. */
export const isTransferTokenOf = (
  { isFingerprint }: Pick<Dependencies, 'isFingerprint'>,
  { id, epoch }: { id: string; epoch: number },
  token: string,
): Promise<boolean> => isFingerprint('transfer', `${id} ${epoch}`, token);
