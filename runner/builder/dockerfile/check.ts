/**
 * Checks a Dockerfile and writes the one that is built: each instruction is on one line, image names are resolved, and files from URLs and
 * here-documents are copied from an image that the runner builds. An instruction that cannot be checked is refused.
 */
import { copyInstructions, isRemote } from './copy.ts';
import { type Instruction, parseDockerfile, parseInstruction } from './parse.ts';
import { imagesIn, platformArguments, type Reference, referencesOf } from './references.ts';
import { refused, unreadable } from './refusal.ts';
import { refuseReservedNames, scopeArgument } from './reserved-names.ts';
import type { AddedFile, CheckedDockerfile, Rewriting } from './rewriting.ts';
import { runInstruction } from './run-heredoc.ts';
import { type BaseImage, type Scope, type Surroundings, scopeOf, take } from './scope.ts';
import { jsonWords, spaces } from './words.ts';
import { assembled, flagTexts, type Line, referenceText } from './written-text.ts';

const knownFlags: Record<string, readonly string[]> = {
  FROM: ['platform'],
  RUN: ['mount', 'network', 'security'],
  COPY: ['from', 'chown', 'chmod', 'link', 'parents', 'exclude'],
  ADD: ['chown', 'chmod', 'link', 'keep-git-dir', 'checksum', 'exclude', 'unpack'],
  HEALTHCHECK: ['interval', 'timeout', 'start-period', 'start-interval', 'retries'],
};

/**
 * @param knowsLink true if Docker supports COPY --link (since 23.0). If not, the flag is left out; it only saves time
 * @throws JobFailure `source_refused`, `build_failed` with the line
 */
export function checkDockerfile(around: Surroundings, knowsLink: boolean): CheckedDockerfile {
  const { dockerfile, references, images } = around;
  const { escapeToken } = dockerfile;
  const added: AddedFile[] = [];
  const scopes: Scope[] = [];
  const written: { at: number; line: Line }[] = [];
  for (const found of dockerfile.instructions) {
    const instruction = withKnownFlags(found, knowsLink);
    refuseReservedNames(instruction, escapeToken);
    const from = references.of.get(found) ?? [];
    if (found.keyword === 'FROM') {
      refuseBase(from[0], images, found.line);
      scopes.push(scopeOf(from[0], scopes, images));
    }
    const scope = scopes.at(-1);
    const stage = references.stages[scopes.length - 1];
    const lines =
      scope && stage
        ? linesOf(instruction, { stage, scope, escapeToken, from, added })
        : [() => `ARG ${found.rest}`]; // only ARG may precede FROM
    for (const line of lines) written.push({ at: found.line, line });
    if (scope) take(instruction, scope, around);
  }
  return { added, text: (names) => assembled(written, escapeToken, names) };
}

function withKnownFlags(instruction: Instruction, knowsLink: boolean): Instruction {
  const { keyword, flags, line } = instruction;
  const unknown = flags.find(({ name }) => !knownFlags[keyword]?.includes(name));
  if (unknown) throw unreadable(line, `${keyword} has no flag --${unknown.name}; remove it.`);
  return { ...instruction, flags: flags.filter(({ name }) => name !== 'link' || knowsLink) };
}

/** Refuses base images with forbidden settings, which a build would inherit. */
function refuseBase(base: Reference | undefined, images: Surroundings['images'], line: number): void {
  const image = base?.type === 'image' ? images.get(base.name) : undefined;
  if (!image) return;
  for (const trigger of image.triggers) checkTrigger(trigger, line);
  if (Object.hasOwn(image.env, scopeArgument))
    throw refused(line, `the image sets ${scopeArgument}, which is reserved; use another base image.`);
}

function linesOf(instruction: Instruction, rewriting: Rewriting): Line[] {
  const { keyword, rest, line } = instruction;
  const { from, stage } = rewriting;
  switch (keyword) {
    case 'FROM': {
      const as = stage.name === null ? '' : ` AS ${stage.name}`;
      // Every step has this ARG in its environment, so it is part of its layer's cache key: docs/decisions/0020.
      return [(names) => `FROM ${referenceText(from[0], names)}${as}`, () => `ARG ${scopeArgument}`];
    }
    case 'ADD':
    case 'COPY':
      return copyInstructions(instruction, rewriting);
    case 'RUN':
      refuseRunFlags(instruction);
      return [runInstruction(instruction, rewriting)];
    case 'ONBUILD':
      checkTrigger(rest, line);
      return [() => `ONBUILD ${rest}`];
    default:
      return [(names) => [keyword, ...flagTexts(instruction, from, names), rest].join(' ')];
  }
}

interface ReadPlan {
  /** The names of its base images. */
  images: ReadonlySet<string>;
  /**
   * The Dockerfile that is built. @param pinned the base images on this host, and the names that the build uses for them
   * @throws JobFailure with the line
   */
  text(pinned: { images: ReadonlyMap<string, BaseImage>; nameOf: (name: string) => string }): string;
}

/**
 * Checks a Dockerfile written by the analyzer like any other, because its paths and commands come from the repository.
 * @throws JobFailure with the line
 */
export function readPlan(text: string): ReadPlan {
  const dockerfile = parseDockerfile(Buffer.from(text));
  const automatic = platformArguments();
  const references = referencesOf(dockerfile, automatic);
  return {
    images: imagesIn(references.of),
    text({ images, nameOf }) {
      const checked = checkDockerfile({ dockerfile, references, images: new Map(images), automatic }, true);
      return checked.text({ image: nameOf, added: 'scratch' });
    },
  };
}

/**
 * Checks ONBUILD: an instruction that runs later, in another build. Only forms that can be checked without knowing that build are allowed.
 * @param text the text after ONBUILD, or a trigger of a base image
 * @throws JobFailure with the line
 */
function checkTrigger(text: string, line: number): Instruction {
  // A trigger is a separate Dockerfile for BuildKit: a directive would change its parser.
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

/**
 * Refuses flags of RUN that could give a step access to the host.
 * @throws JobFailure `source_refused`
 */
function refuseRunFlags({ flags, line }: Instruction): void {
  for (const { name, value } of flags) {
    const isHarmless = name === 'mount' || (name === 'network' && (value === 'none' || value === 'default'));
    const isPlain = isHarmless || (name === 'security' && value === 'sandbox');
    if (!isPlain)
      throw refused(
        line,
        `RUN --${name}${value === undefined ? '' : `=${value}`} could give the build step access to the host; remove it.`,
      );
  }
}
