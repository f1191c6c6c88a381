/** Query parameters of paged lists. */
import { z } from 'zod';
import { idSchema } from '../../protocol/ids.ts';

/** A whole number in a query string. */
export const integerParameter = (min: number, max: number) => {
  const message = `must be a whole number from ${min} to ${max}`;
  const number = z.int(message).min(min, message).max(max, message);
  // Check for digits first: Number() reads an empty text as 0 and also accepts hexadecimal numbers.
  return z.preprocess((text) => (/^\d+$/.test(String(text)) ? Number(text) : text), number);
};

/** Newest first. `before` is the id of the previous page's last deployment. */
export const deploymentPage = z.strictObject({
  limit: integerParameter(1, 500).default(100),
  before: idSchema('deployment').optional(),
});

/** `wait`: seconds for which the answer may wait for the end. */
export const deploymentWait = z.strictObject({ wait: integerParameter(0, 300).default(0) });

/** Oldest first. `after` is the id of the client's last line. Without `limit`: all lines. */
export const logPage = z.strictObject({
  after: integerParameter(0, Number.MAX_SAFE_INTEGER).optional(),
  limit: integerParameter(1, 10_000).optional(),
});
