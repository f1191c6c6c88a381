/** Why a registry gave no image. */

/**
 * `unreachable`: no answer at all. `missing`: it has no such image, or not for everybody. `unauthorized`: it refuses the login.
 * `limited`: it gives no more pulls for now. `broken`: its answer is of no use.
 */
type Trouble = 'unreachable' | 'missing' | 'unauthorized' | 'limited' | 'broken';

/** The message says what the registry did, in words that follow "could not be pulled:". */
export class RegistryError extends Error {
  override readonly name = 'RegistryError';
  readonly trouble: Trouble;

  constructor(trouble: Trouble, message: string, options?: { cause?: unknown }) {
    super(message, options);
    this.trouble = trouble;
  }
}
