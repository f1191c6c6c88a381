/** Unsaved text of a form: it is still there when the user returns to the page. */
import { createStore, reconcile } from 'solid-js/store';
import { queries } from '../api/query-client.ts';

type Typed = Partial<Record<string, string>>;

/**
 * Kept in the cache with the answers of the API, so that it is removed with them when the session ends.
 * @param key of the form, like the key of a query
 */
export function createDraft(key: readonly string[]) {
  const queryKey = [...key, 'draft'];
  queries.setQueryDefaults(queryKey, { gcTime: Number.POSITIVE_INFINITY });
  const [typed, setTyped] = createStore<Typed>({ ...queries.getQueryData<Typed>(queryKey) });
  return {
    typed,
    type(name: string, text: string) {
      setTyped(name, text);
      queries.setQueryData(queryKey, { ...typed });
    },
    discard() {
      setTyped(reconcile({}));
      queries.removeQueries({ queryKey });
    },
  };
}
