/**
 * The last command of an explanation brings the change into effect. Rules say "deploy again"; what that is depends on what failed and on
 * the source of the service.
 */
import { deployAgain, isSettingsChange, restart, runAgain, sendFolder } from './commands.ts';
import type { Explanation, Failure } from './failure.ts';
import { isUpload } from './source-words.ts';

/** Settings that belong to a version: a restart keeps them as they were when it was deployed. */
const ofVersion =
  /"(?:startCommand|buildCommand|installCommand|rootDir|staticOutput|dockerfilePath|buildMethod|runtimeMode|imageRef|branch|repoUrl)":/;

/** The explanation whose commands end with what applies the change. */
export function withNextStep(explanation: Explanation, failure: Failure): Explanation {
  const { what } = failure;
  const deploy = deployAgain(failure);
  const changes = explanation.commands.filter((one) => isSettingsChange(failure, one));
  const changesSettings = changes.length > 0;
  const isForRestart = changesSettings && !changes.some((one) => ofVersion.test(one));
  const apply = isForRestart ? restart(failure) : isUpload(failure) && !changesSettings ? sendFolder : deploy;
  const steps = (command: string): string[] => {
    if (command !== deploy && command !== sendFolder) return [command];
    if (what.kind === 'deployment') return [isUpload(failure) && !changesSettings ? sendFolder : command];
    if (what.kind === 'crash') return [apply];
    // A command starts with the settings and variables of now.
    return [...(changesSettings ? [] : [apply]), runAgain(failure, what.command)];
  };
  return { ...explanation, commands: explanation.commands.flatMap(steps) };
}
