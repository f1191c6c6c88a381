/** The reasons why a registry gave no image. */

/**
 * `unreachable`: no answer at all. `missing`: it has no such image, or not for everybody. `unauthorized`: it refuses the login. `limited`:
 * it refuses more pulls for now. `broken`: its answer is unusable.
 */
type Trouble = 'unreachable' | 'missing' | 'unauthorized' | 'limited' | 'broken';

/** A trouble that may end soon. */
export interface Momentary {
  /** The wait that the registry requests; absent if it requests none. */
  waitMs?: number;
}

/** The message contains the registry's action, in words after "could not be pulled:". */
export class RegistryError extends Error {
  override readonly name = 'RegistryError';
  readonly trouble: Trouble;
  /** Absent if a retry does not help. */
  readonly momentary: Momentary | undefined;

  constructor(trouble: Trouble, message: string, options: { cause?: unknown; momentary?: Momentary } = {}) {
    super(message, options);
    this.trouble = trouble;
    this.momentary = options.momentary;
  }
}

/** Larger values of `Retry-After` are times: seconds since the epoch, as sent by Docker Hub. */
const secondsMax = 1e9;

/** Registries answer 429 and 5xx for temporary troubles. @param now epoch milliseconds */
export function momentaryOf(
  { status, headers }: { status: number; headers: { 'retry-after'?: string | undefined } },
  now: number,
): Momentary | undefined {
  if (status !== 429 && status < 500) return undefined;
  const asked = headers['retry-after'] ?? '';
  const seconds = Number(asked);
  const at = seconds > secondsMax ? seconds * 1_000 : Date.parse(asked);
  const waitMs = seconds > 0 && seconds <= secondsMax ? seconds * 1_000 : at - now;
  return waitMs > 0 ? { waitMs } : {};
}

/** The registry's message, and the wait that it requests. */
export const saidToWait = (said: string, momentary: Momentary | undefined): string =>
  momentary?.waitMs === undefined
    ? said
    : `${said}; it asks to wait ${Math.ceil(momentary.waitMs / 1_000)} s`;
