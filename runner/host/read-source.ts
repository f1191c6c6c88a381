/**
 * Reads a source for the control plane before there is a service: clones it, asks the registry, or takes the listed files. The source is
 * untrusted, and the same rules apply as for a deployment; the limits are lower, because somebody waits.
 */
import { randomUUID } from 'node:crypto';
import { rm, stat } from 'node:fs/promises';
import { join, relative } from 'node:path';
import type { HostRequestOf } from '../../protocol/host-request.ts';
import {
  type PlannedSource,
  type PlanSecrets,
  planLimits,
  planSecretsSchema,
  type SourcePlan,
  type SourcePlanAnswer,
} from '../../protocol/sources/source-plan.ts';
import { type Clock, systemClock } from '../base/clock.ts';
import { JobFailure } from '../base/job-failure.ts';
import { projectOnDisk } from '../builder/analyzer/disk-files.ts';
import { exposedPort } from '../builder/source-plan/app-port.ts';
import { listedFiles } from '../builder/source-plan/listed-files.ts';
import { planSource } from '../builder/source-plan/plan-source.ts';
import type { DockerHost } from '../docker/client.ts';
import { type ReadDiskSpace, refuseFullDirectories } from '../docker/disk-space.ts';
import { DockerError } from '../docker/docker-error.ts';
import type { JobLog } from '../job-log/job-log.ts';
import { readImageConfig } from '../registry/read-image-config.ts';
import type { Branches } from '../source/existing-branches.ts';
import { branchesOf, type CheckoutRequest, checkOut } from '../source/git-checkout.ts';
import { isMissingRef, wantsLogin } from '../source/git-failure.ts';
import { pathInside, refuseTraversal } from '../source/safe-path.ts';
import type { SourceLimits } from '../source/source-budget.ts';

export interface SourceReaderParts {
  docker: DockerHost;
  dataDirectory: string;
  /** True if repositories and registries may have private addresses. */
  allowPrivate: boolean;
  readDiskSpace: ReadDiskSpace;
  clock?: Clock;
  limits?: SourceLimits;
}

/** Each may take a core and some hundred megabytes of disk; deployments go first. */
const readingsMax = 2;
/** The control plane waits for 60 s. */
const readingLimitMs = 50_000;
/** Far above the code of most apps; a larger repository can be deployed without a plan. */
const planSourceLimits: SourceLimits = { bytesMax: 300_000_000, filesMax: 100_000 };

type Ask = Pick<HostRequestOf<'read-source'>, 'source'> & { secrets: string };
type Found = Extract<PlannedSource, { type: 'git' }>;
type Files = Awaited<ReturnType<typeof planSource>>;

/** A place for the output of git, which nobody reads. */
const noLog: JobLog = { line() {}, write() {}, hide() {} };

export class SourceReader {
  readonly #parts: SourceReaderParts;
  readonly #parent: string;
  #cleared: Promise<void> | undefined;
  #reading = 0;

  constructor(parts: SourceReaderParts) {
    this.#parts = parts;
    this.#parent = join(parts.dataDirectory, 'readings');
  }

  /** @throws ZodError for secrets of another shape; errors that say nothing about the source */
  async read({ source, secrets }: Ask): Promise<SourcePlanAnswer> {
    if (this.#reading >= readingsMax)
      return failure('busy', 'The host is reading other sources: try again in a few seconds.');
    const over = new AbortController();
    const cancel = (this.#parts.clock ?? systemClock).after(readingLimitMs, () => over.abort());
    this.#reading += 1;
    try {
      const parsed = planSecretsSchema.parse(JSON.parse(secrets));
      return { found: 'plan', plan: await this.#plan(source, parsed, over.signal) };
    } catch (error) {
      if (over.signal.aborted)
        return failure('unreadable', `The source could not be read in ${readingLimitMs / 1_000} s.`);
      if (error instanceof DockerError) return failure('unreadable', error.message);
      if (error instanceof JobFailure) return failure(reasonOf(error), error.message);
      throw error;
    } finally {
      this.#reading -= 1;
      cancel();
    }
  }

  #plan(source: PlannedSource, secrets: PlanSecrets, signal: AbortSignal): Promise<SourcePlan> {
    if (source.type === 'git') return this.#ofRepository(source, secrets, signal);
    if (source.type === 'image') return this.#ofImage(source.imageRef, secrets, signal);
    const { paths, texts, rootDir } = source;
    if (rootDir !== null) refuseTraversal(rootDir, 'rootDir');
    return planSource(listedFiles(paths, texts, rootDir)).then((files) => ({
      ...withoutSource(files),
      rootDir,
    }));
  }

  async #ofRepository(source: Found, secrets: PlanSecrets, signal: AbortSignal): Promise<SourcePlan> {
    const { dataDirectory, allowPrivate, readDiskSpace, limits = planSourceLimits } = this.#parts;
    await refuseFullDirectories([dataDirectory], readDiskSpace);
    // What an earlier runner left when it was killed.
    this.#cleared ??= rm(this.#parent, { recursive: true, force: true });
    await this.#cleared;
    const directory = join(this.#parent, randomUUID());
    try {
      const request: Omit<CheckoutRequest, 'branch'> = {
        ...{ url: source.url, token: secrets.gitToken, credential: secrets.gitCredential },
        ...{ allowPrivate, directory, limits, knownHosts: join(dataDirectory, 'known_hosts') },
      };
      const branches = await branchesOf(request, noLog, signal);
      const { branch, rootDir } = placeIn(source, branches);
      if (branch === undefined)
        throw new EmptySource('The repository has no commit yet: push one, then read it again.');
      const { tree, ...commit } = await checkOut({ ...request, branch }, noLog, signal);
      const root = await pathInside(tree, rootDir ?? '.', 'rootDir');
      if (root === undefined || !(await stat(root)).isDirectory())
        throw new MissingDirectory(`The repository has no directory "${rootDir}" at ${branch}.`);
      const files = await planSource(projectOnDisk(tree, relative(tree, root) || '.'));
      return {
        ...withoutSource(files),
        ...{ branch, rootDir },
        branches: branches.names.slice(0, planLimits.branches),
        commitSha: commit.commitSha,
        commitMessage: commit.commitMessage,
      };
    } finally {
      await rm(directory, { recursive: true, force: true, maxRetries: 3 });
    }
  }

  async #ofImage(imageRef: string, secrets: PlanSecrets, signal: AbortSignal): Promise<SourcePlan> {
    const { docker, allowPrivate } = this.#parts;
    const access = { allowPrivate, logins: secrets.registries };
    const { exposed, variables, volumes, user, digest } = await readImageConfig(
      docker,
      imageRef,
      access,
      signal,
    );
    const port = exposedPort(exposed, 'The image');
    return {
      ...withoutSource(emptyPlan),
      port: port?.port ?? null,
      portReason: port?.reason ?? null,
      variables: variables
        .filter((key) => /^[A-Z_][A-Z0-9_]{0,99}$/.test(key) && key !== 'PATH' && key !== 'HOME')
        .slice(0, planLimits.variables)
        .map((key) => ({ key, label: '', places: [], example: null, of: 'image' as const })),
      volumes: volumes.slice(0, planLimits.volumes).map((path) => path.slice(0, planLimits.nameChars)),
      user: user === null ? null : user.slice(0, planLimits.nameChars),
      digest: digest,
    };
  }
}

/** The branch and the directory that a source names, or the default branch. */
function placeIn(
  source: Found,
  { main, names }: Branches,
): Pick<SourcePlan, 'rootDir'> & { branch?: string } {
  const { treePath, rootDir } = source;
  if (treePath === undefined) {
    const branch = source.branch ?? main ?? names[0];
    return { rootDir, ...(branch === undefined ? {} : { branch }) };
  }
  const longest = names
    .filter((name) => treePath === name || treePath.startsWith(`${name}/`))
    .reduce((best, name) => (name.length > best.length ? name : best), '');
  const branch = longest || (treePath.split('/')[0] ?? treePath);
  return { branch, rootDir: rootDir ?? (treePath.slice(branch.length + 1) || null) };
}

class EmptySource extends JobFailure {
  constructor(message: string) {
    super('source_failed', message);
  }
}
class MissingDirectory extends JobFailure {
  constructor(message: string) {
    super('source_failed', message);
  }
}

function reasonOf(error: JobFailure): Extract<SourcePlanAnswer, { found: 'failure' }>['reason'] {
  if (error instanceof EmptySource) return 'empty';
  if (error instanceof MissingDirectory) return 'directory';
  const { cause } = error; // with the branches that exist
  if (isMissingRef(error) || (cause instanceof JobFailure && isMissingRef(cause))) return 'branch';
  return wantsLogin(error) ? 'login' : 'unreadable';
}

const failure = (
  reason: Extract<SourcePlanAnswer, { found: 'failure' }>['reason'],
  message: string,
): SourcePlanAnswer => ({ found: 'failure', reason, message: message.slice(0, 2_000) });

const withoutSource = (files: Files): SourcePlan => ({
  ...files,
  ...{ branch: null, rootDir: null, branches: [], commitSha: null, commitMessage: null, digest: null },
});

const emptyPlan: Files = {
  builtBy: 'image',
  ...{ dockerfilePath: null, language: null, framework: null, installCommand: null, buildCommand: null },
  ...{ startCommand: null, releaseCommand: null, staticOutput: null, kind: 'web', kindReason: null },
  ...{ port: null, portReason: null, notes: [], variables: [], databases: [], volumes: [], warnings: [] },
  ...{ obstacle: null, folders: [], user: null },
};
