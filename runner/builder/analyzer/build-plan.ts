/** How a repository without a Dockerfile is built and run: what providers decide and dockerfile.ts writes down. Plain data. */

export interface BuildPlan {
  /** Which provider made it: `node`, `python`, ... */
  provider: string;
  /** Shown as the service's `framework`: `nextjs`, `django`, ...; null when there is none that we know. */
  framework: string | null;
  /** What was found and decided, a sentence each, for the build log. */
  notes: string[];
  /** What becomes /app: the service root, or the whole repository where a workspace is around it. Absent: the service root. */
  scope?: 'service' | 'repository';
  build: BuildStage;
  /** A service that runs, or files that the proxy serves. */
  output: RunOutput | SiteOutput;
  /** Run once in the new image before the traffic moves (a Procfile's `release`); null for none. */
  release: string | null;
}

export interface BuildStage {
  /** Name in base-images.ts with a version: `{name: 'node', version: '24'}`. */
  image: BaseImageRef;
  /** Debian packages that the build needs beyond the image. */
  packages: string[];
  steps: BuildStep[];
}

export interface BaseImageRef {
  name: string;
  /** As the image's tag begins: `24`, `3.13`; null for the map's default. */
  version: string | null;
}

/** In /app of the build stage. Manifests first, then the install, then the source: so that a change of the source keeps the layer of the install. */
export type BuildStep =
  /** Files and directories of the scope, kept under their paths; no file that is missing. `['.']`: all. */
  | { type: 'copy'; paths: string[] }
  /** Files and directories out of another image, under the same paths: Composer for PHP, Node for a front end of Rails. */
  | { type: 'borrow'; image: BaseImageRef; paths: string[] }
  /** A command line for the image's shell. `caches`: directories kept between builds of this service. */
  | { type: 'run'; command: string; caches: string[] }
  /** Visible to the steps that follow, not to the app. `$NAME` in a value is expanded: `{PATH: '/venv/bin:$PATH'}`. */
  | { type: 'env'; values: Record<string, string> };

export interface RunOutput {
  type: 'run';
  image: BaseImageRef;
  packages: string[];
  /** Out of the build stage. `from` and `to` are absolute; /app belongs to the app's user. */
  copies: { from: string; to: string }[];
  /** Files and directories of the scope that go to /app as they are in the repository, after the copies. `['.']`: all. Absent: none. */
  sources?: string[];
  /** As in the step `env`. */
  env: Record<string, string>;
  /** Where `start` runs, absolute. Absent: /app. */
  directory?: string;
  /** A command line for the image's shell, run as a user without rights; a plain command replaces the shell (`exec`). */
  start: string;
}

export interface SiteOutput {
  type: 'site';
  /** Relative to /app, after the build. */
  directory: string;
  /** Unknown paths are answered with index.html. */
  spa: boolean;
}
