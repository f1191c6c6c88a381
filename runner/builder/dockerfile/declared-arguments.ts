/** Reads the arguments that an ARG declares. */
import { expand } from './expand.ts';
import type { Instruction } from './parse.ts';
import { namesMaybeWithValues } from './words.ts';

/** The arguments of an ARG with their unquoted names; the default is in its original form. */
export const argumentsOf = (
  { rest }: Pick<Instruction, 'rest'>,
  escapeToken: string,
): [name: string, value: string | null][] =>
  namesMaybeWithValues(rest, escapeToken).map(([name, value]) => [plainName(name, escapeToken), value]);

function plainName(name: string, escapeToken: string): string {
  try {
    return expand(name, { lookUp: () => undefined, escapeToken });
  } catch {
    return name; // reserved-names.ts refuses it
  }
}
