/**
 * The copy of a backup in the control plane's bucket, which a host writes and reads over HTTP. Every request contains the id of its job and sends
 * `Authorization: Bearer <transferToken>`, a token that this attempt received encrypted. The control plane derives the object from the job.
 *
 * `POST copy` starts an upload. `PUT copyPart` sends one part, with Content-Length. `POST copyCompletion` joins all parts into the object.
 * `DELETE copy` deletes the upload and the object. `GET copy` reads the object; `Range` selects a part.
 */
import { z } from 'zod';
import { idSchema } from './ids.ts';

/**
 * Size of every part except the last. Below the 100 MB that a request body may have on the free plan, above the 5 MiB that R2 requires.
 * https://developers.cloudflare.com/workers/platform/limits/ https://developers.cloudflare.com/r2/objects/multipart-objects/
 */
export const copyPartBytes = 64 * 1024 * 1024;
/** 187 GiB in total: the list of all parts must fit into a body of 256 KB (R2 itself allows 10,000 parts). */
export const copyPartsMax = 3_000;

export const startedCopySchema = z.object({ upload: z.string().min(1).max(2_000) });

/** `etag`: R2's tag of the part, which the completion request repeats. */
export const sentPartSchema = z.object({ etag: z.string() });

/** `etags`: the tags of all parts, in order. */
export const copyCompletionSchema = z.strictObject({
  job: idSchema('job'),
  upload: startedCopySchema.shape.upload,
  etags: z.array(z.string().min(1).max(200)).min(1).max(copyPartsMax),
});

export type CopyCompletion = z.infer<typeof copyCompletionSchema>;
