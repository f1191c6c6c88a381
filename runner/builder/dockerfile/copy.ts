/**
 * Rewrites ADD and COPY: files from URLs and here-documents are copied from the image of added files, everything else from its original
 * place. Docker does not unpack an archive that ADD has fetched from a URL, and COPY does not unpack it either.
 */
import { expand } from './expand.ts';
import { chomped, type Heredoc } from './heredoc.ts';
import type { Instruction } from './parse.ts';
import { refused, unreadable } from './refusal.ts';
import type { AddedFile, Rewriting } from './rewriting.ts';
import { valueIn } from './scope.ts';
import { jsonWords, spaces } from './words.ts';
import { flagTexts, type Line } from './written-text.ts';

/** Names that COPY takes literally: they have no wildcards, quotes or variables. */
const plainName = /^[\w.+~@%=,-]+$/;

/** @returns the COPY lines that replace an ADD or a COPY @throws JobFailure `source_refused`, `build_failed` with the line */
export function copyInstructions(instruction: Instruction, rewriting: Rewriting): Line[] {
  const { keyword, rest, line, heredocs } = instruction;
  const json = jsonWords(rest);
  if (!json && rest.startsWith('[') && keyword === 'ADD')
    throw unreadable(line, 'the list is not valid JSON; write ADD ["source", "destination"].');
  const words = json ?? rest.split(spaces);
  const sources = words.slice(0, -1);
  const destination = words.at(-1) ?? '';
  if (sources.length === 0) throw unreadable(line, `${keyword} takes a source and a destination.`);
  const resolved = sources.map((word) => sourceOf(word, instruction, rewriting));
  const isPlain = heredocs.length === 0 && resolved.every((one) => one.type === 'file' && one.word !== null);
  if (isPlain)
    return [instructionLine(instruction, rewriting, keyword, () => (json ? JSON.stringify(json) : rest))];
  return groups(resolved).map(({ type, words: of }) =>
    type === 'file'
      ? instructionLine(instruction, rewriting, keyword, () => JSON.stringify([...of, destination]))
      : addedLine(instruction, rewriting, [...of, destination]),
  );
}

type Source =
  /** `word`: the original text in the Dockerfile; `null` if only `literal` is certain. */
  { type: 'file'; word: string | null; literal: string } | { type: 'added'; literal: string };

function sourceOf(word: string, instruction: Instruction, rewriting: Rewriting): Source {
  const { keyword, line, heredocs } = instruction;
  const heredoc = heredocs.find(({ name }) => word.replace(/^\d*<<-?/, '').replaceAll(/["']/g, '') === name);
  if (heredoc && word.includes('<<')) return heredocSource(heredoc, line, rewriting);
  // COPY takes no URLs: Docker refuses them.
  if (keyword === 'COPY') return { type: 'file', word, literal: word };
  const literal = resolve(word, rewriting, line);
  if (literal.trim() !== literal)
    throw unreadable(line, `the source "${literal}" begins or ends with a space.`);
  if (!isRemote(literal)) {
    if (!/[$"'\\`]/.test(word)) return { type: 'file', word, literal };
    if (/[$"'\\`]/.test(literal))
      throw unreadable(
        line,
        `the source ${word} cannot be resolved reliably; write it without quotes and variables.`,
      );
    return { type: 'file', word: null, literal };
  }
  return urlSource(literal, instruction, rewriting);
}

function urlSource(literal: string, { flags, line }: Instruction, { added }: Rewriting): Source {
  const url = downloadUrl(literal);
  if (!url)
    throw refused(
      line,
      `ADD cannot fetch "${literal}" here; add the files to the repository (a git submodule, for example), or name an http or https URL of one file.`,
    );
  if (flags.some(({ name }) => name === 'unpack'))
    throw refused(line, 'ADD --unpack of a URL is not supported; add the file, and unpack it in a RUN step.');
  const name = downloadName(url);
  if (!plainName.test(name) || name === '.' || name === '..')
    throw refused(
      line,
      `the file name in "${literal}" contains special characters; download it in a RUN step.`,
    );
  const checksum = flags.find(({ name: flag }) => flag === 'checksum')?.value ?? null;
  if (checksum !== null && !/^sha256:[0-9a-f]{64}$/.test(checksum))
    throw unreadable(line, '--checksum must be sha256: and 64 hexadecimal digits.');
  return place({ path: name, mode: 0o600, source: { type: 'url', url, checksum, line } }, added);
}

function heredocSource(heredoc: Heredoc, line: number, { scope, escapeToken, added }: Rewriting): Source {
  const content = chomped(heredoc);
  let text = content;
  try {
    if (heredoc.expands) text = expand(content, { lookUp: valueIn(scope), escapeToken, keepQuotes: true });
  } catch {
    throw unreadable(
      line,
      `the variables of the here-document ${heredoc.name} cannot be resolved reliably; quote its name: <<'${heredoc.name}'.`,
    );
  }
  return place({ path: heredoc.name, mode: 0o644, source: { type: 'text', text } }, added);
}

function place(file: AddedFile, added: AddedFile[]): Source {
  const path = `${added.length}/${file.path}`;
  added.push({ ...file, path });
  return { type: 'added', literal: `/${path}` };
}

/** Groups adjacent sources of the same type, so that the last of several files with the same name still wins. */
function groups(sources: readonly Source[]): { type: Source['type']; words: string[] }[] {
  const found: { type: Source['type']; words: string[] }[] = [];
  for (const { type, literal } of sources) {
    const last = found.at(-1);
    if (last?.type === type) last.words.push(literal);
    else found.push({ type, words: [literal] });
  }
  return found;
}

const instructionLine = (
  instruction: Instruction,
  { from }: Rewriting,
  keyword: string,
  words: () => string,
): Line => {
  const written: Line = (names) => [keyword, ...flagTexts(instruction, from, names), words()].join(' ');
  return written;
};

const keptFlags = new Set(['chown', 'chmod', 'link']);

function addedLine(instruction: Instruction, rewriting: Rewriting, words: string[]): Line {
  const flags = instruction.flags.filter(({ name }) => keptFlags.has(name));
  const copy = { ...instruction, flags };
  return (names) =>
    ['COPY', `--from=${names.added}`, ...flagTexts(copy, rewriting.from, names), JSON.stringify(words)].join(
      ' ',
    );
}

function resolve(word: string, { scope, escapeToken }: Rewriting, line: number): string {
  try {
    return expand(word, { lookUp: valueIn(scope), escapeToken });
  } catch {
    throw unreadable(
      line,
      `the source ${word} cannot be resolved reliably; write the value itself, or a plain \${NAME:-default}.`,
    );
  }
}

/** True if a source of ADD is not a file of the repository: `https://...`, `git@host:path` and similar. */
export const isRemote = (source: string) =>
  /^[a-z][a-z0-9+.-]*:\/\//i.test(source) || /^[^/\s]+@[^/\s]+:/.test(source);

/** A URL that this host fetches; undefined for git and everything else. */
function downloadUrl(source: string): URL | undefined {
  if (!/^https?:\/\//i.test(source)) return undefined;
  const url = URL.parse(source);
  return url && !/\.git\/?$/i.test(url.pathname) && !/\.git(#|$)/i.test(source) ? url : undefined;
}

/** The file name that Docker gives to a downloaded URL if the destination is a directory. */
function downloadName({ pathname }: URL): string {
  const last = pathname.replace(/\/+$/, '').split('/').at(-1) ?? '';
  try {
    return decodeURIComponent(last) || '__unnamed__';
  } catch {
    return last;
  }
}
