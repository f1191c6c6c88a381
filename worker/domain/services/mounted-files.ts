/** Rules of mounted files: small texts of a service, mounted into its containers as read-only files. */
import { z } from 'zod';
import { isInside, type MountedFile } from '../../../protocol/mounts.ts';
import { ApiError } from '../errors.ts';
import { notes } from '../values/field-notes.ts';
import { byteLength } from '../variables/variable-fields.ts';
import { isStaticSite, type ServiceKind } from './service-kind.ts';
import { containerPathSchema } from './volumes.ts';

const filesPerService = 20;
const fileBytesMax = 64 * 1024;
/** Limit for all files of a service together, because each stored version of the service keeps a copy. */
const allBytesMax = 256 * 1024;
/** Readable by every user of the container. */
const defaultMode = '0444';
/** Docker writes these itself whenever the container starts. */
const dockersFiles = ['/etc/hosts', '/etc/hostname', '/etc/resolv.conf'];
/** Control characters that texts do not contain. Stored, they would also take six times their size. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what it looks for
const noText = /[\u0000-\u0008\u000b\u000c\u000e-\u001f]/;

/** The stored form, sealed. */
export const storedFileSchema = z.object({
  path: z.string(),
  content: z.string(),
  secret: z.boolean(),
  /** Octal. */
  mode: z.string(),
  updatedAt: z.number(),
});
export type StoredFile = z.infer<typeof storedFileSchema>;

export const filePathSchema = containerPathSchema.refine((path) => !dockersFiles.includes(path), {
  error: `can't be ${dockersFiles.join(', ')}: Docker writes them itself`,
});

export const newFileSchema = z.strictObject({
  path: filePathSchema.meta(notes.path),
  content: z
    .string()
    .refine((text) => byteLength(text) <= fileBytesMax, `is too large: at most ${fileBytesMax / 1024} KB`)
    .refine(
      (text) => !noText.test(text),
      'must be text, without control characters: encode other files as base64 in a variable, or put them into the image',
    )
    .meta(notes.content),
  secret: z.boolean().optional().meta(notes.secret),
  mode: z
    .string()
    .regex(/^0[0-7]{3}$/, 'must be an octal mode of four digits, for example "0444" or "0400"')
    .optional()
    .meta(notes.mode),
});
export type NewFile = z.infer<typeof newFileSchema>;

/** @throws ApiError `unsupported` for databases and static sites */
export function assertTakesFiles(service: {
  kind: ServiceKind;
  runtimeMode: 'web' | 'worker' | 'static';
  staticOutput: string | null;
}): void {
  if (service.kind === 'database') {
    throw new ApiError(
      'unsupported',
      'A database takes no files: set its options with "engineSettings", and mount files into another service.',
    );
  }
  if (isStaticSite(service)) {
    throw new ApiError(
      'unsupported',
      'A static site runs no program that could read files: put them into its repository, or set "runtimeMode" to "web" or "worker" first.',
    );
  }
}

/**
 * The files of a service after one was set. Absent fields do not change; a new file is secret, and readable by all users of the
 * container.
 * @returns sorted by path
 * @throws ApiError `conflict` for too many files, or one inside another or in a volume; `payload_too_large` for too many bytes
 */
export function withFile(
  files: readonly StoredFile[],
  { path, content, secret, mode }: NewFile,
  { volumes, now }: { volumes: readonly { name: string; mountPath: string }[]; now: number },
): StoredFile[] {
  const before = files.find((file) => file.path === path);
  const others = files.filter((file) => file !== before);
  const near = others.find((file) => isInside(file.path, path) || isInside(path, file.path));
  if (near) {
    throw new ApiError(
      'conflict',
      `The "path" ${path} and that of the file ${near.path} are inside each other: choose another path, or delete that file first.`,
    );
  }
  const clash = clashOf([{ path }], volumes);
  if (clash) throw new ApiError('conflict', clash);
  if (others.length >= filesPerService) {
    throw new ApiError('conflict', `A service can have at most ${filesPerService} files: delete one first.`);
  }
  const bytes = others.reduce((sum, file) => sum + byteLength(file.content), byteLength(content));
  if (bytes > allBytesMax) {
    throw new ApiError(
      'payload_too_large',
      `The files of a service may have ${allBytesMax / 1024} KB together, and would have ${Math.ceil(bytes / 1024)} KB: use a volume for larger data.`,
    );
  }
  const changed = {
    ...{ path, content, updatedAt: now },
    secret: secret ?? before?.secret ?? true,
    mode: mode ?? before?.mode ?? defaultMode,
  };
  return [...others, changed].sort((one, other) => (one.path < other.path ? -1 : 1));
}

/** An error sentence if a file would be written into a volume, where it would remain. */
export function clashOf(
  files: readonly { path: string }[],
  volumes: readonly { name: string; mountPath: string }[],
): string | undefined {
  for (const { path } of files) {
    const volume = volumes.find(({ mountPath }) => isInside(path, mountPath) || isInside(mountPath, path));
    if (volume)
      return `The file ${path} is in the volume "${volume.name}" (${volume.mountPath}), or the other way round: give one of them another path.`;
  }
  return undefined;
}

/** The part of each file that the host needs. */
export const mountedFiles = (files: readonly StoredFile[]): MountedFile[] =>
  files.map(({ path, content, secret, mode }) => ({ path, content, secret, mode: Number.parseInt(mode, 8) }));

/** Files of an earlier version. A file that was declared secret since then is secret there too. */
export const withSecretFilesSince = (
  earlier: readonly MountedFile[],
  files: readonly StoredFile[],
): MountedFile[] =>
  earlier.map((file) => ({
    ...file,
    secret: file.secret || files.some(({ path, secret }) => secret && path === file.path),
  }));

/** Paths of files that only one version has, or that differ in content or mode, sorted. */
export function differingFiles(one: readonly MountedFile[], other: readonly MountedFile[]): string[] {
  const [first, second] = [fileMarks(one), fileMarks(other)];
  return [...new Set([...first.keys(), ...second.keys()])]
    .filter((path) => first.get(path) !== second.get(path))
    .sort();
}

/** The part of each file that differs between two versions, by path. */
export const fileMarks = (files: readonly MountedFile[]): ReadonlyMap<string, string> =>
  new Map(files.map(({ path, mode, content }) => [path, `${mode} ${content}`]));
