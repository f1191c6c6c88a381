/** The toolbar of a log: search, choose the shown lines, save as a file. */
import { For } from 'solid-js';
import { deploymentText, logText } from '../text/deployment-text.ts';
import { Button } from '../ui/button.tsx';
import { Filter } from '../ui/filter.tsx';
import { DownIcon, UpIcon } from '../ui/icons.tsx';
import { saveFile } from '../ui/save-file.ts';
import { Show } from '../ui/show.ts';
import { withoutColours } from './ansi.ts';
import { type Line, lineKinds, type NamedPart, type Shown } from './line.ts';
import { isWrapped, setIsWrapped } from './wrapping.ts';

interface LogToolbarProps {
  lines: readonly Line[];
  kind: Shown;
  onKind(kind: Shown): void;
  steps: readonly NamedPart[];
  /** The name of the step that is shown alone; empty: all. */
  step: string;
  onStep(name: string): void;
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
      <Filter label={logText.search} value={props.words} onInput={props.onWords} />
      <Show when={props.words !== ''}>
        <span class="quiet-text" role="status">
          {logText.found(props.found.at, props.found.of)}
        </span>
        <Button
          kind="quiet"
          class="small"
          icon={UpIcon}
          aria-label={logText.previous}
          onClick={() => props.onMatch(-1)}
        />
        <Button
          kind="quiet"
          class="small"
          icon={DownIcon}
          aria-label={logText.next}
          onClick={() => props.onMatch(1)}
        />
      </Show>
      <div class="log-choices">
        <Show when={props.steps.length > 0}>
          <select
            aria-label={logText.step}
            value={props.step}
            onInput={(event) => props.onStep(event.currentTarget.value)}
          >
            <option value="">{logText.allSteps}</option>
            <For each={props.steps.map(({ name }) => name)}>
              {(name) => (
                <option value={name} selected={name === props.step}>
                  {deploymentText.phases[name as keyof typeof deploymentText.phases] ?? name}
                </option>
              )}
            </For>
          </select>
        </Show>
        <select
          aria-label={logText.kind}
          value={props.kind}
          onInput={(event) => props.onKind(event.currentTarget.value as Shown)}
        >
          <For each={lineKinds}>{(kind) => <option value={kind}>{logText.kinds[kind]}</option>}</For>
        </select>
        <Button
          kind="quiet"
          class="small"
          aria-pressed={isWrapped()}
          onClick={() => setIsWrapped((wrapped) => !wrapped)}
        >
          {logText.wrap}
        </Button>
        <Button kind="quiet" class="small" onClick={() => save(props.lines, props.name)}>
          {logText.download}
        </Button>
      </div>
    </div>
  );
}

function save(lines: readonly Line[], name: string): void {
  const text = lines.map(({ createdAt, line }) => `${createdAt} ${withoutColours(line)}\n`);
  saveFile(`${name}.log`, text, 'text/plain');
}
