/** The edge where bodies and query strings become typed values. */
import type { z } from 'zod';
import { ApiError } from '../domain/errors.ts';
import { readLimitedText } from '../middleware/body-limit.ts';
import { issueSentence, predicateOf } from './issue-sentence.ts';

/**
 * Reads and checks a JSON body. No body at all counts as an absent value, which a schema may allow.
 * @throws ApiError `payload_too_large`, `malformed_json`, `invalid_request`.
 */
export async function parseBody<Body>(schema: z.ZodType<Body>, request: Request): Promise<Body> {
  const text = await readLimitedText(request);
  return check(schema, text.trim() === '' ? undefined : parseJson(text), 'field');
}

/** @throws ApiError `invalid_request`. */
export function parseQuery<Query>(schema: z.ZodType<Query>, url: string): Query {
  return check(schema, Object.fromEntries(new URL(url).searchParams), 'query parameter');
}

function check<Value>(schema: z.ZodType<Value>, value: unknown, part: string): Value {
  const parsed = schema.safeParse(value, { error: predicateOf });
  if (parsed.success) return parsed.data;
  throw new ApiError('invalid_request', issueSentence(parsed.error, part));
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new ApiError('malformed_json', 'The body is not JSON: send one JSON object.', { cause });
  }
}
