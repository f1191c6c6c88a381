/** Orders commands by how well they match what was typed. */

interface Ranked {
  label: string;
  detail?: string;
}

/**
 * Those that have every typed word, best first: as the whole label, at the beginning of the label, at the beginning of one of its words, anywhere.
 * @param words what was typed; empty: all, in their order
 */
export function rankedCommands<One extends Ranked>(commands: readonly One[], words: string): One[] {
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
