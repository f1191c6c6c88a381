/** Upload and download of backup copies in the bucket by hosts (protocol/backup-copy). Calls are authenticated by the job's transfer token. */
import { z } from 'zod';
import {
  copyCompletionSchema,
  copyPartsMax,
  sentPartSchema,
  startedCopySchema,
} from '../../../protocol/backup-copy.ts';
import { runnerPaths } from '../../../protocol/enrolment.ts';
import { idSchema } from '../../../protocol/ids.ts';
import { type AnyCall, type AnyRoute, defineRoute } from '../../http/route.ts';
import { authenticateCopyJob } from '../../usecases/backups/authenticate-copy-job.ts';
import { readBackupCopy } from '../../usecases/backups/read-backup-copy.ts';
import {
  beginCopy,
  completeCopy,
  discardCopy,
  putCopyPart,
} from '../../usecases/backups/write-backup-copy.ts';

const ok = z.object({ ok: z.literal(true) });
const ofJob = { job: idSchema('job') };
const ofUpload = { ...ofJob, upload: startedCopySchema.shape.upload };
const partNumber = z
  .string()
  .regex(/^[1-9]\d{0,3}$/, `must be a number from 1 to ${copyPartsMax}`)
  .transform(Number)
  .refine((part) => part <= copyPartsMax, `must be a number from 1 to ${copyPartsMax}`);

const copyJobOf = ({ deps, query, body, request }: Pick<AnyCall, 'deps' | 'query' | 'body' | 'request'>) =>
  authenticateCopyJob(
    deps,
    (query ?? body).job,
    /^Bearer (\S+)$/.exec(request.headers.get('authorization') ?? '')?.[1] ?? '',
  );

const begin = defineRoute({
  method: 'POST',
  path: runnerPaths.copy,
  access: 'public',
  summary: 'For hosts: start the upload of a backup copy.',
  query: z.object(ofJob),
  reply: startedCopySchema,
  handle: async (call) => ({ upload: await beginCopy(call.deps, await copyJobOf(call)) }),
});

const putPart = defineRoute({
  method: 'PUT',
  path: runnerPaths.copyPart,
  access: 'public',
  summary: 'For hosts: upload one part of a backup copy.',
  takesBytes: true,
  query: z.object({ ...ofUpload, part: partNumber }),
  reply: sentPartSchema,
  async handle(call) {
    const { deps, query, request } = call;
    return { etag: await putCopyPart(deps, await copyJobOf(call), { ...query, request }) };
  },
});

const complete = defineRoute({
  method: 'POST',
  path: runnerPaths.copyCompletion,
  access: 'public',
  summary: 'For hosts: complete the upload of a backup copy.',
  body: copyCompletionSchema,
  reply: ok,
  async handle(call) {
    const { deps, body } = call;
    await completeCopy(deps, await copyJobOf(call), body);
    return { ok: true as const };
  },
});

const discard = defineRoute({
  method: 'DELETE',
  path: runnerPaths.copy,
  access: 'public',
  summary: 'For hosts: discard the upload of a backup copy.',
  query: z.object(ofUpload),
  reply: ok,
  async handle(call) {
    await discardCopy(call.deps, await copyJobOf(call), call.query.upload);
    return { ok: true as const };
  },
});

const read = defineRoute({
  method: 'GET',
  path: runnerPaths.copy,
  access: 'public',
  summary: 'For hosts: download a backup copy; `Range` selects a part.',
  query: z.object(ofJob),
  reply: 'stream',
  handle: async (call) => readBackupCopy(call.deps, await copyJobOf(call), call.request.headers),
});

export const backupCopyRoutes: AnyRoute[] = [begin, putPart, complete, discard, read];
