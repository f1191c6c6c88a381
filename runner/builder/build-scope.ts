/**
 * Keeps the builds of one project apart from those of others on the same Docker: cache mounts get a name space of the project's own,
 * and its steps a build argument that is part of their layers' keys. Nobody else can guess the value, because it is made with a secret
 * of this host.
 */
import { createHmac, randomBytes } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { replaceFile } from '../base/replace-file.ts';
import type { Builder } from '../docker/image-build/builder.ts';
import type { ParsedDockerfile } from './dockerfile/parse.ts';
import { scopeArgument } from './dockerfile/reserved-names.ts';
import type { BaseImage } from './dockerfile/scope.ts';

/** The values of a project: two, because that of the layers can be read in the history of its images. */
export interface ProjectScope {
  layers: string;
  mounts: string;
}
export type BuildScope = (projectId: string) => ProjectScope;

const secretFile = 'build-scope.key';
const secretBytes = 32;

/** The secret is made at its first use. Without it nothing is lost but the caches. */
export function createBuildScope(dataDirectory: string): BuildScope {
  const path = join(dataDirectory, secretFile);
  if (!existsSync(path)) replaceFile(path, randomBytes(secretBytes).toString('hex'));
  const secret = readFileSync(path);
  const value = (use: string, projectId: string) =>
    createHmac('sha256', secret).update(`${use} ${projectId}`).digest('hex');
  return (projectId) => ({ layers: value('layers', projectId), mounts: value('mounts', projectId) });
}

/** Build arguments that go before all others: a Dockerfile cannot set them, and a variable of the service is not passed. */
export function scopeArguments(scope: ProjectScope, builder: Builder): Record<string, string> {
  const mounts: Record<string, string> =
    builder === 'buildkit' ? { BUILDKIT_CACHE_MOUNT_NS: scope.mounts } : {};
  return { [scopeArgument]: scope.layers, ...mounts };
}

/**
 * The host name that keeps apart the steps of ONBUILD triggers: they run before the ARG behind FROM, which has the scope of all other steps.
 * @returns undefined for a build without triggers, whose layers keep their keys
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
