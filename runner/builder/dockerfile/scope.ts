/** Variables and shell at one point of a stage, as BuildKit keeps them. */
import { expand } from './expand.ts';
import type { Instruction, ParsedDockerfile } from './parse.ts';
import type { Reference, References } from './references.ts';
import { unreadable } from './refusal.ts';
import { variablesMax } from './variables-max.ts';
import { jsonWords, namesMaybeWithValues, namesWithValues } from './words.ts';

/** What a build inherits of an image. */
export interface BaseImage {
  env: Record<string, string>;
  /** What runs its commands; null: Docker's default. */
  interpreter: string[] | null;
  /** ONBUILD. */
  triggers: string[];
}

/** Maps, because a Dockerfile may call a variable `constructor`. */
export interface Scope {
  args: Map<string, string>;
  env: Map<string, string>;
  interpreter: string[];
}

/** What a build knows of the world beside its Dockerfile. */
export interface Surroundings {
  dockerfile: ParsedDockerfile;
  references: References;
  /** By the name of the reference. */
  images: ReadonlyMap<string, BaseImage>;
  /** TARGETARCH and their like. */
  automatic: ReadonlyMap<string, string>;
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
  if (of) return { args: new Map(), env: new Map(of.env), interpreter: of.interpreter };
  const image = base?.type === 'image' ? images.get(base.name) : undefined;
  const env = new Map(Object.entries(image?.env ?? {}));
  return { args: new Map(), env, interpreter: image?.interpreter ?? defaultInterpreter };
}

/** ENV goes before ARG, wherever they stand. */
export const valueIn =
  ({ args, env }: Scope) =>
  (name: string): string | undefined =>
    env.get(name) ?? args.get(name);

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
      const inherited = around.references.globals.get(name) ?? around.automatic.get(name);
      set(scope.args, name, value === null ? inherited : resolved(value, scope, escapeToken));
    }
  }
  if (keyword === 'ENV') {
    // All of them see the values from before this line.
    const pairs = namesWithValues(rest, escapeToken).map(
      ([name, value]) =>
        [resolved(name, scope, escapeToken) ?? name, resolved(value ?? '', scope, escapeToken)] as const,
    );
    for (const [name, value] of pairs) set(scope.env, name, value);
  }
  if (scope.args.size + scope.env.size > variablesMax)
    throw unreadable(line, `the stage sets more than ${variablesMax} variables.`);
}

function set(values: Map<string, string>, name: string, value: string | undefined): void {
  if (value === undefined) values.delete(name);
  else values.set(name, value);
}

function resolved(word: string, scope: Scope, escapeToken: string): string | undefined {
  try {
    return expand(word, { lookUp: valueIn(scope), escapeToken });
  } catch {
    return undefined;
  }
}
