/** Writes the Dockerfile that is built: each instruction on one line, at its original line number if possible. */
import type { Instruction, ParsedDockerfile } from './parse.ts';
import { mountFields, type Reference } from './references.ts';
import { unreadable } from './refusal.ts';

export interface BuildNames {
  /** The name of an image on this host during the build. */
  image: (name: string) => string;
  /** The image of added files. */
  added: string;
}

/** A function that writes one line of the new Dockerfile. */
export type Line = (names: BuildNames) => string;

/** BuildKit's limit for a line: bufio.MaxScanTokenSize. */
const lineBytesMax = 64 * 1024 - 1;

/** @param at line of the original file */
export function assembled(
  written: readonly { at: number; line: Line }[],
  escapeToken: ParsedDockerfile['escapeToken'],
  names: BuildNames,
): string {
  const lines = escapeToken === '`' ? ['# escape=`'] : [];
  const continuesOnNextLine = escapeToken === '`' ? /`[ \t]*$/ : /\\[ \t]*$/;
  for (const { at, line } of written) {
    const text = line(names);
    if (continuesOnNextLine.test(text) || text.includes('\n'))
      throw unreadable(at, `it ends with "${escapeToken}", and no line follows; remove it.`);
    if (Buffer.byteLength(text) > lineBytesMax)
      throw unreadable(at, 'it is longer than 64 KB; put the commands into a script of the repository.');
    while (lines.length + 1 < at) lines.push('');
    lines.push(text);
  }
  return `${lines.join('\n')}\n`;
}

/** The name that FROM and `from=` get in the new Dockerfile. */
export function referenceText(reference: Reference | undefined, names: BuildNames): string {
  if (reference?.type === 'image') return names.image(reference.name);
  return reference?.type === 'stage' ? reference.text : 'scratch';
}

/** @param from the images and stages of the flags, in order */
export function flagTexts({ flags }: Instruction, from: readonly Reference[], names: BuildNames): string[] {
  const references = from.map((one) => referenceText(one, names));
  return flags.map(({ name, value }) => {
    if (name === 'from') return `--from=${references.shift()}`;
    if (name !== 'mount') return `--${name}=${value ?? 'true'}`;
    const fields = mountFields(value ?? '').map(([key, of]) => {
      if (key === 'from') return `from=${references.shift()}`;
      return of === undefined ? key : `${key}=${of}`;
    });
    return `--mount=${fields.join(',')}`;
  });
}
