/** A Python project that is a member of a uv workspace around it: https://docs.astral.sh/uv/concepts/projects/workspaces/ */
import { posix } from 'node:path';
import type { BuildStep } from '../../build-plan.ts';
import type { ProjectFiles } from '../../project-files.ts';
import { type Toml, tryToml, valueAt } from '../../toml.ts';

export interface UvMember {
  /** The member's directory in the image, where the whole repository is /app. */
  directory: string;
  /** Text of the workspace's lock file. */
  lock: string;
}

/** @returns `undefined` for a project with its own lock file, or without a locked workspace around it */
export function uvWorkspace(files: ProjectFiles): UvMember | undefined {
  const { around } = files;
  const isProject = tryToml(files, 'pyproject.toml')?.project !== undefined;
  if (!around || files.has('uv.lock') || !isProject) return undefined;
  for (let base = posix.dirname(around.directory); ; base = posix.dirname(base)) {
    const at = (name: string) => posix.join(base, name);
    const isWorkspace = isUvWorkspace(tryToml(around.files, at('pyproject.toml')));
    if (isWorkspace && around.files.has(at('uv.lock'))) {
      return {
        directory: posix.join('/app', around.directory),
        lock: around.files.read(at('uv.lock')) ?? '',
      };
    }
    if (base === '.') return undefined;
  }
}

/** @param project the tables of a pyproject.toml */
export const isUvWorkspace = (project: Toml | undefined): boolean =>
  valueAt(project, 'tool', 'uv', 'workspace') !== undefined;

export const placedStep = (step: BuildStep, member: UvMember | undefined): BuildStep =>
  member && step.type === 'run' ? { ...step, command: `cd ${member.directory} && ${step.command}` } : step;
