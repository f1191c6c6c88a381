/**
 * Builds with Railpack, if the operator has installed it on the host (https://railpack.com/guides/running-railpack-in-production): its CLI
 * creates a plan from the files, and BuildKit builds the plan with Railpack's frontend. The images of both are pulled to the host first.
 *
 * Both programs run on the host. Their environment has only the service's `RAILPACK_...` variables: a variable such as DOCKER_HOST would
 * control them. Values are passed to the build as files, as BuildKit secrets.
 */
import { createHash } from 'node:crypto';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { withEveryLabel } from '../../protocol/names.ts';
import { JobFailure } from '../base/job-failure.ts';
import type { JobLog } from '../job-log/job-log.ts';
import { runProgram } from '../source/run-program.ts';
import { railpackImages, readRailpackPlan, withRailpackImages } from './railpack-plan.ts';

/** Images of a build that are on this host. */
export interface BuildImages {
  /** The frontend's name on this host. */
  frontend: string;
  /** The name on this host of an image in the plan. */
  nameOf: (name: string) => string;
  /** A log that shows the images' original names. */
  readable: (log: JobLog) => JobLog;
  /** Removes the names on this host. */
  release: () => Promise<void>;
}

export interface RailpackBuild {
  /** The service root. */
  root: string;
  /** Private directory of the attempt; removed with it. */
  directory: string;
  tag: string;
  labels: Record<string, string>;
  serviceId: string;
  /** The variables that the build can see (build-variables.ts). */
  variables: Readonly<Record<string, string>>;
  commands: { install: string | null; build: string | null; start: string | null };
  /** Pulls the frontend of a version, and the images in the plan. */
  bring: (version: string, named: ReadonlySet<string>) => Promise<BuildImages>;
}

type Run = (program: string, args: string[], env?: Record<string, string>) => Promise<string>;

/**
 * Builds the image.
 * @throws JobFailure `build_method_missing` when a program is missing, `build_failed`; the errors of `bring`; the signal's reason
 */
export async function buildWithRailpack(
  build: RailpackBuild,
  log: JobLog,
  signal: AbortSignal,
): Promise<void> {
  const { directory } = build;
  await mkdir(join(directory, 'home'), { recursive: true });
  const secrets = join(directory, 'secrets');
  const run = runner(build, log, signal);
  const version = await versionOf(run);
  log.line('system', `Building with Railpack ${version}`);
  const said = await run('railpack', prepareArguments(build), railpackVariables(build));
  for (const line of said.split('\n').filter((text) => text.trim())) log.line('stdout', line);
  const plan = readRailpackPlan(await readFile(planFile(build), 'utf8'));
  const images = await build.bring(version, railpackImages(plan));
  try {
    await writeFile(planFile(build), JSON.stringify(withRailpackImages(plan, images.nameOf)));
    await writeSecrets(secrets, build.variables);
    const inDocker = runner(build, images.readable(log), signal);
    await inDocker('docker', buildArguments(build, images.frontend, secrets));
  } finally {
    await rm(secrets, { recursive: true, force: true });
    await images.release();
  }
}

const planFile = ({ directory }: RailpackBuild) => join(directory, 'railpack-plan.json');

/** Checks for both programs before anything else. */
async function versionOf(run: Run): Promise<string> {
  const missing = (what: string, cause: unknown) =>
    new JobFailure(
      'build_method_missing',
      `BUILDER is "railpack", and this host has no ${what}: its operator can install it, or remove the variable to build with the analyzer.`,
      { cause },
    );
  const said = await run('railpack', ['--version']).catch((error: unknown) => {
    throw error instanceof ProgramFailed ? missing('program "railpack"', error) : error;
  });
  await run('docker', ['buildx', 'version']).catch((error: unknown) => {
    throw error instanceof ProgramFailed ? missing('"docker buildx"', error) : error;
  });
  const version = /\d+\.\d+\.\d+/.exec(said)?.[0];
  if (version === undefined) throw missing('program "railpack" that reports its version', said);
  return version;
}

/** Passes names without values: the plan needs only the names of secrets, and values would be visible in the process list. */
function prepareArguments(build: RailpackBuild): string[] {
  const { root, directory, variables, commands } = build;
  const names = Object.keys(variables).filter((name) => !isRailpacks(name));
  return [
    'prepare',
    root,
    '--plan-out',
    planFile(build),
    '--info-out',
    join(directory, 'railpack-info.json'),
    ...names.flatMap((name) => ['--env', `${name}=`]),
    ...Object.keys(railpackVariables({ variables, commands })).flatMap((name) => ['--env', name]),
  ];
}

/** The variables that Railpack reads from its environment: https://railpack.com/config/environment-variables */
function railpackVariables({ variables, commands }: Pick<RailpackBuild, 'variables' | 'commands'>) {
  const requested = {
    RAILPACK_INSTALL_CMD: commands.install,
    RAILPACK_BUILD_CMD: commands.build,
    RAILPACK_START_CMD: commands.start,
  };
  const own = Object.entries(variables).filter(([name]) => isRailpacks(name));
  const set = Object.entries(requested).filter((entry): entry is [string, string] => entry[1] !== null);
  return Object.fromEntries([...own, ...set]);
}

const isRailpacks = (name: string) => name.startsWith('RAILPACK_');

/** Each service has its own caches. */
function buildArguments(build: RailpackBuild, frontend: string, secrets: string): string[] {
  const { root, tag, labels, serviceId, variables } = build;
  const hash = createHash('sha256').update(JSON.stringify(variables)).digest('hex');
  const argument = (name: string, value: string) => ['--build-arg', `${name}=${value}`];
  return [
    'buildx',
    'build',
    '--load',
    '--progress=plain',
    ...['--file', planFile(build)],
    ...['--tag', tag],
    ...argument('BUILDKIT_SYNTAX', frontend),
    ...argument('cache-key', serviceId),
    ...argument('secrets-hash', hash),
    ...Object.entries(withEveryLabel(labels)).flatMap(([name, value]) => ['--label', `${name}=${value}`]),
    ...Object.keys(variables).flatMap((name) => ['--secret', `id=${name},src=${join(secrets, name)}`]),
    root,
  ];
}

async function writeSecrets(directory: string, variables: Readonly<Record<string, string>>): Promise<void> {
  await mkdir(directory, { mode: 0o700 });
  for (const [name, value] of Object.entries(variables)) {
    await writeFile(join(directory, name), value, { mode: 0o600 });
  }
}

/** A program exited with an error, or is missing. */
class ProgramFailed extends JobFailure {}

function runner({ directory, root }: RailpackBuild, log: JobLog, signal: AbortSignal): Run {
  const base = {
    PATH: process.env.PATH ?? '/usr/local/bin:/usr/bin:/bin',
    HOME: join(directory, 'home'),
    ...dockerSettings(),
  };
  return async (program, args, env = {}) => {
    const onLine = (line: string) => log.line('stdout', line);
    const command = { args, cwd: root, env: { ...env, ...base }, onLine, signal };
    const outcome = await runProgram(program, command).catch((cause: unknown) => {
      signal.throwIfAborted();
      throw new ProgramFailed('build_failed', `${program} could not be started on this host.`, { cause });
    });
    if (outcome.exitCode === 0) return outcome.stdout;
    const cause = new Error(outcome.stderr.trim() || outcome.stdout.trim());
    throw new ProgramFailed('build_failed', `${program} ${args[0]} failed: ${lastLine(cause.message)}`, {
      cause,
    });
  };
}

/** The runner's settings for Docker, so that the image is built by the same daemon. */
function dockerSettings(): Record<string, string> {
  const names = ['DOCKER_HOST', 'DOCKER_CERT_PATH', 'DOCKER_TLS_VERIFY'];
  return Object.fromEntries(names.flatMap((name) => (process.env[name] ? [[name, process.env[name]]] : [])));
}

const lastLine = (text: string) => text.split('\n').at(-1)?.trim() || 'it printed nothing';
