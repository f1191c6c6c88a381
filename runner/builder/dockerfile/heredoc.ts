/** Here-documents (`RUN <<EOF`): found in an instruction and read from the lines that follow it. */
import type { Lines } from './lines.ts';
import { unreadable } from './refusal.ts';

export interface Heredoc {
  name: string;
  /** True if leading tabs of each line are removed. */
  chomp: boolean;
  /** True if variables in the content are replaced, because the name has no quotes. */
  expands: boolean;
  /** Unchanged, including tabs. */
  content: string;
}

const plainName = /^(\d*)<<(-?)(?:([A-Za-z_]\w*)|"([A-Za-z_]\w*)"|'([A-Za-z_]\w*)')$/;

/** @throws JobFailure for forms that only some versions read as a here-document */
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

/** @param lines the following lines; those of the here-document are consumed */
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

/** The content, without leading tabs if it was written as `<<-`. */
export const chomped = ({ chomp, content }: Heredoc) => (chomp ? content.replace(/^\t+/gm, '') : content);

/** The words with their quotes. If a quote is not closed, the instruction has no here-documents, and the result is empty. */
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
