/** Plans of projects in memory. */
import type { BuildPlan } from '../../../../../runner/builder/analyzer/build-plan.ts';
import { detect } from '../../../../../runner/builder/analyzer/detect.ts';
import type { BuildOverrides } from '../../../../../runner/builder/analyzer/provider.ts';
import { memoryFiles } from '../../../../support/runner/memory-files.ts';

export const overridesOf = (some: Partial<BuildOverrides> = {}): BuildOverrides => ({
  installCommand: null,
  buildCommand: null,
  startCommand: null,
  staticOutput: null,
  runtimeMode: 'web',
  env: {},
  ...some,
});

export const planOf = (files: Record<string, string>, some?: Partial<BuildOverrides>, rootDir?: string) =>
  detect(memoryFiles(files, rootDir), overridesOf(some));

export const startOf = ({ output }: BuildPlan) => (output.type === 'run' ? output.start : undefined);
