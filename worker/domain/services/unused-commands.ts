/** Warnings about commands of a service that a build of its Dockerfile does not run: only the analyzer uses them. */
import { isBuilt, type ServiceKind } from './service-kind.ts';

interface Service {
  kind: ServiceKind;
  buildMethod: 'auto' | 'dockerfile' | 'analyzer';
  detectedBuildMethod: 'dockerfile' | 'analyzer' | null;
  installCommand: string | null;
  buildCommand: string | null;
  startCommand: string | null;
}

export const buildCommands = ['installCommand', 'buildCommand', 'startCommand'] as const;

/** The Dockerfile instruction to use instead. */
const instead = { installCommand: 'a RUN', buildCommand: 'a RUN', startCommand: 'CMD' };

/** Warnings that each start with the field's name. With `auto`, the newest deployment shows whether there is a Dockerfile. */
export function unusedCommandWarnings(service: Service): string[] {
  const { buildMethod, detectedBuildMethod } = service;
  const isDockerfile =
    buildMethod === 'dockerfile' || (buildMethod === 'auto' && detectedBuildMethod === 'dockerfile');
  if (!isBuilt(service) || !isDockerfile) return [];
  return buildCommands
    .filter((name) => service[name])
    .map(
      (name) =>
        `${name}: it is not used, because the service is built by its Dockerfile. Write it there (${instead[name]}), or set "buildMethod" to "analyzer".`,
    );
}
