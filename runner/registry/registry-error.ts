/** Why a registry gave no image. */

/**
 * `unreachable`: no answer at all. `missing`: it has no such image, or not for everybody. `unauthorized`: it refuses the login.
 * `limited`: it gives no more pulls for now. `broken`: its answer is of no use.
 */
type Trouble = 'unreachable' | 'missing' | 'unauthorized' | 'limited' | 'broken';

/** A trouble that may be over in a moment. */
export interface Momentary {
  /** How long the registry asks to wait; absent: it does not say. */
  waitMs?: number;
}

/** The message says what the registry did, in words that follow "could not be pulled:". */
export class RegistryError extends Error {
  override readonly name = 'RegistryError';
  readonly trouble: Trouble;
  /** Absent: asking again helps nothing. */
  readonly momentary: Momentary | undefined;

  constructor(trouble: Trouble, message: string, options: { cause?: unknown; momentary?: Momentary } = {}) {
    super(message, options);
    this.trouble = trouble;
    this.momentary = options.momentary;
  }
}

/** Larger values of `Retry-After` are times: seconds since the epoch, as Docker Hub writes them. */
const secondsMax = 1e9;

/** Registries answer 429 and 5xx for moments. @param now epoch milliseconds */
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

/** What a registry said, and how long it asks to wait. */
export const saidToWait = (said: string, momentary: Momentary | undefined): string =>
  momentary?.waitMs === undefined
    ? said
    : `${said}; it asks to wait ${Math.ceil(momentary.waitMs / 1_000)} s`;
