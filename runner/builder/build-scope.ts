/**
 * Separates the builds of projects on the same Docker: cache mounts get a namespace per project, and steps get a build argument that is
 * part of their layers' cache keys. Other projects cannot guess the values, which are derived from a secret of this host.
 */
import { createHmac, randomBytes } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { replaceFile } from '../base/replace-file.ts';
import type { Builder } from '../docker/image-build/builder.ts';
import type { ParsedDockerfile } from './dockerfile/parse.ts';
import { scopeArgument } from './dockerfile/reserved-names.ts';
import type { BaseImage } from './dockerfile/scope.ts';

/** The values of a project. The value for layers is separate, because it is readable in the history of the project's images. */
export interface ProjectScope {
  layers: string;
  mounts: string;
}
export type BuildScope = (projectId: string) => ProjectScope;

const secretFile = 'build-scope.key';
const secretBytes = 32;

/** Creates the secret at its first use. If the secret is lost, only the caches are lost. */
export function createBuildScope(dataDirectory: string): BuildScope {
  const path = join(dataDirectory, secretFile);
  if (!existsSync(path)) replaceFile(path, randomBytes(secretBytes).toString('hex'));
  const secret = readFileSync(path);
  const value = (use: string, projectId: string) =>
    createHmac('sha256', secret).update(`${use} ${projectId}`).digest('hex');
  return (projectId) => ({ layers: value('layers', projectId), mounts: value('mounts', projectId) });
}

/** Build arguments that override all others: neither a Dockerfile nor a variable of the service can set them. */
export function scopeArguments(scope: ProjectScope, builder: Builder): Record<string, string> {
  const mounts: Record<string, string> =
    builder === 'buildkit' ? { BUILDKIT_CACHE_MOUNT_NS: scope.mounts } : {};
  return { [scopeArgument]: scope.layers, ...mounts };
}

/**
 * The host name that separates the steps of ONBUILD triggers. They run before the ARG after FROM, which sets the scope of all other steps.
 * @returns undefined for a build without triggers, whose layers keep their cache keys
 */
export function scopeHost(
  scope: ProjectScope,
  { instructions }: Pick<ParsedDockerfile, 'instructions'>,
  images: ReadonlyMap<string, Pick<BaseImage, 'triggers'>>,
): string | undefined {
  const hasTriggers =
    instructions.some(({ keyword }) => keyword === 'ONBUILD') ||
    [...images.values()].some(({ triggers }) => triggers.length > 0);
  return hasTriggers ? `${scope.layers.slice(0, 32)}.longshore.invalid` : undefined;
}
