/** Rewrites a RUN with a here-document as the command that BuildKit creates from it, in JSON form, which every version reads the same way. */
import { chomped, heredocsOf } from './heredoc.ts';
import type { Instruction } from './parse.ts';
import { unreadable } from './refusal.ts';
import type { Rewriting } from './rewriting.ts';
import { withSecretFiles } from './secret-mounts.ts';
import { jsonWords } from './words.ts';
import { flagTexts, type Line } from './written-text.ts';

/** The directory in which BuildKit puts a here-document that begins with `#!`. */
const scriptDirectory = '/dev/pipes';

/** @returns the line that replaces a RUN @throws JobFailure `build_failed` with the line */
export function runInstruction(found: Instruction, { scope, from, added }: Rewriting): Line {
  const { rest, heredocs, line } = found;
  const { flags, launcher } = withSecretFiles(found);
  const instruction = { ...found, flags };
  const plain = (command: string, more: Line = () => '') => {
    const words = launcher.length > 0 && (jsonWords(command) ?? [...scope.interpreter, command]);
    const text = words ? jsonText([...launcher, ...words]) : command;
    const written: Line = (names) =>
      ['RUN', ...flagTexts(instruction, from, names), more(names), text].filter(Boolean).join(' ');
    return written;
  };
  const [first] = heredocs;
  if (!first) return plain(withoutSigns(rest, scope.interpreter));
  if (rest.startsWith('[')) throw unreadable(line, 'a here-document cannot follow a JSON list.');
  const isAlone = heredocs.length === 1 && /^\d*<<\S+$/.test(rest) && heredocsOf(rest, line).length === 1;
  if (!isAlone) {
    const text = [rest, ...heredocs.map(({ content, name }) => `${content}${name}`)].join('\n');
    return plain(jsonText([...scope.interpreter, text]));
  }
  const text = chomped(first);
  if (!text.startsWith('#!')) return plain(jsonText([...scope.interpreter, text]));
  const directory = String(added.length);
  added.push({ path: `${directory}/${first.name}`, mode: 0o755, source: { type: 'text', text } });
  return plain(
    jsonText([`${scriptDirectory}/${first.name}`]),
    ({ added: image }) => `--mount=type=bind,from=${image},source=/${directory},target=${scriptDirectory}`,
  );
}

/** BuildKit must not find a here-document that this check has missed: it would read the next instructions as its content. */
function withoutSigns(command: string, interpreter: readonly string[]): string {
  return command.includes('<<') ? jsonText(jsonWords(command) ?? [...interpreter, command]) : command;
}

/** Escapes each `<`, so that none can begin a here-document. */
const jsonText = (words: string[]) => JSON.stringify(words).replaceAll('<', '\\u003c');
