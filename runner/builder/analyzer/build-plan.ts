/** The plan to build and run a repository without a Dockerfile: providers create it, dockerfile.ts writes it out. Plain data. */

export interface BuildPlan {
  /** The provider that created the plan: `node`, `python`, ... */
  provider: string;
  /** Shown as the service's `framework`: `nextjs`, `django`, ...; `null` if no known framework was found. */
  framework: string | null;
  /** Findings and decisions for the build log, one sentence each. */
  notes: string[];
  /** The directory copied to /app: the service root, or the whole repository if it is a workspace. Absent: the service root. */
  scope?: 'service' | 'repository';
  build: BuildStage;
  /** A program that runs, or files that the proxy serves. */
  output: RunOutput | SiteOutput;
  /** A command that runs once in the new image before the traffic moves (a setting, or a Procfile's `release`); `null` for none. */
  release: string | null;
}

export interface BuildStage {
  /** Name in base-images.ts with a version: `{name: 'node', version: '24'}`. */
  image: BaseImageRef;
  /** Debian packages that the build needs in addition to the image. */
  packages: string[];
  steps: BuildStep[];
  /** The steps run only compilers, which read no variables but those of tools: a change of any other one repeats no step. */
  compilesOnly?: boolean;
}

export interface BaseImageRef {
  name: string;
  /** Start of the image's tag: `24`, `3.13`; `null` for the default in base-images.ts. */
  version: string | null;
}

/**
 * A step in /app of the build stage. Manifests first, then the install, then the source, so that a change of the source keeps the install's
 * layer.
 */
export type BuildStep =
  /** Files and directories of the scope, kept under their paths; all must exist. `['.']`: all. */
  | { type: 'copy'; paths: string[] }
  /** Files and directories from another image, under the same paths: Composer for PHP, Node for a front end of Rails. */
  | { type: 'borrow'; image: BaseImageRef; paths: string[] }
  /** A command line for the image's shell. `caches`: directories kept between builds of this service. */
  | { type: 'run'; command: string; caches: string[] }
  /** Visible to the following steps, not to the app. `$NAME` in a value is expanded: `{PATH: '/venv/bin:$PATH'}`. */
  | { type: 'env'; values: Record<string, string> };

export interface RunOutput {
  type: 'run';
  image: BaseImageRef;
  packages: string[];
  /** Copies from the build stage. `from` and `to` are absolute; the app's user owns /app. */
  copies: { from: string; to: string }[];
  /** Files and directories of the scope that are copied unchanged to /app, after `copies`. `['.']`: all. Absent: none. */
  sources?: string[];
  /** Environment of the app, in the form of the step `env`. */
  env: Record<string, string>;
  /** Working directory of `start`, absolute. Absent: /app. */
  directory?: string;
  /** A command line for the image's shell, run as an unprivileged user; a plain command replaces the shell (`exec`). */
  start: string;
}

export interface SiteOutput {
  type: 'site';
  /** Relative to /app, after the build. */
  directory: string;
  /** True if unknown paths are answered with index.html. */
  spa: boolean;
}
