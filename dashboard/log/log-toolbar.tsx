/** Search in a log, choose what is shown, save it as a file. */
import { For, Show } from 'solid-js';
import { t } from '../text/text.ts';
import { Button } from '../ui/button.tsx';
import { Filter } from '../ui/filter.tsx';
import { DownIcon, UpIcon } from '../ui/icons.tsx';
import { saveFile } from '../ui/save-file.ts';
import { withoutColours } from './ansi.ts';
import type { Line, Shown } from './log-lines.ts';

const kinds = ['all', 'stderr', 'system'] as const satisfies readonly Shown[];

interface LogToolbarProps {
  lines: readonly Line[];
  kind: Shown;
  onKind(kind: Shown): void;
  words: string;
  onWords(words: string): void;
  found: { at: number; of: number };
  onMatch(by: number): void;
  name: string;
}

export function LogToolbar(props: LogToolbarProps) {
  const pressed = (event: KeyboardEvent) => {
    if (event.key !== 'Enter') return;
    event.preventDefault();
    props.onMatch(event.shiftKey ? -1 : 1);
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: Enter in the search field inside moves to the next match
    <div
      class="log-toolbar"
      onKeyDown={(event) => event.target instanceof HTMLInputElement && pressed(event)}
    >
      <Filter label={t.log.search} value={props.words} onInput={props.onWords} />
      <Show when={props.words !== ''}>
        <span class="quiet-text" role="status">
          {t.log.found(props.found.at, props.found.of)}
        </span>
        <Button
          kind="quiet"
          class="small"
          icon={UpIcon}
          aria-label={t.log.previous}
          onClick={() => props.onMatch(-1)}
        />
        <Button
          kind="quiet"
          class="small"
          icon={DownIcon}
          aria-label={t.log.next}
          onClick={() => props.onMatch(1)}
        />
      </Show>
      <fieldset class="segmented">
        <legend class="visually-hidden">{t.log.streamsLabel}</legend>
        <For each={kinds}>
          {(kind) => (
            <button type="button" aria-pressed={props.kind === kind} onClick={() => props.onKind(kind)}>
              {t.log.streams[kind]}
            </button>
          )}
        </For>
      </fieldset>
      <Button kind="quiet" class="small" onClick={() => save(props.lines, props.name)}>
        {t.log.download}
      </Button>
    </div>
  );
}

function save(lines: readonly Line[], name: string): void {
  const text = lines.map(({ createdAt, line }) => `${createdAt} ${withoutColours(line)}\n`);
  saveFile(`${name}.log`, text, 'text/plain');
}
