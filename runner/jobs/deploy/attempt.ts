/** What the deploy job works with; made once by the runner's main program. */
import type { DeployFacts, DeployPhase } from '../../../protocol/job-report.ts';
import type { DeploySecrets, DeploySpec } from '../../../protocol/job-spec.ts';
import { crashPoint } from '../../base/crash-point.ts';
import type { BuildCaps } from '../../build-caps/build-caps.ts';
import type { BaseImageOverrides } from '../../builder/analyzer/base-images.ts';
import type { BuildScope } from '../../builder/build-scope.ts';
import type { DatabaseTls } from '../../database-tls/database-tls.ts';
import type { DockerHost } from '../../docker/client.ts';
import type { ReadDiskSpace } from '../../docker/disk-space.ts';
import type { Builder } from '../../docker/image-build/builder.ts';
import type { Traffic } from '../../proxy/traffic.ts';
import type { JobContext } from '../job.ts';
import type { Undo } from '../undo.ts';
import type { DeployLimits } from './deploy-limits.ts';
import type { Retirement } from './retire.ts';

export interface DeployParts {
  docker: DockerHost;
  traffic: Traffic;
  /** Takes the old version away later; journalled, so that a restart of the runner does not forget it. */
  retireLater: (retirement: Retirement) => void;
  dataDirectory: string;
  /** RunnerConfig.networkRange. */
  networkRange: string;
  /** RunnerConfig.allowPrivate holds `git`: private addresses and plain http for repositories and registries. */
  allowPrivateSources: boolean;
  databaseTls: Pick<DatabaseTls, 'namesOf' | 'issue'>;
  /** RunnerConfig.baseImages. */
  baseImages?: BaseImageOverrides;
  /** Keeps projects' builds apart. */
  buildScope: BuildScope;
  /** What one build may take; absent: no caps. */
  buildCaps?: BuildCaps;
  readDiskSpace: ReadDiskSpace;
  /** Tried in this order. */
  builders: readonly Builder[];
  limits: DeployLimits;
}

/** One attempt, from its start to its end. */
export interface Attempt {
  readonly parts: DeployParts;
  readonly spec: DeploySpec;
  readonly secrets: DeploySecrets;
  readonly context: JobContext;
  readonly undo: Undo;
  /** Grows on the way; every phase and the result carry it. */
  readonly facts: DeployFacts;
}

/** For a build's request. */
export const cappedBuild = ({ parts: { buildCaps }, spec }: Attempt) =>
  buildCaps ? { capped: () => buildCaps.begin(spec.serviceId) } : {};

/** Runs one phase: journalled and reported at its start, its duration in the log at its end. */
export async function inPhase<T>(attempt: Attempt, phase: DeployPhase, run: () => Promise<T>): Promise<T> {
  const { context, facts } = attempt;
  const startedAt = performance.now();
  context.enter(phase, { ...facts });
  crashPoint(`${phase}:begun`);
  try {
    const result = await run();
    context.log.line('system', `${phase}: done in ${seconds(startedAt)} s`);
    crashPoint(`${phase}:done`);
    return result;
  } catch (error) {
    context.log.line('system', `${phase}: ended after ${seconds(startedAt)} s`);
    throw error;
  }
}

const seconds = (startedAt: number) => ((performance.now() - startedAt) / 1000).toFixed(1);
