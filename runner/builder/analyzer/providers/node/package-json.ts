/** The parts of a package.json that a build needs; a malformed file counts as absent. */
import { posix } from 'node:path';
import JSON5 from 'json5';
import { z } from 'zod';
import type { ProjectFiles } from '../../project-files.ts';

const texts = z.record(z.string(), z.string()).catch({});

const packageSchema = z.object({
  name: z.string().optional().catch(undefined),
  version: z.string().optional().catch(undefined),
  main: z.string().optional().catch(undefined),
  type: z.string().optional().catch(undefined),
  packageManager: z.string().optional().catch(undefined),
  scripts: texts.default({}),
  dependencies: texts.default({}),
  devDependencies: texts.default({}),
  optionalDependencies: texts.default({}),
  engines: texts.default({}),
  volta: texts.default({}),
  workspaces: z.unknown().optional(),
  prisma: z.object({ schema: z.string() }).optional().catch(undefined),
});

export type PackageJson = z.infer<typeof packageSchema>;

/** The root of a pnpm or Nx workspace needs no package.json. */
export const noPackage: PackageJson = packageSchema.parse({});

/** The name of a package's manifest. pnpm also reads `package.json5`: https://pnpm.io/package_json */
export const manifestName = (files: ProjectFiles, directory = '.'): 'package.json' | 'package.json5' | null =>
  (['package.json', 'package.json5'] as const).find((name) => files.has(posix.join(directory, name))) ?? null;

/** @returns undefined when it is missing or is not a JSON object */
export function readPackage(files: ProjectFiles, directory = '.'): PackageJson | undefined {
  const name = manifestName(files, directory);
  const text = name && files.read(posix.join(directory, name));
  if (!text) return undefined;
  try {
    return packageSchema.parse(name === 'package.json5' ? JSON5.parse(text) : JSON.parse(text));
  } catch {
    return undefined;
  }
}

/** True if a package is in any of the dependency lists. */
export const dependsOn = (json: PackageJson, name: string) =>
  name in json.dependencies || name in json.devDependencies || name in json.optionalDependencies;

/** Scripts that npm runs during an install: https://docs.npmjs.com/cli/using-npm/scripts */
export const installScripts = [
  'preinstall',
  'install',
  'postinstall',
  'preprepare',
  'prepare',
  'postprepare',
  'prepublish',
];

export const runsOnInstall = ({ scripts }: Pick<PackageJson, 'scripts'>) =>
  installScripts.some((name) => name in scripts);
