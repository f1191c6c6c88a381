/** Rules for volumes: directories of a service other than a database, which outlive its containers. */
import { z } from 'zod';
import type { DeploySpec } from '../../../protocol/job-spec.ts';
import { isInside, isKernelPath, kernelDirectories } from '../../../protocol/mounts.ts';
import { ApiError } from '../errors.ts';
import { notes } from '../values/field-notes.ts';
import { isStaticSite, type ServiceKind } from './service-kind.ts';

/** Limited because each volume is a separate mount and is measured separately. */
export const volumesPerService = 10;
const pathMax = 500;
const sizeMbMax = 100_000_000;

const nameSchema = z
  .string()
  .regex(
    /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/,
    'must have 1 to 63 lower-case letters, digits and hyphens, and begin and end with a letter or digit: "uploads"',
  );

/** A path in a container for a mount of the service. */
export const containerPathSchema = z
  .string()
  .max(pathMax, `is too long: at most ${pathMax} characters`)
  .regex(
    /^(\/[A-Za-z0-9._@+~=-]+)+$/,
    'must be an absolute path below "/" with letters, digits and . _ @ + ~ = - in its parts, and no "/" at its end: "/var/lib/app"',
  )
  .refine((path) => !path.split('/').some((part) => part === '.' || part === '..'), {
    error: 'can\'t have the parts "." and ".."',
  })
  .refine((path) => !isKernelPath(path), {
    error: `can't be in ${kernelDirectories.join(', ')}: the kernel needs them`,
  });

const sizeMbSchema = z
  .int()
  .min(1, 'must be at least 1 megabyte')
  .max(sizeMbMax, `must be at most ${sizeMbMax} megabytes`)
  .nullable();

export const newVolumeSchema = z.strictObject({
  name: nameSchema.meta(notes.name),
  mountPath: containerPathSchema.meta(notes.mountPath),
  sizeMb: sizeMbSchema.optional().meta(notes.sizeMb),
});

export const volumePatchSchema = newVolumeSchema
  .partial()
  .refine((body) => Object.keys(body).length > 0, 'is empty: give at least one field to change');

/** The fields that the rules need. */
export interface PlacedVolume {
  id: string;
  name: string;
  mountPath: string;
}

interface VolumeOwner {
  kind: ServiceKind;
  runtimeMode: 'web' | 'worker' | 'static';
  staticOutput: string | null;
  runnerId: string;
  nextRunnerId: string | null;
  replicas: number;
  sleepAfterMinutes: number | null;
}

/** @throws ApiError `unsupported`, `conflict` if the service can't have one more volume */
export function assertTakesVolume(service: VolumeOwner, others: readonly PlacedVolume[]): void {
  if (service.kind === 'database') {
    throw new ApiError(
      'unsupported',
      'A database has a volume for its data already, and takes no others: create the volume at another service.',
    );
  }
  if (isStaticSite(service)) {
    throw new ApiError(
      'unsupported',
      'A static site runs no program that could write to a volume: set "runtimeMode" to "web" or "worker" first.',
    );
  }
  if (service.nextRunnerId !== null && service.nextRunnerId !== service.runnerId) {
    throw new ApiError(
      'conflict',
      'The service is moving to another host, and the data of a volume would stay behind: deploy it there first, or cancel the move by setting "runnerId" to its present host.',
    );
  }
  if (service.replicas > 1) {
    throw new ApiError(
      'conflict',
      `The service has ${service.replicas} replicas, and two containers must not write to one volume: set "replicas" to 1 first, or keep the files in a bucket or a database.`,
    );
  }
  if (service.sleepAfterMinutes !== null) {
    throw new ApiError(
      'conflict',
      'The service sleeps when nobody asks for it, and a service with volumes does not: set "sleepAfterMinutes" to null first.',
    );
  }
  if (others.length >= volumesPerService) {
    throw new ApiError(
      'conflict',
      `A service can have at most ${volumesPerService} volumes: delete one, or use directories in one volume.`,
    );
  }
}

/** @throws ApiError `conflict` if another volume of the service has the same name, or one path is inside the other */
export function assertVolumeFits(
  wanted: { name?: string | undefined; mountPath?: string | undefined },
  others: readonly PlacedVolume[],
): void {
  const { name, mountPath } = wanted;
  if (others.some((one) => one.name === name)) {
    throw new ApiError('conflict', `The service already has a volume with the name "${name}".`);
  }
  const near =
    mountPath &&
    others.find((one) => isInside(mountPath, one.mountPath) || isInside(one.mountPath, mountPath));
  if (near) {
    throw new ApiError(
      'conflict',
      `The "mountPath" ${mountPath} and that of the volume "${near.name}", ${near.mountPath}, are inside each other: choose a path outside.`,
    );
  }
}

/** Whether the old and the new version run at the same time in the next deployment, or the old one stops before the new one starts. */
export const switches = ['overlap', 'stop-start'] as const;
export type Switch = (typeof switches)[number];

/** A worker with the variable WORKER_OVERLAP=true and no volume overlaps as well. */
export function switchOf(
  service: Pick<VolumeOwner, 'kind' | 'runtimeMode' | 'staticOutput'>,
  volumes: number,
): Switch {
  if (service.kind === 'database' || service.runtimeMode === 'worker') return 'stop-start';
  return volumes > 0 && !isStaticSite(service) ? 'stop-start' : 'overlap';
}

/** Sentence for the answer to a change of volumes. */
export const volumeNotice =
  'The change takes effect with the next deployment. While the service has a volume, its old version stops before the new one starts, so that two never write to it. Requests wait until the new one answers, for at most two minutes.';

/** The part of each volume that the host needs. @param diskMb disk limit for the tenant's containers; null without a limit */
export function mountedVolumes(
  volumes: readonly { id: string; name: string; mountPath: string; sizeMb: number | null }[],
  diskMb: number | null,
): NonNullable<DeploySpec['volumes']> {
  return volumes.map(({ id, name, mountPath, sizeMb }) => ({
    ...{ id, name, mountPath },
    sizeMb: sizeMb === null || diskMb === null ? (sizeMb ?? diskMb) : Math.min(sizeMb, diskMb),
  }));
}
