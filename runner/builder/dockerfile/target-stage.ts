/** Ends a Dockerfile with the stage that the setting `buildTarget` names, as `docker build --target` does. */
import { JobFailure } from '../../base/job-failure.ts';
import type { ParsedDockerfile } from './parse.ts';
import { spaces } from './words.ts';

/**
 * @param target name of a stage, in any case, or its number from 0; undefined for the last stage
 * @throws JobFailure `build_failed` if there is no such stage
 */
export function untilTarget(dockerfile: ParsedDockerfile, target: string | undefined): ParsedDockerfile {
  if (target === undefined) return dockerfile;
  const { instructions } = dockerfile;
  const starts = instructions.flatMap(({ keyword }, at) => (keyword === 'FROM' ? [at] : []));
  const names = starts.map((at) => instructions[at]?.rest.split(spaces)[2]?.toLowerCase());
  const named = names.lastIndexOf(target.toLowerCase());
  const index = named < 0 && /^\d{1,4}$/.test(target) ? Number(target) : named;
  if (index < 0 || index >= starts.length) throw noSuchStage(target, names);
  return { ...dockerfile, instructions: instructions.slice(0, starts[index + 1]) };
}

/** More names would hide the rest of the sentence. */
const namesMax = 10;

function noSuchStage(target: string, names: readonly (string | undefined)[]): JobFailure {
  const known = names.filter((name) => name !== undefined);
  const stages =
    known.length > 0
      ? `its stages are ${known.slice(0, namesMax).join(', ')}${known.length > namesMax ? ', ...' : ''}`
      : 'none of its stages has a name (FROM <image> AS <name>)';
  return new JobFailure(
    'build_failed',
    `The Dockerfile has no stage "${target}" (buildTarget): ${stages}. Set buildTarget to one of them, or to null for the last stage.`,
  );
}
