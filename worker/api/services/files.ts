/** Mounted files of a service: list, set, delete. */

import { z } from 'zod';
import { settingsOf } from '../../domain/instance/settings.ts';
import { filePathSchema, mountedFiles, newFileSchema } from '../../domain/services/mounted-files.ts';
import { notes } from '../../domain/values/field-notes.ts';
import { parameter } from '../../http/loaders/loader.ts';
import { serviceResource } from '../../http/loaders/service-loaders.ts';
import { type AnyRoute, defineRoute, keyOf } from '../../http/route.ts';
import { timestamp, timestampSchema } from '../../http/timestamps.ts';
import { selectSettings } from '../../store/instance/settings-store.ts';
import { selectLiveSnapshot } from '../../store/jobs/dispatch-store.ts';
import { selectServiceFiles } from '../../store/services/service-file-store.ts';
import { scopedServiceId } from '../../store/sql/scoped-store.ts';
import {
  openFiles,
  removeFile,
  type ShownFile,
  setFile,
  shownFiles,
} from '../../usecases/services/mounted-files.ts';
import { pendingOf } from '../../usecases/services/pending-changes.ts';

const path = '/api/services/:serviceId/files';

const fileSchema = z.strictObject({
  path: z.string().meta(notes.path),
  content: z.string().nullable().meta(notes.content),
  secret: z.boolean().meta(notes.secret),
  mode: z.string().meta(notes.mode),
  sizeBytes: z.int().meta(notes.sizeBytes),
  updatedAt: timestampSchema.meta(notes.updatedAt),
});

const presentFile = ({ updatedAt, ...shown }: ShownFile): z.infer<typeof fileSchema> => ({
  ...shown,
  updatedAt: timestamp(updatedAt),
});

const list = defineRoute({
  method: 'GET',
  path,
  access: 'read',
  summary: "List the service's mounted files by path, and those that the live version does not have yet.",
  resource: serviceResource,
  reads: (db, { tokenId, params }) => {
    const service = scopedServiceId(db, tokenId, parameter(params, 'serviceId'));
    return {
      files: selectServiceFiles(db, service),
      settings: selectSettings(db),
      live: selectLiveSnapshot(db, service),
    };
  },
  reply: z.strictObject({
    files: z.array(fileSchema).describe('The files, by path.'),
    pendingFiles: z.array(z.string()).meta(notes.pendingFiles),
  }),
  async handle({ deps, resource, read, principal }) {
    const files = await openFiles(deps, resource.project, read.files[0]);
    const { pendingFiles } = await pendingOf(deps, resource.project, read.live[0], {
      files: mountedFiles(files),
    });
    const shown = shownFiles(files, settingsOf(read.settings), keyOf(principal).access);
    return { files: shown.map(presentFile), pendingFiles };
  },
});

const set = defineRoute({
  method: 'PUT',
  path,
  access: 'write',
  summary:
    'Create a file, or replace the one with this path. Containers of the next deployment or restart have it, read-only. Without `secret` and `mode` an earlier choice stays; a new file is secret.',
  resource: serviceResource,
  body: newFileSchema,
  reply: z.strictObject({ file: fileSchema, detail: z.string().meta(notes.detail) }),
  async handle({ deps, resource, body, principal }) {
    const file = await setFile(deps, resource, body);
    const [shown] = shownFiles([file], { readKeysSee: 'all' }, keyOf(principal).access);
    if (!shown) throw new Error('One file was set.');
    return { file: presentFile(shown), detail: waits };
  },
});

const remove = defineRoute({
  method: 'DELETE',
  path,
  access: 'write',
  summary:
    'Delete a file, named by `path`. The running version keeps it until the next deployment or restart.',
  resource: serviceResource,
  query: z.strictObject({ path: filePathSchema.meta(notes.path) }),
  reply: z.strictObject({ ok: z.literal(true).meta(notes.ok), detail: z.string().meta(notes.detail) }),
  async handle({ deps, resource, query }) {
    await removeFile(deps, resource, query.path);
    return { ok: true as const, detail: waits };
  },
});

const waits = 'The change takes effect with the next deployment or restart.';

export const fileRoutes: AnyRoute[] = [list, set, remove];
