/** Here-documents (`RUN <<EOF`): found in an instruction and read from the lines that follow it. */
import type { Lines } from './lines.ts';
import { unreadable } from './refusal.ts';

export interface Heredoc {
  name: string;
  /** Tabs at the head of each line go. */
  chomp: boolean;
  /** Variables in it are replaced: its name has no quotes. */
  expands: boolean;
  /** As it stands, tabs included. */
  content: string;
}

const plainName = /^(\d*)<<(-?)(?:([A-Za-z_]\w*)|"([A-Za-z_]\w*)"|'([A-Za-z_]\w*)')$/;

/** @throws JobFailure for forms that only some versions take for a here-document */
export function heredocsOf(text: string, line: number): Omit<Heredoc, 'content'>[] {
  return outsideQuotes(text).flatMap((word) => {
    if (!/^\d*<<-?[^<]/.test(word)) return [];
    const [whole, , dash, plain, double, single] = plainName.exec(word) ?? [];
    if (whole === undefined)
      throw unreadable(
        line,
        `"${word}" cannot be read; name the end of the here-document with letters: <<EOF.`,
      );
    return [{ name: plain ?? double ?? single ?? '', chomp: dash === '-', expands: plain !== undefined }];
  });
}

/** @param lines those that follow; the ones that belong to the here-document are taken off */
export function takeContent(heredoc: Omit<Heredoc, 'content'>, lines: Lines, line: number): Heredoc {
  let content = '';
  for (;;) {
    const next = lines.take();
    if (next === undefined)
      throw unreadable(line, `the here-document has no end: no line is "${heredoc.name}".`);
    const text = next.replace(/\r$/, '');
    if ((heredoc.chomp ? text.replace(/^\t+/, '') : text) === heredoc.name) return { ...heredoc, content };
    content += `${next}\n`;
  }
}

/** Its content without the tabs, if it asks for that. */
export const chomped = ({ chomp, content }: Heredoc) => (chomp ? content.replace(/^\t+/gm, '') : content);

/** Words with their quotes on. An open quote at the end: there are no here-documents then, and nothing is a word. */
function outsideQuotes(text: string): string[] {
  const words: string[] = [];
  let word = '';
  let quote = '';
  for (let at = 0; at < text.length; at += 1) {
    const character = text.charAt(at);
    if (quote === '' && /\s/.test(character)) {
      words.push(word);
      word = '';
      continue;
    }
    if (character === '\\' && quote !== "'") {
      word += character + text.charAt(at + 1);
      at += 1;
      continue;
    }
    if (quote === '' && (character === '"' || character === "'")) quote = character;
    else if (character === quote) quote = '';
    word += character;
  }
  return quote === '' ? [...words, word] : [];
}
