import type { ModelAddress, Question } from './model-question.ts';
import { type Fetch, outsideFetch } from './outside-fetch.ts';

export interface LanguageModels {
  /** @throws AiFailure if the model did not answer or refused */
  ask(address: ModelAddress, question: Question): Promise<string>;
}

/** The providers' packages are loaded by the first question: most isolates ask none, and start faster without them. */
export function createLanguageModels(fetch: Fetch): LanguageModels {
  const safeFetch = outsideFetch(fetch);
  return {
    async ask(address, question) {
      const { askModel } = await import('./ask-model.ts');
      return askModel(address, question, safeFetch);
    },
  };
}
