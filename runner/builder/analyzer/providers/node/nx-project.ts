/** Apps of an Nx workspace, described by project.json; they need no package.json: https://nx.dev/reference/project-configuration */
import { posix } from 'node:path';
import { z } from 'zod';
import { directoriesBelow } from '../../plan-parts.ts';
import type { ProjectFiles } from '../../project-files.ts';
import type { PackageJson } from './package-json.ts';

const outputPath = z.union([z.string(), z.object({ base: z.string(), browser: z.string().optional() })]);

const buildSchema = z.object({
  executor: z.string().catch(''),
  outputs: z.array(z.string()).catch([]),
  defaultConfiguration: z.string().optional().catch(undefined),
  configurations: z.record(z.string(), z.unknown()).catch({}),
  options: z
    .object({
      outputPath: outputPath.optional().catch(undefined),
      main: z.string().optional().catch(undefined),
      outputFileName: z.string().optional().catch(undefined),
      target: z.string().optional().catch(undefined),
      format: z.array(z.string()).optional().catch(undefined),
      esbuildOptions: z
        .object({ outExtension: z.record(z.string(), z.string()).optional() })
        .optional()
        .catch(undefined),
    })
    .catch({}),
});

const projectSchema = z.object({
  name: z.string().optional().catch(undefined),
  projectType: z.string().optional().catch(undefined),
  targets: z.object({ build: buildSchema.optional().catch(undefined) }).catch({}),
});

/** The build target of a project; without an executor, Nx takes it from the configuration of a bundler. */
export type NxBuild = z.infer<typeof buildSchema>;

export interface NxProject {
  name: string;
  isApplication: boolean;
  build: NxBuild | undefined;
}

/** @returns undefined when the workspace does not use Nx, or the directory has no project.json */
export function nxProject(root: ProjectFiles, directory: string): NxProject | undefined {
  const text = root.has('nx.json') ? root.read(posix.join(directory, 'project.json')) : undefined;
  if (text === undefined) return undefined;
  try {
    const { name, projectType, targets } = projectSchema.parse(JSON.parse(text));
    return {
      name: name ?? posix.basename(directory),
      isApplication: projectType === 'application',
      build: targets.build,
    };
  } catch {
    return undefined;
  }
}

/** The applications of a workspace, without those that test others. */
export const nxApplications = (root: ProjectFiles): string[] =>
  root.has('nx.json')
    ? directoriesBelow(root, 3).filter(
        (directory) => nxProject(root, directory)?.isApplication && !/[-/]e2e$/.test(directory),
      )
    : [];

/** An app without a package.json uses the packages of its workspace. */
export const packageOfNx = (
  root: ProjectFiles,
  directory: string,
  rootJson: PackageJson,
): PackageJson | undefined => {
  const project = nxProject(root, directory);
  return project && { ...rootJson, name: project.name, main: undefined, scripts: {}, workspaces: undefined };
};

/** `name:build`, with the production configuration if that is not the default. */
export function nxTarget({ name, build }: NxProject): string {
  const isExplicit =
    build?.defaultConfiguration === undefined && build?.configurations.production !== undefined;
  return `${name}:build${isExplicit ? ':production' : ''}`;
}
