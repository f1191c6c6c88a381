/** One kind of project. The list of providers is in detect.ts; the first that fits makes the plan. */
import type { BuildPlan } from './build-plan.ts';
import type { ProjectFiles } from './project-files.ts';

/** What the user has said, which goes before anything that is detected. */
export interface BuildOverrides {
  installCommand: string | null;
  buildCommand: string | null;
  startCommand: string | null;
  /** Makes a static site of it. */
  staticOutput: string | null;
  runtimeMode: 'web' | 'worker' | 'static';
  /** The service's variables: `PYTHON_VERSION`, `NODE_VERSION`, `SPA_FALLBACK`, ... choose, never values of secrets in a plan. */
  env: Readonly<Record<string, string>>;
}

export interface Provider {
  name: string;
  fits(files: ProjectFiles): boolean;
  /** Pure. @throws AnalyzerError when it is one of these and still can't be built: the sentence says what is missing. */
  plan(files: ProjectFiles, overrides: BuildOverrides): Promise<BuildPlan> | BuildPlan;
}

/** A project that can't be built as it is; the message is the sentence for the user. */
export class AnalyzerError extends Error {
  override readonly name = 'AnalyzerError';
}
