/** Mounts of a service's containers, and the rules for their paths. The host applies these rules again after it has resolved links. */
import { z } from 'zod';

/** A text that the service's containers see as a read-only file. */
export const mountedFileSchema = z.object({
  /** Absolute path in the container. */
  path: z.string(),
  content: z.string(),
  /** Its content is masked in logs of jobs. */
  secret: z.boolean(),
  /** Permissions, for example 0o444. The user of the container owns it. */
  mode: z.int().min(0).max(0o777),
});

export type MountedFile = z.infer<typeof mountedFileSchema>;

/** Directories of the kernel: a mount there would hide them. */
export const kernelDirectories = ['/proc', '/sys', '/dev'];

/** Whether a path is in a directory of the kernel. */
export const isKernelPath = (path: string): boolean =>
  kernelDirectories.some((directory) => isInside(path, directory));

/** Whether a path is the directory itself or below it. */
export function isInside(path: string, directory: string): boolean {
  return `${path}/`.startsWith(`${directory}/`);
}
