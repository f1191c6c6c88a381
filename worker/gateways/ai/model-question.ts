/** What a language model is asked, and where. */
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
