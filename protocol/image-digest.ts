import { z } from 'zod';

/** The digest of an image's manifest or index, as in `nginx@sha256:...`. */
export const imageDigestSchema = z.string().regex(/^sha256:[0-9a-f]{64}$/);
