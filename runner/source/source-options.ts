/** Reads the checkout options from a service's variables. They are variables, as on other platforms, not fields of the service. */
import { JobFailure } from '../base/job-failure.ts';
import { type SubmoduleMode, submodulesVariable } from './check-out-submodules.ts';
import { lfsVariable } from './large-files.ts';

const submoduleModes: Readonly<Record<string, SubmoduleMode>> = {
  '': 'none',
  false: 'none',
  true: 'top',
  recursive: 'recursive',
};

/** @throws JobFailure `source_refused` with the variable and its accepted values */
export function sourceOptions(env: Readonly<Record<string, string>>): {
  submodules: SubmoduleMode;
  lfs: boolean;
} {
  const value = env[submodulesVariable] ?? '';
  const submodules = Object.hasOwn(submoduleModes, value) ? submoduleModes[value] : undefined;
  if (submodules === undefined) refuse(submodulesVariable, value, '"true", "recursive" or "false"');
  const lfs = env[lfsVariable] ?? '';
  if (!['', 'true', 'false'].includes(lfs)) refuse(lfsVariable, lfs, '"true" or "false"');
  return { submodules, lfs: lfs === 'true' };
}

function refuse(variable: string, value: string, accepted: string): never {
  throw new JobFailure('source_refused', `The variable ${variable} is "${value}", but must be ${accepted}.`);
}
