/** Query parameters of lists that are read in pages. */
import { z } from 'zod';
import { idSchema } from '../../protocol/ids.ts';

/** A whole number in a query string. */
export const integerParameter = (min: number, max: number) => {
  const message = `must be a whole number from ${min} to ${max}`;
  const number = z.int(message).min(min, message).max(max, message);
  // Digits alone: Number() takes an empty text for 0, and hexadecimal ones too.
  return z.preprocess((text) => (/^\d+$/.test(String(text)) ? Number(text) : text), number);
};

/** Newest first; `before` is the id of the last deployment of the page before. */
export const deploymentPage = z.strictObject({
  limit: integerParameter(1, 500).default(100),
  before: idSchema('deployment').optional(),
});

/** In order; `after` is the id of the last line that the client has. Without `limit` all that there is. */
export const logPage = z.strictObject({
  after: integerParameter(0, Number.MAX_SAFE_INTEGER).optional(),
  limit: integerParameter(1, 10_000).optional(),
});
