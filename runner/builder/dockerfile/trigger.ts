/**
 * Checks ONBUILD: an instruction that runs later, in another build. Only forms that can be checked without knowing that build are allowed.
 */
import { type Instruction, parseInstruction } from './parse.ts';
import { refused } from './refusal.ts';
import { isRemote } from './remote-source.ts';
import { refuseReservedNames } from './reserved-names.ts';
import { refuseRunFlags } from './run-flags.ts';
import { jsonWords, spaces } from './words.ts';

/**
 * @param text the text after ONBUILD, or a trigger of a base image
 * @throws JobFailure with the line
 */
export function checkTrigger(text: string, line: number): Instruction {
  // BuildKit reads a trigger as a separate Dockerfile, and a directive in it would change how.
  if (/[\n#]/.test(text.slice(0, 1)) || /\n|\\\s*$/.test(text))
    throw refused(line, 'an ONBUILD instruction must be a single line.');
  const instruction = parseInstruction(text, line);
  const { keyword, flags, rest } = instruction;
  if (['FROM', 'ONBUILD', 'MAINTAINER'].includes(keyword))
    throw refused(line, `${keyword} is not allowed after ONBUILD.`);
  if (rest.includes('<<'))
    throw refused(line, 'a here-document is not allowed after ONBUILD; put the file into the repository.');
  const names = flags.some(({ name, value }) => name === 'from' || /(^|,)from=/i.test(value ?? ''));
  if (names) throw refused(line, 'ONBUILD must not take files from other images or stages.');
  if (keyword === 'RUN') refuseRunFlags(instruction);
  if (keyword === 'ADD' && sourcesOf(rest).some((word) => isRemote(word) || /[$"'\\`]/.test(word)))
    throw refused(line, 'ONBUILD ADD must name files of the repository, without variables or quotes.');
  refuseReservedNames(instruction, '\\');
  return instruction;
}

const sourcesOf = (rest: string) => jsonWords(rest) ?? rest.split(spaces);
