/** The buttons that choose the theme. */
import { For } from 'solid-js';
import { t } from '../text/text.ts';
import { setTheme, theme, themes } from './theme.ts';

export function ThemeChoice() {
  return (
    <fieldset class="segmented">
      <legend class="visually-hidden">{t.settings.theme}</legend>
      <For each={themes}>
        {(one) => (
          <button type="button" aria-pressed={theme() === one} onClick={() => setTheme(one)}>
            {t.settings.themes[one]}
          </button>
        )}
      </For>
    </fieldset>
  );
}
