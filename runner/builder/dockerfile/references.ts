/**
 * Finds the images from which a Dockerfile builds and copies. Their names are resolved with the same arguments as in the build, and the
 * Dockerfile that is built contains the resolved names. Names of the Dockerfile's own stages are not images.
 */
import { JobFailure } from '../../base/job-failure.ts';
import { parseImageRef } from '../../docker/image-ref.ts';
import { argumentsOf } from './declared-arguments.ts';
import { expand } from './expand.ts';
import type { Instruction, ParsedDockerfile } from './parse.ts';
import { refused, unreadable } from './refusal.ts';
import { type Flag, spaces } from './words.ts';

/** The value of FROM or `from=`. */
export type Reference =
  | { type: 'scratch' }
  | { type: 'stage'; index: number; text: string }
  | { type: 'image'; name: string };

export interface Stage {
  base: Reference;
  name: string | null;
}

export interface References {
  stages: Stage[];
  /** The references of each instruction: for FROM its base image, for others the values of their `from`, in order. */
  of: Map<Instruction, Reference[]>;
  /** ARGs before the first FROM. */
  globals: Map<string, string>;
}

/** Far more than in any real Dockerfile. Each may cost time and a pull. */
const stagesMax = 300;
const imagesMax = 100;

/** @param given values of build arguments, which override defaults @throws JobFailure with the line */
export function referencesOf(
  { instructions, escapeToken }: ParsedDockerfile,
  automatic: ReadonlyMap<string, string>,
  given: ReadonlyMap<string, string> = new Map(),
): References {
  const stages: Stage[] = [];
  const globals = new Map<string, string>();
  const lookUp = (name: string) => globals.get(name) ?? automatic.get(name);
  const of: References['of'] = new Map();
  for (const instruction of instructions) {
    const { keyword, line } = instruction;
    if (keyword === 'FROM') {
      const stage = stageOf(instruction, stages, (word) => sure(word, lookUp, escapeToken, line));
      of.set(instruction, [stage.base]);
      stages.push(stage);
      if (stages.length > stagesMax) throw unreadable(line, `it has more than ${stagesMax} stages.`);
    } else if (stages.length > 0) {
      const earlier = stages.slice(0, -1);
      of.set(
        instruction,
        fromsOf(instruction).map((text) => referenceOf(text, earlier, line)),
      );
    } else if (keyword === 'ARG') {
      for (const [name, value] of argumentsOf(instruction, escapeToken)) {
        const set = given.get(name);
        if (set !== undefined) globals.set(name, set);
        else if (value !== null) globals.set(name, sure(value, lookUp, escapeToken, line));
      }
      if (globals.size > variablesMax) throw unreadable(line, `it has more than ${variablesMax} ARGs.`);
    } else throw unreadable(line, `${keyword} comes before the first FROM.`);
  }
  if (imagesIn(of).size > imagesMax) throw unreadable(1, `it names more than ${imagesMax} images.`);
  return { stages, of, globals };
}

/** The names of all images among the references. */
export const imagesIn = (of: References['of']): ReadonlySet<string> =>
  new Set([...of.values()].flat().flatMap((one) => (one.type === 'image' ? [one.name] : [])));

function stageOf(
  { rest, flags, line }: Instruction,
  earlier: readonly Stage[],
  resolve: (word: string) => string,
): Stage {
  const [image = '', as, name, ...more] = rest.split(spaces);
  if (more.length > 0 || (as !== undefined && (as.toLowerCase() !== 'as' || name === undefined)))
    throw unreadable(line, 'FROM takes one image, or "image AS name".');
  if (name !== undefined && !/^[a-z][a-z0-9_.-]*$/i.test(name))
    throw unreadable(line, `"${name}" cannot be the name of a stage.`);
  if (name !== undefined && /^(longshore|scratch$)/i.test(name))
    throw refused(
      line,
      '"scratch" and names of stages that begin with "longshore" are reserved; choose another one.',
    );
  for (const { name: flag, value } of flags) refuseForeignPlatform(flag, resolve(value ?? ''), line);
  return { base: referenceOf(resolve(image), earlier, line, 'names'), name: name?.toLowerCase() ?? null };
}

/** Docker itself would pull an image for another platform, even if the host has a checked one. */
function refuseForeignPlatform(flag: string, platform: string, line: number): void {
  if (flag !== 'platform') throw unreadable(line, `FROM has no flag --${flag}.`);
  const [os, arch] = platform.toLowerCase().split('/');
  if (platform === '' || (os === 'linux' && (arch === undefined || isOwn(arch))) || isOwn(platform)) return;
  throw refused(
    line,
    `this host builds only for linux/${ownArchitecture()}, not for ${platform}; remove --platform, or build the image elsewhere and deploy it by its name.`,
  );
}

const isOwn = (arch: string) =>
  ({ x86_64: 'amd64', aarch64: 'arm64' })[arch] === ownArchitecture() || arch === ownArchitecture();

function fromsOf({ keyword, flags }: Instruction): string[] {
  const named = (flag: Flag) => {
    if (flag.name === 'from') return [flag.value ?? ''];
    return keyword === 'RUN' && flag.name === 'mount' ? mountFroms(flag.value ?? '') : [];
  };
  return flags.flatMap(named);
}

/** The fields of a mount. They have no quotes: words.ts refuses them. */
export const mountFields = (value: string): [key: string, value: string | undefined][] =>
  value.split(',').map((field) => {
    const at = field.indexOf('=');
    return at < 0
      ? [field.toLowerCase(), undefined]
      : [field.slice(0, at).toLowerCase(), field.slice(at + 1)];
  });

const mountFroms = (value: string) =>
  mountFields(value).flatMap(([key, of]) => (key === 'from' ? [of ?? ''] : []));

/** @param text for FROM the resolved name; for `from=` the original text, because Docker resolves no variables there */
function referenceOf(
  text: string,
  earlier: readonly Stage[],
  line: number,
  stages: 'names' | 'names and numbers' = 'names and numbers',
): Reference {
  if (text.includes('$'))
    throw unreadable(
      line,
      `"${text}": variables are not replaced here; give the image a stage (FROM ... AS name).`,
    );
  if (text === 'scratch') return { type: 'scratch' };
  const byName = earlier.findLastIndex(({ name }) => name === text.toLowerCase());
  const index = byName < 0 && stages !== 'names' && /^\d{1,4}$/.test(text) ? Number(text) : byName;
  if (index >= 0 && index < earlier.length) return { type: 'stage', index, text };
  if (index >= 0) throw unreadable(line, `there is no stage ${text} before this line.`);
  // The id of an image on this host, which may belong to another service.
  if (/^(sha256[:@]|[0-9a-f]{64}$)/i.test(text))
    throw refused(line, `"${text}" is the id of an image; write the name of one, with a tag or a digest.`);
  try {
    return { type: 'image', name: parseImageRef(text).name };
  } catch (error) {
    const reason = error instanceof JobFailure ? error.message : String(error);
    throw refused(line, `${reason} Use a base image from a registry.`);
  }
}

function sure(
  word: string,
  lookUp: (name: string) => string | undefined,
  escapeToken: string,
  line: number,
): string {
  try {
    return expand(word, { lookUp, escapeToken });
  } catch (error) {
    throw unreadable(
      line,
      `"${word}" cannot be resolved reliably (${error instanceof Error ? error.message : error}); write the value itself, or a plain \${NAME:-default}.`,
    );
  }
}

/** The architecture of this host, by Docker's name. */
export const ownArchitecture = () => (process.arch === 'x64' ? 'amd64' : process.arch);

/**
 * The arguments that BuildKit gives every Dockerfile, for the one platform that a host builds for.
 * TARGETVARIANT is left out: its value on ARM depends on the version of Docker.
 */
export function platformArguments(): Map<string, string> {
  const values = { PLATFORM: `linux/${ownArchitecture()}`, OS: 'linux', ARCH: ownArchitecture() };
  return new Map(
    ['BUILD', 'TARGET'].flatMap((of) =>
      Object.entries(values).map(([name, value]): [string, string] => [of + name, value]),
    ),
  );
}

/** The limit of variables that one stage may set: far more than any real stage does. Each stage copies the variables of its base stage. */
export const variablesMax = 2_000;
