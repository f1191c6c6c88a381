/** Refuses names that a Dockerfile must not set, because the platform or BuildKit uses them. */
import { expand } from './expand.ts';
import type { Instruction } from './parse.ts';
import { refused } from './refusal.ts';
import { namesMaybeWithValues, namesWithValues } from './words.ts';

/** Build argument that keeps the layers of a project's steps apart from other projects'. */
export const scopeArgument = 'LONGSHORE_BUILD_SCOPE';

/** True if BuildKit itself reads this build argument, and not only the steps. */
export const isBuildersOwn = (name: string) =>
  /^BUILDKIT_/i.test(name) || name === 'SOURCE_DATE_EPOCH' || name === scopeArgument;

/** @throws JobFailure `source_refused` */
export function refuseReservedNames({ keyword, rest, line }: Instruction, escapeToken: string): void {
  const isLabel = keyword === 'LABEL';
  if (!isLabel && keyword !== 'ENV' && keyword !== 'ARG') return;
  const pairs =
    keyword === 'ARG' ? namesMaybeWithValues(rest, escapeToken) : namesWithValues(rest, escapeToken);
  for (const [name] of pairs) {
    if (name.includes('$'))
      throw refused(line, `the name "${name}" contains a variable; write the name itself.`);
    const plain = unquoted(name, escapeToken, line);
    if (isLabel && /^longshore\./i.test(plain))
      throw refused(
        line,
        `labels that begin with "longshore." are reserved for the platform; remove ${plain}.`,
      );
    if (!isLabel && (plain === scopeArgument || /^BUILDKIT_(SYNTAX|CACHE_MOUNT_NS)$/.test(plain)))
      throw refused(line, `${plain} is reserved for the build itself; remove it.`);
  }
}

function unquoted(name: string, escapeToken: string, line: number): string {
  try {
    return expand(name, { lookUp: () => undefined, escapeToken });
  } catch {
    throw refused(line, `the name ${name} cannot be read; write it without quotes.`);
  }
}
