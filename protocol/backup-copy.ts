/**
 * The copy of a backup in the control plane's bucket, as a host writes and reads it over HTTP. Every request names its job and carries
 * `Authorization: Bearer <transferToken>`, which that attempt got sealed; which object it is, the control plane knows by itself.
 *
 * `POST copy` begins an upload; `PUT copyPart` sends one part of it, with Content-Length; `POST copyCompletion` makes an object of all
 * parts; `DELETE copy` takes back the upload and the object; `GET copy` reads the object, by `Range`.
 */
import { z } from 'zod';
import { idSchema } from './ids.ts';

/**
 * Of every part but the last. Below the 100 MB that a request's body may have on the free plan, above the 5 MiB that R2 wants.
 * https://developers.cloudflare.com/workers/platform/limits/ https://developers.cloudflare.com/r2/objects/multipart-objects/
 */
export const copyPartBytes = 64 * 1024 * 1024;
/** 187 GiB: what names all parts must stay a body of 256 KB (R2 itself takes 10,000 parts). */
export const copyPartsMax = 3_000;

export const begunCopySchema = z.object({ upload: z.string().min(1).max(2_000) });

/** `etag`: R2's name of the part, which the completion repeats. */
export const sentPartSchema = z.object({ etag: z.string() });

/** `etags`: of all parts, from the first one on. */
export const copyCompletionSchema = z.strictObject({
  job: idSchema('job'),
  upload: begunCopySchema.shape.upload,
  etags: z.array(z.string().min(1).max(200)).min(1).max(copyPartsMax),
});

export type CopyCompletion = z.infer<typeof copyCompletionSchema>;
