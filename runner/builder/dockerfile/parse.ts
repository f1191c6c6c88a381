/**
 * Parses a Dockerfile into its instructions. BuildKit does not get the original text: check.ts writes a new one from the parsed
 * instructions, one line for each, without comments, continuations and here-documents. So BuildKit cannot read anything differently from
 * this check.
 */
import { directiveCharactersMax, directiveIn, namedFrontend } from './frontend.ts';
import { type Heredoc, heredocsOf, takeContent } from './heredoc.ts';
import { Lines } from './lines.ts';
import { unreadable } from './refusal.ts';
import { type Flag, oddSpaces, spaces, splitFlags } from './words.ts';

export interface Instruction {
  /** Line number in the file, from 1. */
  line: number;
  /** The instruction's name in capitals. */
  keyword: string;
  flags: Flag[];
  /** The text after the flags. */
  rest: string;
  heredocs: Heredoc[];
}

export interface ParsedDockerfile {
  instructions: Instruction[];
  escapeToken: '\\' | '`';
  /** The official frontend set by the file; `null` if there is none. */
  frontend: string | null;
}

const keywords = new Set(
  'ADD ARG CMD COPY ENTRYPOINT ENV EXPOSE FROM HEALTHCHECK LABEL MAINTAINER ONBUILD RUN SHELL STOPSIGNAL USER VOLUME WORKDIR'.split(
    ' ',
  ),
);
const withHeredocs = new Set(['ADD', 'COPY', 'RUN', 'ONBUILD']);
/** Far larger than any real Dockerfile, and still parsed in well under a second. */
const fileBytesMax = 512 * 1024;
const instructionsMax = 5_000;
/** BuildKit's limit for a line: bufio.MaxScanTokenSize. */
const instructionCharactersMax = 64 * 1024;

/** Instructions whose words are checked. */
const checked = new Set(['ADD', 'COPY', 'FROM', 'ARG', 'ONBUILD']);

/** @throws JobFailure `source_refused`, `build_failed` with the line */
export function parseDockerfile(bytes: Uint8Array): ParsedDockerfile {
  const text = decoded(bytes);
  const frontend = namedFrontend(text);
  const lines = new Lines(text);
  const escapeToken = escapeOf(lines.all);
  const instructions: Instruction[] = [];
  while (!lines.isAtEnd) {
    const line = lines.number;
    const logical = takeInstruction(lines, escapeToken);
    if (logical.trim() === '') continue;
    instructions.push(withContent(parseInstruction(logical, line), lines));
    if (instructions.length > instructionsMax)
      throw unreadable(line, `it has more than ${instructionsMax} instructions.`);
  }
  if (instructions.length === 0) throw unreadable(1, 'it has no instructions.');
  return { instructions, escapeToken, frontend };
}

/** Parses one instruction without its here-documents. */
export function parseInstruction(logical: string, line: number): Instruction {
  if (logical.length > instructionCharactersMax)
    throw unreadable(line, 'it is longer than 64 KB; put the commands into a script of the repository.');
  const text = logical.trim();
  const gap = spaces.exec(text);
  const keyword = (gap ? text.slice(0, gap.index) : text).toUpperCase();
  if (!keywords.has(keyword)) throw unreadable(line, `"${keyword.slice(0, 40)}" is not an instruction.`);
  const { flags, rest } = splitFlags(gap ? text.slice(gap.index) : '', line);
  if (checked.has(keyword) ? oddSpaces.test(rest) : oddSpaces.test(rest.charAt(0)))
    throw unreadable(line, 'it contains a control character or an unusual space; write a plain space.');
  return { line, keyword, flags, rest, heredocs: [] };
}

function withContent(instruction: Instruction, lines: Lines): Instruction {
  const { keyword, rest, line } = instruction;
  if (!withHeredocs.has(keyword)) return instruction;
  const heredocs = heredocsOf(rest, line).map((one) => takeContent(one, lines, line));
  if (heredocs.length === 0 && keyword !== 'RUN' && rest.includes('<<'))
    throw unreadable(line, '"<<" without a here-document cannot be read; remove it.');
  return { ...instruction, heredocs };
}

/** Call it before reading the file. @throws JobFailure `build_failed` */
export function refuseLarge(bytes: number): void {
  if (bytes > fileBytesMax) throw unreadable(1, 'the file is larger than 512 KB.');
}

function decoded(bytes: Uint8Array): string {
  refuseLarge(bytes.length);
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes); // without its byte order mark
  } catch {
    throw unreadable(1, 'the file is not UTF-8 text.');
  }
}

/** Directives are comments before the first other line of the file. */
function escapeOf(lines: readonly string[]): '\\' | '`' {
  const first = lines[0]?.startsWith('#!') ? 1 : 0;
  for (const line of lines.slice(first)) {
    if (!line.startsWith('#')) return '\\';
    const { key, value } = directiveIn(line.slice(1, directiveCharactersMax).trimStart()) ?? {};
    if (key === 'escape') return value === '`' ? '`' : '\\';
    if (key !== 'syntax' && key !== 'check') return '\\';
  }
  return '\\';
}

/** Joins a line with its continuation lines, and drops comments and empty lines between them. */
function takeInstruction(lines: Lines, escapeToken: string): string {
  const continuesOnNextLine = escapeToken === '`' ? /`[ \t]*$/ : /\\[ \t]*$/;
  let logical = '';
  for (;;) {
    const next = lines.take();
    if (next === undefined) return logical;
    const line = next.replace(/\r$/, '');
    if (line.trimStart().startsWith('#')) {
      if (logical === '') return '';
      continue;
    }
    if (line.trim() === '' && logical !== '') continue;
    logical += line.replace(continuesOnNextLine, '');
    if (!continuesOnNextLine.test(line)) return logical;
  }
}
