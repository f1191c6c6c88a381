/**
 * Sends one prompt to a language model and returns its text. The wire formats come from the AI SDK's provider packages
 * (ai-sdk.dev/providers). The SDK's core (streaming, tools, agents) is not included: it would double the Worker's size, and nothing
 * here needs it.
 */
import { createAnthropic } from '@ai-sdk/anthropic';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { APICallError, type LanguageModelV4, type LanguageModelV4Prompt } from '@ai-sdk/provider';
import type { AiProviderKind } from '../../domain/instance/ai-providers.ts';
import { AiFailure, type ModelAddress, type Question } from './model-question.ts';
import type { Fetch } from './outside-fetch.ts';

/** An explanation takes about 500 tokens, but the thinking of reasoning models counts as well. */
const outputTokensMax = 2_048;

/** @throws AiFailure if the model did not answer or refused */
export async function askModel(
  address: ModelAddress,
  { instructions, turns, schema, signal }: Question,
  fetch: Fetch,
): Promise<string> {
  const { model, schema: takesSchema } = wires[address.kind](address, fetch);
  try {
    const { content, structuredOutputText } = await model.doGenerate({
      prompt: promptOf(instructions, turns),
      maxOutputTokens: outputTokensMax,
      ...(takesSchema ? { responseFormat: { type: 'json', schema, name: 'explanation' } } : {}),
      abortSignal: signal,
    });
    return structuredOutputText ?? content.map((part) => (part.type === 'text' ? part.text : '')).join('');
  } catch (error) {
    throw failureOf(error, address, signal);
  }
}

interface Wire {
  model: LanguageModelV4;
  /** Whether to send a schema. OpenAI-compatible servers accept different schemas, and some none, so they get only instructions. */
  schema: boolean;
}

const wires: Record<AiProviderKind, (address: ModelAddress, fetch: Fetch) => Wire> = {
  'openai-compatible': (address, fetch) => ({ model: openAiModel(address, fetch), schema: false }),
  'workers-ai': (address, fetch) => ({ model: openAiModel(address, fetch), schema: false }),
  anthropic: ({ baseUrl, apiKey, model }, fetch) => ({
    model: createAnthropic({ baseURL: baseUrl, apiKey: apiKey ?? '', fetch })(model),
    schema: true,
  }),
};

function openAiModel({ kind, baseUrl, apiKey, model }: ModelAddress, fetch: Fetch): LanguageModelV4 {
  const isOpenAi = new URL(baseUrl).hostname === 'api.openai.com';
  const provider = createOpenAICompatible({
    name: kind,
    baseURL: baseUrl,
    fetch,
    ...(apiKey === null ? {} : { apiKey }),
    // OpenAI's newer models refuse the old parameter name, and other servers accept only the old one (platform.openai.com, chat completions).
    transformRequestBody: ({ max_tokens, ...body }) =>
      isOpenAi ? { ...body, max_completion_tokens: max_tokens } : { ...body, max_tokens },
  });
  return provider.chatModel(model);
}

function promptOf(instructions: string, turns: readonly string[]): LanguageModelV4Prompt {
  return [
    { role: 'system', content: instructions },
    ...turns.map((text, index) => ({
      role: index % 2 === 0 ? ('user' as const) : ('assistant' as const),
      content: [{ type: 'text' as const, text }],
    })),
  ];
}

function failureOf(error: unknown, { model }: ModelAddress, signal: AbortSignal): AiFailure {
  if (signal.aborted) return new AiFailure('The AI provider did not answer in time.');
  if (!APICallError.isInstance(error) || error.statusCode === undefined) {
    return new AiFailure('The AI provider could not be reached.', wordsOf(error));
  }
  return new AiFailure(sentenceOf(error.statusCode, model), error.responseBody ?? error.message);
}

function sentenceOf(status: number, model: string): string {
  if (status === 401 || status === 403) return `The AI provider refused its key (HTTP ${status}).`;
  if (status === 404)
    return `The AI provider does not have the model "${model}", or the base URL is wrong (HTTP 404).`;
  if (status === 429) return 'The AI provider refuses more requests for now (HTTP 429).';
  if (status >= 300 && status < 400) {
    return `The AI provider answered with a redirect (HTTP ${status}), and redirects are not followed.`;
  }
  if (status >= 400) return `The AI provider answered with HTTP ${status}.`;
  return 'The answer of the AI provider was not understood.';
}

const wordsOf = (error: unknown) => (error instanceof Error ? error.message : String(error));
