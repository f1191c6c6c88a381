/**
 * Compresses static files of apps that do not do so themselves. Only answers whose length is known: everything else may be a stream, which
 * Caddy's encoder would collect. Answers that are compressed already stay as they are. Pure.
 */
import { bytesMin, compressibleEndings } from '../compressible.ts';

/** Go's own default is 6; Caddy's 5 takes less time for nearly the same size. */
const level = 5;

/** A route that is not terminal, before the one to the app. */
export const compressFiles = {
  match: [
    {
      method: ['GET', 'HEAD'],
      path: compressibleEndings.map((ending) => `*.${ending}`),
      // Ranges are of the plain file.
      not: [{ header: { Range: ['*'] } }, { header: { Accept: ['*text/event-stream*'] } }],
    },
  ],
  handle: [
    {
      handler: 'encode',
      encodings: { gzip: { level } },
      prefer: ['gzip'],
      minimum_length: bytesMin,
      match: { status_code: [200], headers: { 'Content-Length': ['*'] } },
    },
  ],
};
