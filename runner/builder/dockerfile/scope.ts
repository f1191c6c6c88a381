/** Variables and shell at one point of a stage, as BuildKit keeps them. */
import { expand } from './expand.ts';
import type { Instruction, ParsedDockerfile } from './parse.ts';
import type { Reference, References } from './references.ts';
import { unreadable } from './refusal.ts';
import { jsonWords, namesMaybeWithValues, namesWithValues } from './words.ts';

/** What a build inherits of an image. */
export interface BaseImage {
  env: Record<string, string>;
  /** What runs its commands; null: Docker's default. */
  interpreter: string[] | null;
  /** ONBUILD. */
  triggers: string[];
}

export interface Scope {
  args: Record<string, string>;
  env: Record<string, string>;
  interpreter: string[];
}

/** What a build knows of the world beside its Dockerfile. */
export interface Surroundings {
  dockerfile: ParsedDockerfile;
  references: References;
  /** By the name of the reference. */
  images: ReadonlyMap<string, BaseImage>;
  /** TARGETARCH and their like. */
  automatic: Readonly<Record<string, string>>;
}

/** Inside the image. */
const defaultInterpreter = '/bin/sh -c'.split(' ');

/** @param earlier the scopes of the stages before, at their ends */
export function scopeOf(
  base: Reference | undefined,
  earlier: readonly Scope[],
  images: Surroundings['images'],
): Scope {
  const of = base?.type === 'stage' ? earlier[base.index] : undefined;
  if (of) return { args: {}, env: { ...of.env }, interpreter: of.interpreter };
  const image = base?.type === 'image' ? images.get(base.name) : undefined;
  return { args: {}, env: { ...image?.env }, interpreter: image?.interpreter ?? defaultInterpreter };
}

/** ENV goes before ARG, wherever they stand. */
export const valuesOf = ({ args, env }: Scope): Record<string, string> => ({ ...args, ...env });

/** Takes an instruction's effect into the scope. A value that can't be resolved is no value: whoever uses it is refused. */
export function take({ keyword, rest, line }: Instruction, scope: Scope, around: Surroundings): void {
  const { escapeToken } = around.dockerfile;
  if (keyword === 'SHELL') {
    const interpreter = jsonWords(rest);
    if (!interpreter?.length) throw unreadable(line, 'SHELL takes a JSON list: SHELL ["/bin/bash", "-c"].');
    scope.interpreter = interpreter;
  }
  if (keyword === 'ARG') {
    for (const [name, value] of namesMaybeWithValues(rest, escapeToken)) {
      const inherited = around.references.globals[name] ?? around.automatic[name];
      const given = value === null ? inherited : resolved(value, scope, escapeToken);
      if (given === undefined) delete scope.args[name];
      else scope.args[name] = given;
    }
  }
  if (keyword === 'ENV') {
    const before = { ...scope, env: { ...scope.env } };
    for (const [name, value] of namesWithValues(rest, escapeToken)) {
      const key = resolved(name, before, escapeToken) ?? name;
      const given = resolved(value ?? '', before, escapeToken);
      if (given === undefined) delete scope.env[key];
      else scope.env[key] = given;
    }
  }
}

function resolved(word: string, scope: Scope, escapeToken: string): string | undefined {
  try {
    return expand(word, { values: valuesOf(scope), escapeToken });
  } catch {
    return undefined;
  }
}
