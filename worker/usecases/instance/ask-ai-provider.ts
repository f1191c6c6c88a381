/** Asks an AI provider one question, with one attempt to repair an unreadable answer. */

import { ApiError } from '../../domain/errors.ts';
import {
  explanationInstructions,
  explanationJsonSchema,
  readAnswer,
  repairRequest,
} from '../../domain/explanations/failure-prompt.ts';
import type { ExplanationText } from '../../domain/explanations/failure-rules/failure.ts';
import { checkedBaseUrl } from '../../domain/instance/ai-providers.ts';
import type { Settings } from '../../domain/instance/settings.ts';
import { secretMasker } from '../../domain/variables/mask-secrets.ts';
import { AiFailure, type ModelAddress } from '../../gateways/ai/model-question.ts';
import type { AiProviderRow } from '../../store/instance/ai-provider-store.ts';
import type { Dependencies } from '../dependencies.ts';
import { openCredentials } from './connect-ai-provider.ts';

type Needs = Pick<Dependencies, 'ai' | 'envelope'>;

/** Time limit for both attempts together, because a client waits. */
const answerTimeoutMs = 20_000;
const providerWordsMax = 300;

/**
 * Asks for an explanation.
 * @param question without secrets (domain/failure-prompt)
 * @throws AiFailure for any failure; the caller then falls back to the rules
 */
export async function askForExplanation(
  deps: Needs,
  { provider, model, settings }: { provider: AiProviderRow; model: string; settings: Settings },
  question: string,
): Promise<ExplanationText> {
  const address = await addressOf(deps, provider, model, settings);
  const signal = AbortSignal.timeout(answerTimeoutMs);
  const ask = (turns: string[]) =>
    deps.ai.ask(address, {
      instructions: explanationInstructions,
      turns,
      schema: explanationJsonSchema,
      signal,
    });
  const answer = await ask([question]);
  const read = readAnswer(answer);
  if ('explanation' in read) return read.explanation;
  const repaired = readAnswer(await ask([question, answer || '(nothing)', repairRequest(read.problem)]));
  if ('explanation' in repaired) return repaired.explanation;
  throw new AiFailure(`The AI provider gave no usable answer: ${repaired.problem}.`);
}

export interface AiProviderTest {
  ok: boolean;
  model: string;
  /** The result as a sentence, with the provider's error message. */
  detail: string;
  durationMs: number;
}

/** Sends one short question to check URL, key and model. Never throws for a failure of the provider. */
export async function testAiProvider(
  deps: Needs & Pick<Dependencies, 'now'>,
  provider: AiProviderRow,
  settings: Settings,
): Promise<AiProviderTest> {
  const startedAt = deps.now();
  const model = provider.defaultModel;
  const result = await tryOut(deps, provider, settings);
  return { ...result, model, durationMs: deps.now() - startedAt };
}

async function tryOut(
  deps: Needs,
  provider: AiProviderRow,
  settings: Settings,
): Promise<Pick<AiProviderTest, 'ok' | 'detail'>> {
  try {
    const address = await addressOf(deps, provider, provider.defaultModel, settings);
    const answer = await deps.ai.ask(address, {
      instructions:
        'This is a test of the connection. Answer with the JSON object {"ok": true} and nothing else.',
      turns: ['Does this work?'],
      schema: { type: 'object', properties: { ok: { type: 'boolean' } }, required: ['ok'] },
      signal: AbortSignal.timeout(answerTimeoutMs),
    });
    return answer.trim() === ''
      ? { ok: false, detail: 'The AI provider sent an empty answer.' }
      : { ok: true, detail: 'The AI provider answered.' };
  } catch (error) {
    if (!(error instanceof AiFailure)) throw error;
    const masked = secretMasker([await keyOf(deps, provider)]);
    const words =
      error.words === undefined ? '' : ` Its message: ${masked(error.words).slice(0, providerWordsMax)}`;
    return { ok: false, detail: error.message + words };
  }
}

/** @throws AiFailure if the stored provider can't be used. */
async function addressOf(
  deps: Needs,
  provider: AiProviderRow,
  model: string,
  settings: Settings,
): Promise<ModelAddress> {
  try {
    // Checked at each use, because the setting may have changed.
    const baseUrl = checkedBaseUrl(provider.baseUrl ?? '', settings);
    const { apiKey } = await openCredentials(deps, provider);
    return { kind: provider.kind, baseUrl, apiKey, model };
  } catch (error) {
    if (error instanceof ApiError) throw new AiFailure(error.message);
    throw error;
  }
}

const keyOf = (deps: Needs, provider: AiProviderRow) =>
  openCredentials(deps, provider).then(
    ({ apiKey }) => apiKey ?? '',
    () => '',
  );
