/** A Python project that is a member of a uv workspace around it: https://docs.astral.sh/uv/concepts/projects/workspaces/ */
import { posix } from 'node:path';
import type { BuildStep } from '../../build-plan.ts';
import type { ProjectFiles } from '../../project-files.ts';

export interface UvMember {
  /** Of the member in the image, where the whole repository is /app. */
  directory: string;
  /** Text of the workspace's lock file. */
  lock: string;
}

/** @returns undefined for a project with a lock file of its own, or without a locked workspace around it */
export function uvWorkspace(files: ProjectFiles): UvMember | undefined {
  const { around } = files;
  if (!around || files.has('uv.lock') || !/^\[project\]/m.test(files.read('pyproject.toml') ?? ''))
    return undefined;
  for (let base = posix.dirname(around.directory); ; base = posix.dirname(base)) {
    const at = (name: string) => posix.join(base, name);
    const isWorkspace = /^\[tool\.uv\.workspace\]/m.test(around.files.read(at('pyproject.toml')) ?? '');
    if (isWorkspace && around.files.has(at('uv.lock'))) {
      return {
        directory: posix.join('/app', around.directory),
        lock: around.files.read(at('uv.lock')) ?? '',
      };
    }
    if (base === '.') return undefined;
  }
}

export const placedStep = (step: BuildStep, member: UvMember | undefined): BuildStep =>
  member && step.type === 'run' ? { ...step, command: `cd ${member.directory} && ${step.command}` } : step;
