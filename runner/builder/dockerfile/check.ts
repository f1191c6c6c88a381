/**
 * Checks a Dockerfile and writes the one that is built: each instruction is on one line, image names are resolved, and files from URLs and
 * here-documents are copied from an image that the runner makes. An instruction that cannot be checked is refused.
 */
import { copyInstructions } from './copy.ts';
import type { Instruction } from './parse.ts';
import type { Reference } from './references.ts';
import { refused, unreadable } from './refusal.ts';
import { refuseReservedNames, scopeArgument } from './reserved-names.ts';
import type { AddedFile, CheckedDockerfile, Rewriting } from './rewriting.ts';
import { refuseRunFlags } from './run-flags.ts';
import { runInstruction } from './run-heredoc.ts';
import { type Scope, type Surroundings, scopeOf, take } from './scope.ts';
import { checkTrigger } from './trigger.ts';
import { assembled, flagTexts, type Line, referenceText } from './written-text.ts';

const knownFlags: Record<string, readonly string[]> = {
  FROM: ['platform'],
  RUN: ['mount', 'network', 'security'],
  COPY: ['from', 'chown', 'chmod', 'link', 'parents', 'exclude'],
  ADD: ['chown', 'chmod', 'link', 'keep-git-dir', 'checksum', 'exclude', 'unpack'],
  HEALTHCHECK: ['interval', 'timeout', 'start-period', 'start-interval', 'retries'],
};

/**
 * @param knowsLink whether Docker supports COPY --link (since 23.0). If not, the flag is left out; it only saves time
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
        : [() => `ARG ${found.rest}`]; // only ARG may come before FROM
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
