import { LongshoreError } from '../../client/client.ts';

/** How long to wait before a stream is opened again: the server's `Retry-After`, if it is longer. */
export const waitAgainMs = (waitMs: number, error: unknown): number =>
  error instanceof LongshoreError && error.retryAfterSeconds
    ? Math.max(waitMs, error.retryAfterSeconds * 1_000)
    : waitMs;
