/** From a service's settings to what its host is told to do. */
import type { DeploySource, DeploySpec } from '../../protocol/job-spec.ts';

/** The columns of a service that matter to its deployment. */
export interface DeployableService {
  id: string;
  projectId: string;
  slug: string;
  kind: 'git' | 'image' | 'database';
  repoFullName: string | null;
  repoUrl: string;
  imageRef: string | null;
  branch: string;
  rootDir: string | null;
  buildMethod: DeploySpec['build']['method'];
  dockerfilePath: string | null;
  installCommand: string | null;
  buildCommand: string | null;
  startCommand: string | null;
  staticOutput: string | null;
  runtimeMode: DeploySpec['runtimeMode'];
  internalPort: number;
  hostPort: number;
  generatedHostname: string | null;
  healthCheckPath: string | null;
  memoryLimitMb: number | null;
  cpuLimit: number | null;
}

export interface DeploySpecParts {
  service: DeployableService;
  deploymentId: string;
  /** Custom domains whose DNS points at the host. */
  activeDomains: readonly string[];
  env: Readonly<Record<string, string>>;
  warnings: readonly string[];
}

/** A deployment that can't be described: retrying would not help. The message is the sentence for the user. */
export class UndispatchableError extends Error {
  override readonly name = 'UndispatchableError';
}

/** INTERFACE 4.2, rule 4: this variable goes before the service's own `dockerfilePath`. */
const dockerfileVariable = 'SERVICE_DOCKERFILE_PATH';

/** @throws UndispatchableError when the service's settings name nothing to deploy. */
export function deploySpecOf(parts: DeploySpecParts): DeploySpec {
  const { service, env } = parts;
  const names = service.generatedHostname === null ? [] : [service.generatedHostname];
  return {
    kind: 'deploy',
    projectId: service.projectId,
    serviceId: service.id,
    deploymentId: parts.deploymentId,
    serviceSlug: service.slug,
    source: sourceOf(service),
    build: {
      method: service.buildMethod,
      dockerfilePath: env[dockerfileVariable] || service.dockerfilePath,
      installCommand: service.installCommand,
      buildCommand: service.buildCommand,
      startCommand: service.startCommand,
      staticOutput: service.staticOutput,
    },
    runtimeMode: service.runtimeMode,
    internalPort: service.internalPort,
    hostPort: service.hostPort,
    hostnames: service.runtimeMode === 'worker' ? [] : [...names, ...parts.activeDomains],
    healthCheckPath: service.healthCheckPath,
    memoryLimitMb: service.memoryLimitMb,
    cpuLimit: service.cpuLimit,
    warnings: [...parts.warnings],
  };
}

function sourceOf(service: DeployableService): DeploySource {
  switch (service.kind) {
    case 'git':
      return {
        type: 'git',
        url: service.repoFullName ? `https://github.com/${service.repoFullName}.git` : service.repoUrl,
        branch: service.branch,
        rootDir: service.rootDir,
      };
    case 'image':
      if (service.imageRef) return { type: 'image', imageRef: service.imageRef };
      throw new UndispatchableError('The service has no imageRef, so there is no image to start.');
    case 'database':
      throw new UndispatchableError('Deploying database services is not supported yet.');
  }
}
