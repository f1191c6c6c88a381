/** The command palette: a combobox (ARIA APG) with all pages and actions. */
import { useNavigate } from '@solidjs/router';
import { createMemo, createSignal, For, onMount } from 'solid-js';
import { useProjects } from '../api/queries.ts';
import { signOutHere } from '../api/sign-out.ts';
import { credentialsText } from '../text/credentials-text.ts';
import { operatorText } from '../text/operator-text.ts';
import { t } from '../text/text.ts';
import { Show } from '../ui/show.ts';
import { type Command, pageCommands } from './commands.ts';
import { keysText, paletteText } from './shell-text.ts';
import { setTheme, themes } from './theme.ts';

interface Entry extends Command {
  group: string;
}

/** Pages of the operator, below `/operator/`. They show the operator's sign-in. */
const operatorRooms = Object.keys(operatorText.rooms) as (keyof typeof operatorText.rooms)[];

/** Users find more by typing. */
const shownMax = 40;

export function Palette(props: { onClose(): void; onHelp(): void }) {
  const navigate = useNavigate();
  const projects = useProjects();
  const [words, setWords] = createSignal('');
  const [chosen, setChosen] = createSignal(0);
  let dialog: HTMLDialogElement | undefined;
  onMount(() => dialog?.showModal());

  const entries = createMemo((): Entry[] => [
    ...pageCommands().map((command) => ({ ...command, group: paletteText.groups.page })),
    ...(projects.data ?? []).flatMap(({ name, services }) =>
      services.map((service) => ({
        group: paletteText.groups.services,
        label: service.name,
        detail: name,
        run: () => navigate(`/services/${service.id}`),
      })),
    ),
    ...(projects.data ?? []).map((project) => ({
      group: paletteText.groups.projects,
      label: project.name,
      run: () => navigate(`/projects/${project.slug}`),
    })),
    { group: paletteText.groups.app, label: t.nav.projects, run: () => navigate('/') },
    { group: paletteText.groups.app, label: t.nav.alerts, run: () => navigate('/alerts') },
    { group: paletteText.groups.app, label: t.nav.trash, run: () => navigate('/deleted') },
    { group: paletteText.groups.app, label: t.nav.settings, run: () => navigate('/settings') },
    { group: paletteText.groups.app, label: credentialsText.title, run: () => navigate('/credentials') },
    ...operatorRooms.map((room) => ({
      group: paletteText.groups.app,
      label: operatorText.rooms[room],
      detail: t.nav.operator,
      run: () => navigate(`/operator/${room}`),
    })),
    { group: paletteText.groups.app, label: t.nav.docs, run: () => location.assign('/docs') },
    { group: paletteText.groups.app, label: keysText.title, run: props.onHelp },
    ...themes.map((theme) => ({
      group: paletteText.groups.app,
      label: `${t.settings.theme}: ${t.settings.themes[theme]}`,
      run: () => setTheme(theme),
    })),
    { group: paletteText.groups.app, label: t.settings.signOut, run: () => void signOutHere() },
  ]);
  const found = createMemo(() => rankedCommands(entries(), words()).slice(0, shownMax));
  const current = () => Math.min(chosen(), found().length - 1);

  const run = (entry: Entry | undefined) => {
    if (!entry) return;
    dialog?.close();
    entry.run();
  };
  const move = (by: number) => {
    const { length } = found();
    if (length === 0) return;
    setChosen((current() + by + length) % length);
    queueMicrotask(() =>
      document.getElementById(`command-${current()}`)?.scrollIntoView({ block: 'nearest' }),
    );
  };
  const pressed = (event: KeyboardEvent) => {
    if (event.key === 'ArrowDown') move(1);
    else if (event.key === 'ArrowUp') move(-1);
    else if (event.key === 'Enter') run(found()[current()]);
    else return;
    event.preventDefault();
  };
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: Esc does what a click on the backdrop does
    <dialog
      ref={dialog}
      class="palette"
      aria-label={paletteText.label}
      onClose={props.onClose}
      onClick={(event) => event.target === dialog && dialog?.close()}
    >
      <input
        type="text"
        role="combobox"
        aria-label={paletteText.placeholder}
        placeholder={paletteText.placeholder}
        aria-expanded="true"
        aria-controls="commands"
        aria-activedescendant={found().length > 0 ? `command-${current()}` : undefined}
        autocomplete="off"
        spellcheck={false}
        autofocus
        value={words()}
        onInput={(event) => {
          setWords(event.currentTarget.value);
          setChosen(0);
        }}
        onKeyDown={pressed}
      />
      <div id="commands" class="list" role="listbox" aria-label={paletteText.label}>
        <For each={found()}>
          {(entry, index) => (
            // biome-ignore lint/a11y/useKeyWithClickEvents lint/a11y/useFocusableInteractive: the combobox has the focus and the keys (ARIA APG)
            <div
              id={`command-${index()}`}
              role="option"
              aria-selected={index() === current()}
              onPointerMove={() => setChosen(index())}
              onClick={() => run(entry)}
            >
              <span>{entry.label}</span>
              <small>{entry.detail ?? entry.group}</small>
            </div>
          )}
        </For>
      </div>
      <Show when={found().length === 0}>
        <p class="quiet-text none">{paletteText.none}</p>
      </Show>
      <footer>{paletteText.hint}</footer>
    </dialog>
  );
}

interface Ranked {
  label: string;
  detail?: string;
}

/**
 * Sorts commands by how well they match the typed text.
 * Returns commands with every typed word, best first: as the whole label, at the start of the label, at the start of one of its words, anywhere.
 * @param words the typed text; empty: all commands, in their order
 */
function rankedCommands<One extends Ranked>(commands: readonly One[], words: string): One[] {
  const wanted = words.toLowerCase().split(/\s+/).filter(Boolean);
  if (wanted.length === 0) return [...commands];
  return commands
    .flatMap((command) => {
      const ranks = wanted.map((word) => rankOf(command, word));
      return ranks.includes(Number.POSITIVE_INFINITY)
        ? []
        : [{ command, rank: ranks.reduce((sum, rank) => sum + rank, 0) }];
    })
    .toSorted((one, other) => one.rank - other.rank)
    .map(({ command }) => command);
}

function rankOf({ label, detail = '' }: Ranked, word: string): number {
  const text = label.toLowerCase();
  if (text === word) return -1;
  if (text.startsWith(word)) return 0;
  if (new RegExp(`[^\\p{L}\\p{N}]${escaped(word)}`, 'u').test(text)) return 1;
  if (text.includes(word)) return 2;
  if (detail.toLowerCase().includes(word)) return 3;
  return Number.POSITIVE_INFINITY;
}

const escaped = (word: string) => word.replace(/[.*+?^${}()|[\]\\/]/g, '\\$&');
