/** Tracks the variables and the shell at one point of a stage, as BuildKit does. */
import { argumentsOf } from './declared-arguments.ts';
import { expand } from './expand.ts';
import type { Instruction, ParsedDockerfile } from './parse.ts';
import { type Reference, type References, variablesMax } from './references.ts';
import { unreadable } from './refusal.ts';
import { jsonWords, namesWithValues } from './words.ts';

/** The settings that a build inherits from an image. */
export interface BaseImage {
  env: Record<string, string>;
  /** The shell that runs its commands; `null` for Docker's default. */
  interpreter: string[] | null;
  /** The instructions of ONBUILD. */
  triggers: string[];
}

/** Uses maps, because a Dockerfile may name a variable `constructor`. */
export interface Scope {
  args: Map<string, string>;
  env: Map<string, string>;
  interpreter: string[];
}

/** The inputs of a build other than its Dockerfile. */
export interface Surroundings {
  dockerfile: ParsedDockerfile;
  references: References;
  /** Base images by the name of the reference. */
  images: ReadonlyMap<string, BaseImage>;
  /** TARGETARCH and similar. */
  automatic: ReadonlyMap<string, string>;
  /** Values of build arguments, which override defaults. Absent: none. */
  given?: ReadonlyMap<string, string>;
}

/** The shell inside the image. */
export const defaultInterpreter = '/bin/sh -c'.split(' ');

/** @param earlier the scopes at the end of the previous stages */
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

/** ENV overrides ARG, regardless of their order. */
export const valueIn =
  ({ args, env }: Scope) =>
  (name: string): string | undefined =>
    env.get(name) ?? args.get(name);

/**
 * Applies an instruction to the scope. A variable whose value can't be resolved counts as not set, so an instruction that uses it is
 * refused.
 */
export function take({ keyword, rest, line }: Instruction, scope: Scope, around: Surroundings): void {
  const { escapeToken } = around.dockerfile;
  if (keyword === 'SHELL') {
    const interpreter = jsonWords(rest);
    if (!interpreter?.length) throw unreadable(line, 'SHELL takes a JSON list: SHELL ["/bin/bash", "-c"].');
    scope.interpreter = interpreter;
  }
  if (keyword === 'ARG') {
    for (const [name, value] of argumentsOf({ rest }, escapeToken)) {
      const inherited = around.references.globals.get(name) ?? around.automatic.get(name);
      const own = value === null ? inherited : resolved(value, scope, escapeToken);
      set(scope.args, name, around.given?.get(name) ?? own);
    }
  }
  if (keyword === 'ENV') {
    // All of them see the values before this line.
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
