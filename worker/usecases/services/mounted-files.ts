/** Mounted files of a service: read, set, remove. Changes take effect with its next deployment or restart. */
import { z } from 'zod';
import type { KeyLevel } from '../../domain/access/key-levels.ts';
import { ApiError } from '../../domain/errors.ts';
import { type Settings, seesOf } from '../../domain/instance/settings.ts';
import {
  assertTakesFiles,
  type NewFile,
  type StoredFile,
  storedFileSchema,
  withFile,
} from '../../domain/services/mounted-files.ts';
import { serviceFilesPlace } from '../../security/secret-places.ts';
import { putServiceFiles, selectServiceFiles } from '../../store/services/service-file-store.ts';
import type { ServiceRow } from '../../store/services/service-store.ts';
import { selectVolumes } from '../../store/services/volume-store.ts';
import type { Dependencies } from '../dependencies.ts';
import type { SecretsOwner } from './resolve-variables.ts';

/** Limit for requests that change files of the service concurrently; each lost round reads them again. */
const attemptsMax = 4;

/** A file in the form for a key. */
export interface ShownFile extends Omit<StoredFile, 'content'> {
  /** `null` if hidden from this key. */
  content: string | null;
  sizeBytes: number;
}

interface Owner {
  service: ServiceRow;
  project: SecretsOwner;
}

/** @param row undefined if the service never had files @throws Error if they can't be decrypted */
export async function openFiles(
  { envelope }: Pick<Dependencies, 'envelope'>,
  project: SecretsOwner,
  row: { serviceId: string; sealedFiles: string } | undefined,
): Promise<StoredFile[]> {
  if (!row) return [];
  const place = serviceFilesPlace(row.serviceId);
  const text = await envelope.open(project.wrappedDataKey, project.id, place, row.sealedFiles);
  return z.array(storedFileSchema).parse(JSON.parse(text));
}

/** Hides contents like values of variables. @param access level of the calling key */
export function shownFiles(
  files: readonly StoredFile[],
  settings: Pick<Settings, 'readKeysSee'>,
  access: KeyLevel,
): ShownFile[] {
  const sees = seesOf(settings, access);
  return files.map((file) => ({
    ...file,
    content: sees === 'all' || (sees === 'plain' && !file.secret) ? file.content : null,
    sizeBytes: new TextEncoder().encode(file.content).length,
  }));
}

/**
 * Creates a file or replaces the file with this path.
 * @throws ApiError `unsupported` for databases and static sites; `conflict`, `payload_too_large` as `withFile`
 */
export async function setFile(deps: Dependencies, owner: Owner, file: NewFile): Promise<StoredFile> {
  assertTakesFiles(owner.service);
  const volumes = await selectVolumes(deps.db, owner.service.id);
  const at = { volumes, now: deps.now() };
  const files = await change(deps, owner, (present) => withFile(present, file, at));
  const set = files.find(({ path }) => path === file.path);
  if (!set) throw new Error(`${file.path} was not written.`);
  return set;
}

/** @throws ApiError `not_found` if the service has no such file */
export async function removeFile(deps: Dependencies, owner: Owner, path: string): Promise<void> {
  await change(deps, owner, (present) => {
    const others = present.filter((file) => file.path !== path);
    if (others.length === present.length)
      throw new ApiError('not_found', `The service has no file with the path ${path}.`);
    return others;
  });
}

async function change(
  deps: Dependencies,
  { service, project }: Owner,
  edit: (present: StoredFile[]) => StoredFile[],
): Promise<StoredFile[]> {
  const { db, envelope, now } = deps;
  for (let attempt = 1; attempt <= attemptsMax; attempt++) {
    const [row] = await selectServiceFiles(db, service.id);
    const files = edit(await openFiles(deps, project, row));
    const place = serviceFilesPlace(service.id);
    const sealedFiles = await envelope.seal(project.wrappedDataKey, project.id, place, JSON.stringify(files));
    const written = { serviceId: service.id, sealedFiles, updatedAt: now() };
    if (await putServiceFiles(db, project.id, written, row?.sealedFiles ?? null)) return files;
  }
  throw new ApiError('conflict', 'The files of the service are being changed by other requests: try again.');
}
