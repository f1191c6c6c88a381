/** The dependencies of the deploy job; created once by the daemon. */
import type { DeployFacts, DeployPhase } from '../../../protocol/job-report.ts';
import type { DeploySecrets, DeploySpec } from '../../../protocol/job-spec.ts';
import { crashPoint } from '../../base/crash-point.ts';
import type { BuildCaps } from '../../build-caps/build-caps.ts';
import type { BaseImageOverrides } from '../../builder/analyzer/base-images.ts';
import type { BuildScope } from '../../builder/build-scope.ts';
import type { HostDatabaseTls } from '../../database-tls/database-tls.ts';
import type { KeptWays } from '../../databases/kept-ways.ts';
import type { DockerHost } from '../../docker/client.ts';
import type { ReadDiskSpace } from '../../docker/disk-space.ts';
import type { Builder } from '../../docker/image-build/builder.ts';
import { parseImageRef } from '../../docker/image-ref.ts';
import type { LiveNames } from '../../firewall/live-names.ts';
import type { Traffic } from '../../proxy/traffic.ts';
import type { RegistryAccess } from '../../registry/pull-image.ts';
import type { JobContext } from '../job.ts';
import type { Undo } from '../undo.ts';
import type { DeployLimits } from './deploy-limits.ts';
import type { Retirement } from './retire.ts';

export interface DeployParts {
  docker: DockerHost;
  traffic: Traffic;
  /** Keeps internal names on live versions. */
  names: Pick<LiveNames, 'canSend' | 'sync'>;
  /** Removes the old version later; journalled, so that it survives a restart of the runner. */
  retireLater: (retirement: Retirement) => void;
  dataDirectory: string;
  /** The address from which uploaded folders are downloaded. */
  controlPlaneUrl: string;
  /** RunnerConfig.networkRange. */
  networkRange: string;
  /** True if RunnerConfig.allowPrivate includes `git`: private addresses and plain http for repositories and registries. */
  allowPrivateSources: boolean;
  databaseTls: Pick<HostDatabaseTls, 'ofTenant'>;
  /** Absent if no connections are kept. */
  ways?: Pick<KeptWays, 'withRoom'>;
  /** RunnerConfig.baseImages. */
  baseImages?: BaseImageOverrides;
  /** Separates the builds of projects. */
  buildScope: BuildScope;
  /** Limits of a build; absent without limits. */
  buildCaps?: BuildCaps;
  readDiskSpace: ReadDiskSpace;
  /** The builders to try, in this order. */
  builders: readonly Builder[];
  limits: DeployLimits;
}

/** An attempt, from start to end. */
export interface Attempt {
  readonly parts: DeployParts;
  readonly spec: DeploySpec;
  readonly secrets: DeploySecrets;
  readonly context: JobContext;
  readonly undo: Undo;
  /** Facts collected so far; every phase report and the result contain them. */
  readonly facts: DeployFacts;
}

/** The logins for the registries of a service; `allowPrivate` if they may have private addresses. */
export const registryAccess = ({ parts, secrets }: Attempt): RegistryAccess => ({
  allowPrivate: parts.allowPrivateSources,
  logins: secrets.registries,
});

/** The same for the analyzer's base images. The operator chooses the registries in `baseImages`, so those may have private addresses. */
export const baseImageAccess = (attempt: Attempt): RegistryAccess => {
  const chosen = Object.values(attempt.parts.baseImages ?? {});
  const registries = chosen.flatMap(
    (name) => parseImageRef(name.replaceAll('{version}', '0')).registry ?? [],
  );
  return { ...registryAccess(attempt), trusted: new Set(registries) };
};

/** The part of a build request that limits the build. */
export const cappedBuild = ({ parts: { buildCaps, buildScope }, spec }: Attempt) =>
  buildCaps ? { capped: () => buildCaps.begin(spec.serviceId, buildScope(spec.projectId).layers) } : {};

/** Runs one phase: journals and reports its start, and logs its duration at its end. */
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
