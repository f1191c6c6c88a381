import type { SetStoreFunction } from 'solid-js/store';
import type { RulesDraft } from './traffic-draft.ts';

/** The properties of each part of the editor of traffic rules. */
export interface PartProps {
  draft: RulesDraft;
  setDraft: SetStoreFunction<RulesDraft>;
  /** @param field in the API's form, such as `redirects[0].to` */
  failureAt(field: string): string | undefined;
}

/** @returns the list without the entry at this index */
export const without = <Entry>(list: readonly Entry[], place: number): Entry[] =>
  list.filter((_, index) => index !== place);
