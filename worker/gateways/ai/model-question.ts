/** A question to a language model, the model's address, and the reasons for a missing answer. */
import type { JSONSchema7 } from '@ai-sdk/provider';
import type { AiProviderKind } from '../../domain/instance/ai-providers.ts';

export interface ModelAddress {
  kind: AiProviderKind;
  baseUrl: string;
  apiKey: string | null;
  model: string;
}

export interface Question {
  instructions: string;
  /** Alternating messages of the user and the model, starting with the user. */
  turns: readonly string[];
  /** Enforced by models that support structured output; the answer is validated anyway. */
  schema: JSONSchema7;
  /** Aborts the call. */
  signal: AbortSignal;
}

/** Why a model gave no answer. The message contains no text from the provider, so it can be shown to everyone. */
export class AiFailure extends Error {
  override readonly name = 'AiFailure';
  /** The provider's own message, only for the operator and with the key masked. */
  readonly words: string | undefined;

  constructor(message: string, words?: string) {
    super(message);
    this.words = words;
  }
}
