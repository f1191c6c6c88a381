/** Folders from which services are built, uploaded in parts as gzipped tars. */

import { z } from 'zod';
import { ApiError } from '../../domain/errors.ts';
import { folderBytesMax, missingParts, uploadPartBytes, uploadPartsOf } from '../../domain/sources/upload.ts';
import { idOf, notes } from '../../domain/values/field-notes.ts';
import { serviceResource, uploadResource } from '../../http/loaders/service-loaders.ts';
import { type AnyRoute, defineRoute } from '../../http/route.ts';
import { timestamp, timestampOrNull, timestampSchema } from '../../http/timestamps.ts';
import {
  selectOpenUploads,
  selectUploadParts,
  type UploadRow,
} from '../../store/deployments/upload-store.ts';
import { selectFolders } from '../../store/projects/folder-store.ts';
import type { Database } from '../../store/sql/database.ts';
import { putUploadPart } from '../../usecases/imports/put-upload-part.ts';
import { discardUpload } from '../../usecases/imports/remove-uploads.ts';
import { assertTakesFolders, beginFolder } from '../../usecases/sources/uploaded-folder.ts';
import { checksumSchema, partSchema } from '../imports/file-imports.ts';

const collection = '/api/services/:serviceId/uploads';
const one = `${collection}/:uploadId`;
const ok = z.object({ ok: z.literal(true).meta(notes.ok) });

const folderSchema = z.object({
  id: idOf('upload'),
  sizeBytes: z.number().meta(notes.sizeBytes),
  checksum: z.string().meta(notes.checksum),
  partBytes: z.number().meta(notes.partBytes),
  parts: z.number().meta(notes.parts),
  lastDeployedAt: timestampSchema
    .nullable()
    .describe('When a deployment last built it; null: never. The last three are kept.'),
  /** `null` after the folder's deployment. */
  expiresAt: timestampSchema.nullable().meta(notes.expiresAt),
});
/** `missing`: the numbers of the parts to send. */
const seenFolderSchema = folderSchema.extend({ missing: z.array(z.number()).meta(notes.missing) });

const sizeMessage = `must be a whole number from 1 to ${folderBytesMax}`;

const begin = defineRoute({
  method: 'POST',
  path: collection,
  access: 'deploy',
  summary:
    'Start the upload of a folder, packed as a gzipped tar. The same bytes again give the same upload, with what is missing of it.',
  resource: serviceResource,
  body: z.strictObject({
    sizeBytes: z.int(sizeMessage).min(1, sizeMessage).max(folderBytesMax, sizeMessage).meta(notes.sizeBytes),
    checksum: checksumSchema.meta(notes.checksum),
  }),
  creates: { kind: 'upload' },
  reply: z.object({ upload: seenFolderSchema }),
  async handle({ deps, resource, body }) {
    return { upload: await presentSeen(deps.db, await beginFolder(deps, resource.service, body)) };
  },
});

const list = defineRoute({
  method: 'GET',
  path: collection,
  access: 'read',
  summary: 'List the folders of a service: deployed ones, the last one first, then unfinished uploads.',
  resource: serviceResource,
  reply: z.object({ uploads: z.array(folderSchema) }),
  async handle({ deps, resource: { service } }) {
    assertTakesFolders(service);
    const [folders, open] = await deps.db.batch([
      selectFolders(deps.db, service.id),
      selectOpenUploads(deps.db, service.id, deps.now()),
    ]);
    return { uploads: [...folders, ...open].map(present) };
  },
});

const show = defineRoute({
  method: 'GET',
  path: one,
  access: 'read',
  summary: 'Show a folder and the parts that are missing. To resume an upload, send them.',
  resource: uploadResource,
  reply: z.object({ upload: seenFolderSchema }),
  async handle({ deps, resource: { service, upload } }) {
    assertTakesFolders(service);
    return { upload: await presentSeen(deps.db, upload) };
  },
});

const putPart = defineRoute({
  method: 'PUT',
  path: one,
  access: 'deploy',
  summary: 'Send one part of the folder as the body. A part that is sent again replaces the earlier one.',
  resource: uploadResource,
  takesBytes: true,
  query: z.object({ part: partSchema }),
  reply: ok,
  async handle({ deps, resource: { service, upload }, query, request }) {
    assertTakesFolders(service);
    await putUploadPart(deps, upload, query.part, request);
    return { ok: true as const };
  },
});

const discard = defineRoute({
  method: 'DELETE',
  path: one,
  access: 'write',
  summary: 'Delete a folder and its data in the bucket. What was built from it stays.',
  resource: uploadResource,
  reply: ok,
  async handle({ deps, resource: { service, upload } }) {
    assertTakesFolders(service);
    if (await discardUpload(deps, upload)) return { ok: true as const };
    throw new ApiError('conflict', 'A deployment is building this folder: abort it, or wait for its end.');
  },
});

export const folderRoutes: AnyRoute[] = [begin, list, show, putPart, discard];

const present = (upload: UploadRow): z.infer<typeof folderSchema> => ({
  id: upload.id,
  sizeBytes: upload.sizeBytes,
  checksum: upload.checksum ?? '',
  partBytes: uploadPartBytes,
  parts: uploadPartsOf(upload),
  lastDeployedAt: timestampOrNull(upload.usedAt),
  expiresAt: upload.usedAt === null ? timestamp(upload.expiresAt) : null,
});

async function presentSeen(db: Database, upload: UploadRow): Promise<z.infer<typeof seenFolderSchema>> {
  const received = await selectUploadParts(db, upload.id);
  const missing = missingParts(
    upload,
    received.map(({ part }) => part),
  );
  return { ...present(upload), missing };
}
