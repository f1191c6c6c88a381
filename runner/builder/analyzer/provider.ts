/** One kind of project. detect.ts lists the providers; the first match creates the plan. */
import type { BuildPlan } from './build-plan.ts';
import type { ProjectFiles } from './project-files.ts';

/** The user's settings, which override all detected values. */
export interface BuildOverrides {
  installCommand: string | null;
  buildCommand: string | null;
  startCommand: string | null;
  /** Runs once in the finished image, which needs what the command uses. */
  releaseCommand?: string | null | undefined;
  /** A value makes the project a static site. */
  staticOutput: string | null;
  runtimeMode: 'web' | 'worker' | 'static';
  /**
   * The service's variables: `PYTHON_VERSION`, `NODE_VERSION`, `SPA_FALLBACK`, ... They only select options; no value of a secret gets into
   * a plan.
   */
  env: Readonly<Record<string, string>>;
}

export interface Provider {
  name: string;
  fits(files: ProjectFiles): boolean;
  /**
   * Translates a Procfile's command that expects the result of a Heroku buildpack, which has another path in our image. `null`: this
   * provider's own start command. Absent: the command is unchanged.
   */
  procfileStart?(command: string, files: ProjectFiles, overrides: BuildOverrides): string | null;
  /** Pure. @throws AnalyzerError if the provider fits but the project can't be built: the message reports what is missing */
  plan(files: ProjectFiles, overrides: BuildOverrides): Promise<BuildPlan> | BuildPlan;
}

/** A project that can't be built in its current state; the message is shown to the user. */
export class AnalyzerError extends Error {
  override readonly name = 'AnalyzerError';
}
