/** Why a model gave no answer. The message contains no text from the provider, so it can be shown to everyone. */
export class AiFailure extends Error {
  override readonly name = 'AiFailure';
  /** The provider's own message: for the operator only, and only after the key is masked. */
  readonly words: string | undefined;

  constructor(message: string, words?: string) {
    super(message);
    this.words = words;
  }
}
