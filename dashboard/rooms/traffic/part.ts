import type { SetStoreFunction } from 'solid-js/store';
import type { RulesDraft } from './draft.ts';

/** What each part of the editor of traffic rules works on. */
export interface PartProps {
  draft: RulesDraft;
  setDraft: SetStoreFunction<RulesDraft>;
  /** @param field as the API names it, such as `redirects[0].to` */
  failureAt(field: string): string | undefined;
}

/** @returns the list without its entry at a place */
export const without = <Entry>(list: readonly Entry[], place: number): Entry[] =>
  list.filter((_, index) => index !== place);
