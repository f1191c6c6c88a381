/** The lines of a log in memory. They arrive one by one and are shown once per frame, so that many lines do not freeze the tab. */
import { createSignal } from 'solid-js';
import { withoutColours } from './ansi.ts';
import type { Line, Part, Shown } from './line.ts';
import { type ShownLevel, shownLevelOf } from './shown-level.ts';

export interface LogLines {
  add(lines: readonly Line[]): void;
  /** All lines. Reading this is reactive. */
  all(): readonly Line[];
  /** The lines of one kind in a part; returns the same array as `all` if all are shown. */
  shown(kind: Shown, part?: Part): readonly Line[];
  /** How many of the oldest lines were dropped. Reading this is reactive. */
  dropped(): number;
}

/** @param keepMax above this number the oldest tenth of the lines is dropped, so that a page that is open for days does not grow */
export function createLogLines(keepMax = Number.POSITIVE_INFINITY): LogLines {
  const lines: Line[] = [];
  let droppedCount = 0;
  const [version, setVersion] = createSignal(0);
  let isPlanned = false;
  const show = () => {
    isPlanned = false;
    setVersion((n) => n + 1);
  };
  return {
    add(more) {
      const last = lines.at(-1)?.id ?? 0;
      // A resumed stream may repeat lines.
      for (const line of more) if (line.id > last) lines.push(line);
      if (lines.length > keepMax) droppedCount += lines.splice(0, lines.length - 0.9 * keepMax).length;
      if (isPlanned || more.length === 0) return;
      isPlanned = true;
      requestAnimationFrame(show);
    },
    all() {
      version();
      return lines;
    },
    shown(kind, part) {
      version();
      const inPart = part ? lines.slice(part.from, part.to) : lines;
      return kind === 'all' ? inPart : inPart.filter((line) => isOfKind(line, kind));
    },
    dropped() {
      version();
      return droppedCount;
    },
  };
}

/** Known levels of lines: a line never changes, but its level is needed again with each new line. */
const levels = new WeakMap<Line, ShownLevel>();

function isOfKind(line: Line, kind: Exclude<Shown, 'all'>): boolean {
  if (kind === 'stderr' || kind === 'system') return line.stream === kind;
  const level = levels.get(line) ?? shownLevelOf(line);
  levels.set(line, level);
  return level === 'error' || level === kind;
}

/** Indexes of the lines that contain the words, ignoring case. */
export function matchesIn(lines: readonly Line[], words: string): number[] {
  const wanted = words.toLowerCase();
  if (wanted === '') return [];
  return lines.flatMap(({ line }, index) =>
    withoutColours(line).toLowerCase().includes(wanted) ? [index] : [],
  );
}
