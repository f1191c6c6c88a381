/** The filter field, which `/` focuses. */
import { SearchIcon } from './icons.tsx';

export function Filter(props: { label: string; value: string; onInput(words: string): void }) {
  return (
    <label class="filter">
      <SearchIcon />
      <input
        type="search"
        data-filter
        aria-label={props.label}
        placeholder={props.label}
        spellcheck={false}
        autocomplete="off"
        value={props.value}
        onInput={(event) => props.onInput(event.currentTarget.value)}
      />
      <kbd>/</kbd>
    </label>
  );
}
