/** Followed searches of a key that are open in this isolate. Each of them polls a host. */
import { ApiError } from '../../domain/errors.ts';
import type { LogReader } from '../../gateways/log-reader.ts';

/** Limit for a key without a limit of its own. */
const followsMax = 20;
const open = new Map<string, number>();

/**
 * Takes one of the key's places.
 * @param of the service or project
 * @returns a function that returns the place
 * @throws ApiError `rate_limited`
 */
export function takeFollowPlace(of: string, { keyId, streamsMax }: LogReader): () => void {
  const name = `${keyId} ${of}`;
  const taken = open.get(name) ?? 0;
  const most = streamsMax ?? followsMax;
  if (taken >= most) {
    throw new ApiError(
      'rate_limited',
      `This key follows these logs ${most} times at once, which is its limit: close some, or try again later.`,
      { retryAfterSeconds: 10 },
    );
  }
  open.set(name, taken + 1);
  let isTaken = true;
  return () => {
    if (!isTaken) return;
    isTaken = false;
    const left = (open.get(name) ?? 1) - 1;
    if (left > 0) open.set(name, left);
    else open.delete(name);
  };
}
