/** One kind of project. detect.ts lists the providers; the first that fits makes the plan. */
import type { BuildPlan } from './build-plan.ts';
import type { ProjectFiles } from './project-files.ts';

/** The user's settings, which override anything that is detected. */
export interface BuildOverrides {
  installCommand: string | null;
  buildCommand: string | null;
  startCommand: string | null;
  /** Makes it a static site. */
  staticOutput: string | null;
  runtimeMode: 'web' | 'worker' | 'static';
  /**
   * The service's variables: `PYTHON_VERSION`, `NODE_VERSION`, `SPA_FALLBACK`, ... They only choose; no value of a secret gets into a plan.
   */
  env: Readonly<Record<string, string>>;
}

export interface Provider {
  name: string;
  fits(files: ProjectFiles): boolean;
  /**
   * What a Procfile's command means here, if it names what a buildpack of Heroku builds: the result has another place in our image.
   * Null: this provider's own start command. Absent: the command as it is.
   */
  procfileStart?(command: string, files: ProjectFiles, overrides: BuildOverrides): string | null;
  /** Pure. @throws AnalyzerError when the provider fits but the project can't be built: the message says what is missing */
  plan(files: ProjectFiles, overrides: BuildOverrides): Promise<BuildPlan> | BuildPlan;
}

/** A project that can't be built as it is; the message is shown to the user. */
export class AnalyzerError extends Error {
  override readonly name = 'AnalyzerError';
}
