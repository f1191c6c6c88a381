/** Finds what a Dockerfile takes from its build: the ARGs that it declares, and the secrets that its steps mount. */
import { argumentsOf } from './declared-arguments.ts';
import { type Instruction, type ParsedDockerfile, parseInstruction } from './parse.ts';
import type { References } from './references.ts';
import type { BaseImage } from './scope.ts';
import { secretIdsOf } from './secret-mounts.ts';

/** Arguments that BuildKit sets itself, or takes without a declaration: docs.docker.com, "Predefined ARGs". */
const predefined =
  /^(?:(?:BUILD|TARGET)(?:PLATFORM|OS|OSVERSION|ARCH|VARIANT|STAGE)|BUILDKIT_.*|SOURCE_DATE_EPOCH|(?:https?|ftp|no|all)_proxy|(?:HTTPS?|FTP|NO|ALL)_PROXY)$/;

/** The proxy settings that each step gets without a declaration. They are part of no image, history or cache key. */
export const proxyArguments = /^(?:(?:https?|ftp|no|all)_proxy|(?:HTTPS?|FTP|NO|ALL)_PROXY)$/;

export interface Inputs {
  /** The names of ARGs with a value from the build. */
  given: string[];
  /** The names of ARGs that have neither such a value nor a default. */
  missing: string[];
  /** The given ARGs by the line of their first declaration in a stage. `isKept`: the history of the finished image shows the value. */
  declared: { name: string; line: number; isKept: boolean }[];
  /** The ids of the secrets that steps mount. */
  secretIds: string[];
}

/**
 * Lists what the stages take that the last stage needs; BuildKit does not build others.
 * @param values of the arguments that the build can give
 * @param images base images, whose ONBUILD triggers may declare arguments too
 */
export function inputsOf(
  { instructions, escapeToken }: ParsedDockerfile,
  references: References,
  values: ReadonlyMap<string, unknown>,
  images: ReadonlyMap<string, Pick<BaseImage, 'triggers'>>,
): Inputs {
  const used = usedStages(instructions, references);
  const kept = baseStages(references);
  const found = { given: new Set<string>(), missing: new Set<string>(), secretIds: new Set<string>() };
  const declared = new Map<string, Inputs['declared'][number]>();
  const defaults = new Set<string>();
  const take = (instruction: Instruction, stage: number) => {
    for (const [name, value] of argumentsOf(instruction, escapeToken)) {
      if (values.has(name)) {
        found.given.add(name);
        const before = declared.get(name);
        const isKept = kept.has(stage);
        if (stage >= 0 && (!before || (isKept && !before.isKept)))
          declared.set(name, { name, line: instruction.line, isKept });
      } else if (value !== null) {
        if (stage < 0) defaults.add(name);
      } else if (!predefined.test(name) && !defaults.has(name)) found.missing.add(name);
    }
  };
  let stage = -1;
  for (const instruction of instructions) {
    if (instruction.keyword === 'FROM') stage += 1;
    if (stage >= 0 && !used.has(stage)) continue;
    const base = references.stages[stage]?.base;
    if (instruction.keyword === 'FROM' && base?.type === 'image')
      for (const trigger of images.get(base.name)?.triggers ?? []) {
        const triggered = parseInstruction(trigger, instruction.line);
        if (triggered.keyword === 'ARG') take(triggered, stage);
      }
    if (instruction.keyword === 'ARG') take(instruction, stage);
    for (const id of secretIdsOf(instruction)) found.secretIds.add(id);
  }
  return {
    given: [...found.given].sort(),
    missing: [...found.missing].sort(),
    secretIds: [...found.secretIds].sort(),
    declared: [...declared.values()],
  };
}

/** The last stage, the stages that it is based on, and all from which one of these copies or mounts files. */
function usedStages(instructions: readonly Instruction[], { stages, of }: References): Set<number> {
  const needs = stages.map(() => new Set<number>());
  let at = -1;
  for (const instruction of instructions) {
    if (instruction.keyword === 'FROM') at += 1;
    for (const reference of of.get(instruction) ?? [])
      if (reference.type === 'stage') needs[at]?.add(reference.index);
  }
  const used = new Set<number>();
  const open = [stages.length - 1];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (used.has(next)) continue;
    used.add(next);
    open.push(...(needs[next] ?? []));
  }
  return used;
}

/** The last stage and those that it is based on: the finished image has their history. */
function baseStages({ stages }: References): Set<number> {
  const kept = new Set<number>();
  for (let at = stages.length - 1; at >= 0 && !kept.has(at); ) {
    kept.add(at);
    const base = stages[at]?.base;
    if (base?.type !== 'stage') break;
    at = base.index;
  }
  return kept;
}
