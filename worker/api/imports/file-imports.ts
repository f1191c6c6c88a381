/** Fills databases from dump files: uploads in parts, and the imports that use them. */

import { z } from 'zod';
import { copyPartsMax } from '../../../protocol/backup-copy.ts';
import { note } from '../../../protocol/note.ts';
import { ApiError } from '../../domain/errors.ts';
import { missingParts, uploadBytesMax, uploadPartBytes, uploadPartsOf } from '../../domain/sources/upload.ts';
import { idOf, notes } from '../../domain/values/field-notes.ts';
import { serviceResource, uploadResource } from '../../http/loaders/service-loaders.ts';
import { type AnyRoute, defineRoute } from '../../http/route.ts';
import { timestamp, timestampSchema } from '../../http/timestamps.ts';
import {
  selectOpenUploads,
  selectUploadParts,
  type UploadRow,
} from '../../store/deployments/upload-store.ts';
import { engineOfDatabase } from '../../usecases/databases/ask-database.ts';
import { beginUpload } from '../../usecases/imports/begin-upload.ts';
import { importBody, importFile } from '../../usecases/imports/import-file.ts';
import { putUploadPart } from '../../usecases/imports/put-upload-part.ts';
import { discardUpload } from '../../usecases/imports/remove-uploads.ts';
import { createsImport, importResultSchema, presentResult } from './imports.ts';

const database = '/api/services/:serviceId/database';
const collection = `${database}/uploads`;
const one = `${collection}/:uploadId`;
const ok = z.object({ ok: z.literal(true).meta(notes.ok) });

const uploadSchema = z.object({
  id: idOf('upload'),
  sizeBytes: z.number().meta(notes.sizeBytes),
  partBytes: z.number().meta(notes.partBytes),
  parts: z.number().meta(notes.parts),
  expiresAt: timestampSchema.meta(notes.expiresAt),
});
/** `received` and `missing` are part numbers. */
const seenUploadSchema = uploadSchema.extend({
  received: z.array(z.number()).meta(note('Numbers of the parts that have arrived.', [1, 2])),
  missing: z.array(z.number()).meta(notes.missing),
});

const sizeMessage = `must be a whole number from 1 to ${uploadBytesMax}`;
export const checksumSchema = z
  .string()
  .regex(/^sha256:[0-9a-f]{64}$/, 'must be "sha256:" and 64 lower-case hexadecimal digits');
const yesOrNo = z.enum(['true', 'false']);
const partMessage = `must be a number from 1 to ${copyPartsMax}`;
export const partSchema = z
  .string()
  .regex(/^[1-9]\d{0,3}$/, partMessage)
  .transform(Number);

const begin = defineRoute({
  method: 'POST',
  path: collection,
  access: 'write',
  summary: 'Start the upload of a dump file in parts. An unused upload is deleted after 24 hours.',
  resource: serviceResource,
  body: z.strictObject({
    sizeBytes: z.int(sizeMessage).min(1, sizeMessage).max(uploadBytesMax, sizeMessage).meta(notes.sizeBytes),
    checksum: checksumSchema.optional().meta(notes.checksum),
  }),
  creates: { kind: 'upload' },
  reply: z.object({ upload: uploadSchema }),
  async handle({ deps, resource, body: { sizeBytes, checksum = null } }) {
    return { upload: present(await beginUpload(deps, resource.service, { sizeBytes, checksum })) };
  },
});

const list = defineRoute({
  method: 'GET',
  path: collection,
  access: 'read',
  summary: 'List the unused uploads of a database, oldest first.',
  resource: serviceResource,
  reply: z.object({ uploads: z.array(uploadSchema) }),
  async handle({ deps, resource }) {
    engineOfDatabase(resource.service);
    return { uploads: (await selectOpenUploads(deps.db, resource.service.id, deps.now())).map(present) };
  },
});

const show = defineRoute({
  method: 'GET',
  path: one,
  access: 'read',
  summary: 'Show an upload and the parts received so far. To resume, send the missing parts.',
  resource: uploadResource,
  reply: z.object({ upload: seenUploadSchema }),
  async handle({ deps, resource: { service, upload } }) {
    engineOfDatabase(service);
    const received = (await selectUploadParts(deps.db, upload.id)).map(({ part }) => part);
    return { upload: { ...present(upload), received, missing: missingParts(upload, received) } };
  },
});

const putPart = defineRoute({
  method: 'PUT',
  path: one,
  access: 'write',
  summary: 'Send one part of the file as the body. A part that is sent again replaces the earlier one.',
  resource: uploadResource,
  takesBytes: true,
  query: z.object({ part: partSchema }),
  reply: ok,
  async handle({ deps, resource, query, request }) {
    await putUploadPart(deps, resource.upload, query.part, request);
    return { ok: true as const };
  },
});

const discard = defineRoute({
  method: 'DELETE',
  path: one,
  access: 'write',
  summary: 'Delete an upload and its data in the bucket.',
  resource: uploadResource,
  reply: ok,
  async handle({ deps, resource: { upload } }) {
    if (await discardUpload(deps, upload)) return { ok: true as const };
    throw new ApiError(
      'conflict',
      'An import is using this upload. Abort the import: its upload is then deleted too.',
    );
  },
});

const importUpload = defineRoute({
  method: 'POST',
  path: `${database}/import/file`,
  access: 'write',
  summary:
    "Import an uploaded dump file into an empty database. `replace` replaces existing data, after a backup of it. `continueOnError` (PostgreSQL, TimescaleDB) leaves out what can't be loaded and lists it in `skipped`.",
  resource: serviceResource,
  body: z.strictObject({
    uploadId: z.string().meta(note('The upload.', 'upl_1q2w3e4r5t6y7u8i')),
    replace: z.boolean().optional().meta(notes.replace),
    continueOnError: z.boolean().optional().meta(notes.continueOnError),
  }),
  creates: createsImport,
  reply: z.object({ result: importResultSchema }),
  async handle({ deps, resource, body: { uploadId, replace = false, continueOnError = false } }) {
    const options = { uploadId, replace, continueOnError };
    return { result: presentResult(await importFile(deps, resource.service, options)) };
  },
});

const importOne = defineRoute({
  method: 'PUT',
  path: `${database}/import/file`,
  access: 'write',
  summary: `Import a dump file of at most ${uploadPartBytes / 1024 / 1024} MiB, sent as the body of this request.`,
  resource: serviceResource,
  takesBytes: true,
  query: z.object({
    replace: yesOrNo.optional(),
    continueOnError: yesOrNo.optional(),
    checksum: checksumSchema.optional(),
  }),
  reply: z.object({ result: importResultSchema }),
  async handle({ deps, resource, query, request }) {
    const { replace, continueOnError, checksum = null } = query;
    const options = { replace: replace === 'true', continueOnError: continueOnError === 'true' };
    const body = { request, checksum, ...options };
    return { result: presentResult(await importBody(deps, resource.service, body)) };
  },
});

export const fileImportRoutes: AnyRoute[] = [begin, list, show, putPart, discard, importUpload, importOne];

const present = (upload: UploadRow): z.infer<typeof uploadSchema> => ({
  id: upload.id,
  sizeBytes: upload.sizeBytes,
  partBytes: uploadPartBytes,
  parts: uploadPartsOf(upload),
  expiresAt: timestamp(upload.expiresAt),
});
