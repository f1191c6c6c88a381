/**
 * Writes a build plan as a Dockerfile. Pure. The context contains the source below `source/` and the Dockerfile next to it, so that neither
 * is copied with the other. There is no `# syntax=` line: it would make every build contact a registry.
 *
 * The service's variables are build arguments of the build stage only. Their values are not in this text, and the final stage copies neither
 * the arguments nor the history of the build stage.
 */
import { posix } from 'node:path';
import { type BaseImageOverrides, baseImage } from './base-images.ts';
import type { BuildPlan, BuildStep, RunOutput } from './build-plan.ts';
import { stepsBeforeSource } from './install-variables.ts';
import { contextSource } from './plan-context.ts';
import { quietTools } from './quiet-tools.ts';

export interface DockerfileOptions {
  /** Prefix of cache names: services do not share caches, because one could tamper with another's. */
  serviceId: string;
  /** The classic builder supports no mounts, so it has no caches. */
  builder: 'buildkit' | 'classic';
  /** Names of the variables that the build can see. */
  variables: readonly string[];
  /** Those that the install reads (install-variables.ts). Absent: all. */
  installVariables?: readonly string[];
  baseImages?: BaseImageOverrides;
}

/** The directory of the files in the image of a plan with site output. */
export const planSiteDirectory = '/site';

/** Owner of the app's files and processes; the official images of most languages have this user or none. */
const user = '1000:1000';

export function dockerfile(plan: BuildPlan, options: DockerfileOptions): string {
  const needsBuild = plan.output.type === 'site' || plan.output.copies.length > 0;
  const stages = needsBuild ? [buildStage(plan, options)] : [];
  stages.push(
    plan.output.type === 'site' ? siteStage(plan.output.directory) : runStage(plan.output, options),
  );
  return stages.map((lines) => `${lines.join('\n')}\n`).join('\n');
}

/** A step runs again when a variable changes that is declared before it: the install comes before those that it does not read. */
function buildStage({ build }: BuildPlan, options: DockerfileOptions): string[] {
  const early = stepsBeforeSource(build.steps);
  const isEarly = (name: string) => options.installVariables?.includes(name) !== false;
  const late = build.compilesOnly ? [] : options.variables.filter((name) => !isEarly(name));
  return [
    `FROM ${baseImage(build.image, options.baseImages)} AS build`,
    ...installPackages(build.packages),
    'WORKDIR /app',
    ...quietTools(build.steps, options.variables),
    ...options.variables.filter(isEarly).map(argument),
    ...early.flatMap((step) => stepLines(step, options)),
    ...late.map(argument),
    ...build.steps.slice(early.length).flatMap((step) => stepLines(step, options)),
  ];
}

const argument = (name: string) => `ARG ${name}`;

function stepLines(step: BuildStep, options: DockerfileOptions): string[] {
  switch (step.type) {
    case 'copy':
      return copySources(step.paths);
    case 'env':
      return envLines(step.values);
    case 'borrow': {
      const image = baseImage(step.image, options.baseImages);
      return step.paths.map((path) => copyLine([`--from=${image}`], [path], path));
    }
    case 'run': {
      const mounts = options.builder === 'classic' ? [] : step.caches.map((path) => mount(path, options));
      return [['RUN', ...mounts, shellCommand(step.command)].join(' ')];
    }
  }
}

/** The cache is locked: two builds of one service must not write into it at the same time. */
function mount(path: string, { serviceId }: DockerfileOptions): string {
  const id = `${serviceId}${path.replaceAll(/[^\w.]+/g, '-')}`;
  return `--mount=type=cache,id=${id},sharing=locked,target=${path}`;
}

function siteStage(directory: string): string[] {
  return [
    'FROM scratch',
    copyLine(['--from=build'], [`${posix.join('/app', directory)}/`], `${planSiteDirectory}/`),
  ];
}

/** WORKDIR follows the copies: before them it would make root the owner of /app. */
function runStage(output: RunOutput, options: DockerfileOptions): string[] {
  const owned = [`--chown=${user}`];
  return [
    `FROM ${baseImage(output.image, options.baseImages)}`,
    ...installPackages(output.packages),
    ...envLines({ HOME: '/app', ...output.env }),
    ...output.copies.map(({ from, to }) => copyLine(['--from=build', ...owned], [from], to)),
    ...copySources(output.sources ?? [], owned),
    `WORKDIR ${output.directory ?? '/app'}`,
    `USER ${user}`,
    'ENTRYPOINT []',
    `CMD ${jsonCommand(startLine(output.start))}`,
  ];
}

/** A plain command replaces the shell, so that it receives SIGTERM. Commands that need the shell keep it. */
export function startLine(command: string): string {
  const line = command.trim();
  if (/[;&|<>(){}`\n]/.test(line) || /^(exec|cd|export|set|\.|source|if|while|for|until)\s/.test(line))
    return line;
  return /^\w+=/.test(line) ? `exec env ${line}` : `exec ${line}`;
}

function installPackages(packages: readonly string[]): string[] {
  if (packages.length === 0) return [];
  const install = `apt-get install -y --no-install-recommends ${[...packages].sort().join(' ')}`;
  return [`RUN apt-get update && ${install} && rm -rf /var/lib/apt/lists/*`];
}

/** One COPY per directory: a COPY of several directories would merge them into one. */
function copySources(paths: readonly string[], flags: string[] = []): string[] {
  if (paths.includes('.')) return [copyLine(flags, [`${contextSource}/`], '/app/')];
  const directories = paths.filter((path) => path.endsWith('/'));
  const files = paths.filter((path) => !path.endsWith('/'));
  const byDirectory = Map.groupBy(files, (path) => posix.dirname(path));
  const inContext = (path: string) => `${contextSource}/${path}`;
  return [
    ...[...byDirectory].map(([directory, group]) =>
      copyLine(flags, group.map(inContext), `${posix.join('/app', directory)}/`),
    ),
    ...directories.map((path) => copyLine(flags, [inContext(path)], posix.join('/app', path))),
  ];
}

const copyLine = (flags: string[], from: string[], to: string) =>
  [
    'COPY',
    ...flags,
    plainPaths([...from, to]) ? [...from, to].join(' ') : JSON.stringify([...from, to]),
  ].join(' ');

const plainPaths = (paths: string[]) => paths.every((path) => /^[\w@./+~-]+$/.test(path));

const envLines = (values: Record<string, string>) =>
  Object.entries(values).map(
    ([key, value]) => `ENV ${key}="${value.replaceAll(/["\\]/g, '\\$&').replaceAll('\n', ' ')}"`,
  );

/** Plain shell form only where the builder can't misread the command as a flag, a list, a continued line or a here-document. */
function shellCommand(command: string): string {
  const line = command.trim();
  return /^[-[]|<<|\\$|\n/.test(line) ? jsonCommand(line) : line;
}

const jsonCommand = (command: string) => `["/bin/sh", "-c", ${JSON.stringify(command)}]`;
