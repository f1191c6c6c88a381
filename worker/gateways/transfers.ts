/** Streams bytes from a host to an API client: one Transfer object per transfer connects the two requests. */
import { ApiError } from '../domain/errors.ts';
import type { TransferCalls } from './object-calls.ts';

export interface Transfers {
  /**
   * The client's side: waits for the host's first bytes.
   * @throws ApiError `unavailable` if the host sent none in time
   */
  receive(transferId: string, size: number): Promise<ReadableStream>;
  /** The host's side: passes one part on. */
  pass(transferId: string, request: Request): Promise<Response>;
}

export function createTransfers(namespace: DurableObjectNamespace<TransferCalls>): Transfers {
  const objectOf = (transferId: string) => namespace.get(namespace.idFromName(transferId));
  return {
    async receive(transferId, size) {
      const response = await objectOf(transferId).fetch(`https://transfer/?size=${size}`);
      if (response.ok && response.body) return response.body;
      await response.body?.cancel();
      throw new ApiError('unavailable', 'The host did not send the file in time: try again.');
    },
    pass(transferId, request) {
      const { search } = new URL(request.url);
      return objectOf(transferId).fetch(new Request(`https://transfer/${search}`, request));
    },
  };
}
